"""Word document: a heading, who took part, then a paragraph for each utterance."""

from __future__ import annotations

import io

from grga.exports.lines import clock, clocks, name_of, one_line, words_of
from grga.types import Meeting


def export(meeting: Meeting) -> bytes:
    """Return the bytes of a .docx file."""
    from docx import Document

    document = Document()
    document.core_properties.title = one_line(meeting.title)[:255]
    document.core_properties.author = ""
    document.add_heading(one_line(meeting.title), level=1)
    document.add_paragraph(f"Length {clock(meeting.duration)}")
    for speaker in meeting.speakers:
        role = f", {one_line(speaker.role)}" if speaker.role and speaker.role != speaker.name else ""
        name = one_line(speaker.name) or speaker.id
        document.add_paragraph(f"{name}{role}: {clock(speaker.talk_seconds)} of talk", style="List Bullet")
    document.add_heading("Transcript", level=2)
    for utterance in meeting.utterances:
        start, end = clocks(utterance)
        paragraph = document.add_paragraph()
        paragraph.add_run(name_of(meeting, utterance)).bold = True
        paragraph.add_run(f" ({start} – {end}) ").italic = True
        paragraph.add_run(words_of(utterance))
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()

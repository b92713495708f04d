"""Word document: the same content as the Markdown, with marks set as superscript."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from grga.exports.answers.sheet import Evidence, Recorded, Section, sheet
from grga.exports.lines import one_line

if TYPE_CHECKING:
    from grga.history import Asked


def export(asked: Asked, meetings: Mapping[str, Recorded]) -> bytes:
    """Return the bytes of a .docx file."""
    from docx import Document

    content = sheet(asked, meetings)
    document = Document()
    properties = document.core_properties
    properties.title, properties.author = one_line(content.question)[:255], ""
    properties.created = properties.modified = asked.created.replace(tzinfo=None)
    document.add_heading(one_line(content.question), level=1)
    document.add_paragraph(one_line(content.asked))
    for section in content.sections:
        _section(document, section)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _section(document: Any, section: Section) -> None:
    document.add_heading(one_line(section.title), level=2)
    for text, numbers in section.sentences:
        paragraph = document.add_paragraph(one_line(text))
        if numbers:
            paragraph.add_run(" ")
            paragraph.add_run("".join(f"[{number}]" for number in numbers)).font.superscript = True
    for note in section.notes:
        document.add_paragraph().add_run(f"{one_line(note)}.").italic = True
    if section.evidence:
        document.add_heading("Evidence", level=3)
    for evidence in section.evidence:
        _line(document, evidence)


def _line(document: Any, evidence: Evidence) -> None:
    paragraph = document.add_paragraph(f"[{evidence.number}] ")
    paragraph.add_run(one_line(evidence.speaker)).bold = True
    paragraph.add_run(f" ({evidence.clocks}) ").italic = True
    paragraph.add_run(f"“{one_line(evidence.text)}”")

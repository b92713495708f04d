"""Plain text: ``[00:00:01.000 - 00:00:04.000] Name: words``."""

from __future__ import annotations

from grga.exports.lines import clocks, name_of, speaker_line, words_of
from grga.types import Meeting


def export(meeting: Meeting) -> str:
    """Return one line for each utterance."""
    lines = []
    for utterance in meeting.utterances:
        start, end = clocks(utterance)
        lines.append(f"[{start} - {end}] {speaker_line(name_of(meeting, utterance), words_of(utterance))}\n")
    return "".join(lines)

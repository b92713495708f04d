"""Plain text: ``[00:01:02] Name: words``, ``00:01:02 - 00:01:05 Name: words`` or ``Name: words``.

Text with neither times nor names is read only when asked for, or as the words to an RTTM file.
"""

from __future__ import annotations

import re

from grga.speech.transcripts.clock import TIME, ClockError, parse_clock
from grga.speech.transcripts.labels import labelled, split_label
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source

_STAMP = re.compile(
    rf"\s*[\[(]?(?P<start>{TIME})(?:\s*(?:-->|[-–—])\s*(?P<end>{TIME}))?[\])]?[:,]?\s+(?P<text>\S.*)$"
)


def _matches(source: Source) -> bool:
    """Return whether at least half of the lines begin with a clock time or a name and a colon."""
    if source.document is not None or source.suffix in (".json", ".jsonl"):
        return False
    lines = [line.strip() for line in source.lines if line.strip()][:200]
    marked = sum(_stamp(line) is not None or split_label(line)[0] is not None for line in lines)
    return bool(lines) and marked * 2 >= len(lines)


def _stamp(line: str) -> re.Match[str] | None:
    match = _STAMP.match(line)
    return match if match is not None and ":" in match["start"] else None


def _read(source: Source, notes: Notes) -> Parsed:
    turns = []
    for line_number, line in enumerate(source.lines, start=1):
        if line.strip():
            turns.append(_turn(line.strip(), line_number, notes))
    return Parsed(labelled(turns))


def _turn(line: str, line_number: int, notes: Notes) -> Turn:
    match = _stamp(line)
    if match is None:
        return Turn(None, None, None, line, line=line_number)
    try:
        start = parse_clock(match["start"])
        end = parse_clock(match["end"]) if match["end"] else None
    except ClockError as error:
        notes.add(f"{error}; the line is read without a time", line_number, "lines with unreadable times")
        return Turn(None, None, None, match["text"], line=line_number)
    return Turn(None, start, end, match["text"], line=line_number)


FORMAT = Format("plain text", (".txt", ".md", ".text"), _matches, _read)

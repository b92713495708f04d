"""Plain text: ``[00:01:02] Name: words``, ``00:01:02 - 00:01:05 Name: words`` or ``Name: words``.

Lines with neither name nor time belong to the turn above. A name and a time may also stand on a line of
their own, the words below it. Text with neither times nor names is read only when asked for, or as the words to an RTTM file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grga.speech.transcripts.clock import TIME, ClockError, parse_clock
from grga.speech.transcripts.labels import labelled, split_label
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source

_STAMP = re.compile(
    rf"\s*[\[(]?(?P<start>{TIME})(?:\s*(?:-->|[-–—])\s*(?P<end>{TIME}))?[\])]?[:,]?\s+(?P<text>\S.*)$"
)

_HEADER = re.compile(
    r"(?P<label>[^\W\d_][^:]{0,39}?),?\s+[\[(]?(?P<start>\d+(?::\d\d){1,2}(?:[.,]\d+)?)[\])]?$"
)


def _matches(source: Source) -> bool:
    """Return whether every third line has a clock time or a name where a turn begins."""
    if source.document is not None or source.suffix in (".json", ".jsonl"):
        return False
    lines = [line.strip() for line in source.lines if line.strip()][:200]
    marked = sum(bool(_stamp(line) or _HEADER.match(line) or split_label(line)[0]) for line in lines)
    return marked > 0 and marked * 3 >= len(lines)


def _stamp(line: str) -> re.Match[str] | None:
    match = _STAMP.match(line)
    return match if match is not None and ":" in match["start"] else None


def _read(source: Source, notes: Notes) -> Parsed:
    lines = [(number, line.strip()) for number, line in enumerate(source.lines, start=1) if line.strip()]
    if sum(_HEADER.match(line) is not None for _, line in lines) > 1:
        return Parsed(_joined([_headed(line, number) for number, line in lines], notes))
    turns = labelled([_turn(line, number, notes) for number, line in lines])
    return Parsed(_joined(turns, notes) if any(_begins(turn) for turn in turns) else turns)


def _turn(line: str, number: int, notes: Notes) -> Turn:
    match = _stamp(line)
    if match is None:
        return Turn(None, None, None, line, line=number)
    try:
        start = parse_clock(match["start"])
        end = parse_clock(match["end"]) if match["end"] else None
    except ClockError as error:
        notes.add(f"{error}; the line is read without a time", number, "lines with unreadable times")
        return Turn(None, None, None, match["text"], line=number)
    return Turn(None, start, end, match["text"], line=number)


def _headed(line: str, number: int) -> Turn:
    """Return an empty turn for a line with a name and a time; its words follow on lines of their own."""
    match = _HEADER.match(line)
    if match is None:
        return Turn(None, None, None, line, line=number)
    return Turn(match["label"], parse_clock(match["start"]), None, "", line=number)


def _begins(turn: Turn) -> bool:
    return turn.label is not None or turn.start is not None


def _joined(turns: Sequence[Turn], notes: Notes) -> list[Turn]:
    """Return the turns, each with the lines that follow it and have neither name nor time."""
    joined: list[Turn] = []
    for turn in turns:
        if _begins(turn):
            joined.append(turn)
        elif joined:
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text} {turn.text}".strip())
        else:
            notes.add("text before the first turn was skipped", turn.line)
    return joined


FORMAT = Format("plain text", (".txt", ".md", ".text"), _matches, _read)

"""NIST STM: one turn a line, ``file channel speaker start end [<label>] words``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.recordings import chosen_recording
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import number

_LINE = re.compile(
    r"\s*(?P<file>\S+)\s+\S+\s+(?P<speaker>\S+)\s+(?P<start>\S+)\s+(?P<end>\S+)"
    r"(?:\s+(?P<label><[^<>\s]*,[^<>\s]*>))?(?:\s+(?P<text>.*))?$"
)
_UNSCORED = frozenset({"ignore_time_segment_in_scoring", "inter_segment_gap"})


def _rows(source: Source) -> Iterator[tuple[int, re.Match[str] | None]]:
    for line_number, line in enumerate(source.lines, start=1):
        if line.strip() and not line.lstrip().startswith((";;", "#")):
            yield line_number, _LINE.match(line)


def _is_turn(row: re.Match[str] | None) -> bool:
    return row is not None and number(row["start"]) is not None and number(row["end"]) is not None


def _matches(source: Source) -> bool:
    fitting = [_is_turn(row) for _, row in list(_rows(source))[:20]]
    return bool(fitting) and sum(fitting) * 2 >= len(fitting)


def _read(source: Source, notes: Notes) -> Parsed:
    rows = list(_rows(source))
    recording = chosen_recording((row["file"] for _, row in rows if row), source, notes)
    turns = []
    for line, row in rows:
        if row is None or not _is_turn(row):
            notes.add(
                "expected file, channel, speaker, start, end, words; the line was skipped",
                line,
                "lines that are no turns were skipped",
            )
        elif row["file"] == recording:
            text = (row["text"] or "").strip()
            if _UNSCORED & {row["speaker"].lower(), text.lower()}:
                notes.add(
                    "a stretch that is not transcribed was skipped",
                    line,
                    "stretches that are not transcribed were skipped",
                )
                continue
            turns.append(Turn(row["speaker"], number(row["start"]), number(row["end"]), text, line=line))
    return Parsed(turns, title=recording or None)


FORMAT = Format("STM", (".stm",), _matches, _read)

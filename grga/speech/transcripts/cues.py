"""The cues that SRT and WebVTT share: a timing line, then lines of text.

Written by hand on purpose: webvtt-py and pysrt neither say on which line something was wrong nor
keep the words of a cue with a blank line in it, and an import report needs both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grga.errors import TranscriptError
from grga.speech.transcripts.clock import ClockError, parse_clock
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source

_TIMING = re.compile(r"\s*(?P<start>\d+:\S+)\s*-->\s*(?P<end>\d+:\S+)(?:\s.*)?$")
_BLOCK = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")


@dataclass(slots=True)
class Cue:
    """One cue: seconds, the line of its timing and its text lines (blank ones too, while reading)."""

    start: float
    end: float
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text lines as one."""
        return " ".join(line.strip() for line in self.lines if line.strip())


def is_timing(line: str) -> bool:
    """Return whether this is a timing line, sound or damaged."""
    return _TIMING.match(line) is not None


def read_cues(source: Source, notes: Notes, *, web: bool) -> list[Cue]:
    """Return the cues in file order.

    Args:
        source: The file.
        notes: Is told of skipped cues and of blank lines inside a cue.
        web: WebVTT rules: identifiers may be any text, NOTE, STYLE and REGION blocks are no text.

    Raises:
        TranscriptError: a time with four parts, which could mean anything.
    """
    cues: list[Cue] = []
    current: Cue | None = None
    for number, line, in_block in _numbered(source.lines, web):
        match = _TIMING.match(line)
        if match is None:
            if current is not None and not in_block:
                current.lines.append(line)
            continue
        if current is not None:
            _drop_identifier(current, web)
        current = _cue(match, number, source, notes)
        if current is not None:
            cues.append(current)
    for cue in cues:
        if "" in (line.strip() for line in _trimmed(cue.lines)):
            notes.add(
                "a blank line inside the text was joined", cue.line, "blank lines inside a text were joined"
            )
    return cues


def _numbered(lines: list[str], web: bool) -> Iterator[tuple[int, str, bool]]:
    in_block, after_blank = False, True
    for number, line in enumerate(lines, start=1):
        blank = not line.strip()
        if blank:
            in_block = False
        elif web and after_blank and _BLOCK.match(line):
            in_block = True
        yield number, line, in_block
        after_blank = blank


def _cue(match: re.Match[str], number: int, source: Source, notes: Notes) -> Cue | None:
    if max(match["start"].count(":"), match["end"].count(":")) > 2:
        raise TranscriptError(
            f"{source.path.name}, line {number}: a time has four parts",
            found=match[0].strip(),
            expected="h:mm:ss or mm:ss",
            fix="correct the times of this file",
        )
    try:
        return Cue(parse_clock(match["start"]), parse_clock(match["end"]), number)
    except ClockError as error:
        notes.add(f"{error}; the cue was skipped", number, "cues with unreadable times were skipped")
        return None


def _drop_identifier(cue: Cue, web: bool) -> None:
    """Take the next cue's number (or WebVTT identifier) off the end of this cue's lines."""
    if not cue.lines or not cue.lines[-1].strip():
        return
    alone = len(cue.lines) > 1 and not cue.lines[-2].strip()
    if cue.lines[-1].strip().isdigit() or (web and alone):
        cue.lines.pop()


def _trimmed(lines: list[str]) -> list[str]:
    last = max((i for i, line in enumerate(lines) if line.strip()), default=-1)
    return lines[: last + 1]

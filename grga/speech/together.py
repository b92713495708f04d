"""When two people talk at once, as segments that may overlap say it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from grga.types import TimeSpan


class Turn(Protocol):
    """Somebody talking: a segment of diarization, or an utterance of a transcript."""

    @property
    def speaker(self) -> str:
        """Who."""

    @property
    def span(self) -> TimeSpan:
        """When, in seconds."""


class Together:
    """Finds who else talks while somebody does.

    Only time inside two turns of different people counts, so turns that merely meet, however roughly
    their boundary was found, are never said to overlap. Building looks at each turn once, at those that
    still run when it begins, and keeps the stretches in order.
    """

    def __init__(self, turns: Iterable[Turn]) -> None:
        running: list[Turn] = []
        self._stretches: list[tuple[TimeSpan, str, str]] = []
        for turn in sorted(turns, key=lambda one: (one.span, one.speaker)):
            running = [one for one in running if one.span.end > turn.span.start]
            for one in running:
                if one.speaker != turn.speaker and one.span.overlap(turn.span) > 0:
                    both = TimeSpan(turn.span.start, min(one.span.end, turn.span.end))
                    self._stretches.append((both, one.speaker, turn.speaker))
            running.append(turn)
        self._begins = [stretch[0].start for stretch in self._stretches]
        self._longest = max((stretch[0].duration for stretch in self._stretches), default=0.0)

    def during(self, speaker: str, span: TimeSpan) -> dict[str, list[TimeSpan]]:
        """Return who talks at the same time as ``speaker`` inside ``span``, and when, in seconds."""
        found: dict[str, list[TimeSpan]] = defaultdict(list)
        first = bisect_left(self._begins, span.start - self._longest)
        last = bisect_left(self._begins, span.end)
        for both, one, other in self._stretches[first:last]:
            if speaker in (one, other) and both.overlap(span) > 0:
                inside = TimeSpan(max(both.start, span.start), min(both.end, span.end))
                found[other if speaker == one else one].append(inside)
        return dict(found)


def covered(span: TimeSpan, parts: Sequence[TimeSpan]) -> float:
    """Return the seconds of ``span`` inside the union of ``parts``."""
    total, reached = 0.0, span.start
    for part in sorted(parts):
        start, end = max(reached, part.start), min(span.end, part.end)
        if end > start:
            total += end - start
            reached = end
    return total

"""Who cuts in on whom: by the times of two turns, or by a turn that breaks off where the next one starts.

A transcript that gives one speaker to every moment has no overlaps; what remains of an interruption is a
sentence without an end, and another voice at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grga.agent.policies.offline.relevance import says_something
from grga.types import Utterance

OVERLAP = 0.2
"""Seconds by which a start must precede another's end to be talking over it."""
AT_ONCE = 0.3
"""Most seconds between a turn that breaks off and the one that cuts it off."""
PUNCTUATED = 0.5
"""Least share of turns with a closing mark; without, a missing one tells nothing."""
EARLIER = 12
"""Turns looked back at."""
_CLOSED = re.compile(r"(?<!\.\.)[.!?。！？][\"'”’)\s]*$")


@dataclass(frozen=True, slots=True)
class Cut:
    """``by`` starts ``seconds`` after ``on`` breaks off; negative seconds: while it is still going on."""

    by: Utterance
    on: Utterance
    seconds: float


def find_cuts(heard: Sequence[Utterance]) -> list[Cut]:
    """Return the interruptions among utterances in order of time."""
    closed = sum(_CLOSED.search(one.text) is not None for one in heard)
    punctuated = closed >= PUNCTUATED * len(heard)
    cuts = []
    for place, one in enumerate(heard):
        if not says_something(one):
            continue
        earlier = [
            other
            for other in heard[max(0, place - EARLIER) : place]
            if other.speaker != one.speaker and says_something(other)
        ]
        over = [other for other in earlier if other.start < one.start < other.end - OVERLAP]
        last = heard[place - 1] if place else None
        if over:
            cuts.append(Cut(one, over[-1], one.start - over[-1].end))
        elif punctuated and last in earlier and last is not None and _breaks_off(last, one):
            cuts.append(Cut(one, last, max(0.0, one.start - last.end)))
    return cuts


def _breaks_off(last: Utterance, one: Utterance) -> bool:
    return abs(one.start - last.end) <= AT_ONCE and _CLOSED.search(last.text) is None

"""The pieces of the sentences that a history is made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grga.scopes import clock
from grga.types import Utterance

_LONGEST = 60


def quoted(text: str) -> str:
    """Return ``"text"``, shortened in the middle when it is long."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST * 2 // 3].rstrip()} … {text[-_LONGEST // 4 :].lstrip()}"
    return f'"{text}"'


def changed_words(before: str, after: str) -> tuple[str, str]:
    """Return the stretches in which two texts differ, in whole words where there are spaces."""
    old, new = before.split(), after.split()
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    was, now = old[head : len(old) - tail], new[head : len(new) - tail]
    if not was or not now:  # only added or only removed: a neighbour shows where
        head, tail = (head - 1, tail) if head else (head, max(0, tail - 1))
        was, now = old[head : len(old) - tail], new[head : len(new) - tail]
    return " ".join(was), " ".join(now)


def lines_at(lines: Sequence[Utterance]) -> str:
    """Return ``Line 12 (0:34)`` or ``Lines 3, 5–9 (0:12)``: numbers, and when the first begins."""
    ids = [line.id for line in lines]
    runs: list[list[int]] = [[ids[0], ids[0]]]
    for before, after in pairwise(ids):
        if after == before + 1:
            runs[-1][1] = after
        else:
            runs.append([after, after])
    numbers = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)
    return f"Line{'' if len(ids) == 1 else 's'} {numbers} ({clock(lines[0].start)})"


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words at the beginning are the same."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count

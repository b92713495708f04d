"""How well two sets of marked stretches of time agree."""

from __future__ import annotations

from collections.abc import Iterable

from grga.types import TimeSpan

MIN_IOU = 0.9
"""Evidence agrees only above this (paper, section 3.1)."""


def merged(spans: Iterable[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Return the same moments as spans that are in order and do not touch."""
    result: list[TimeSpan] = []
    for span in sorted(spans):
        if result and span.start <= result[-1].end:
            result[-1] = TimeSpan(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return tuple(result)


def temporal_iou(first: Iterable[TimeSpan], second: Iterable[TimeSpan]) -> float:
    """Return the seconds in both sets over the seconds in either, in 0..1.

    A set counts every moment once, however many of its spans hold it. Two sets of the same moments
    give 1.0, also when both are empty or have no length.
    """
    ours, theirs = merged(first), merged(second)
    if ours == theirs:
        return 1.0
    shared = sum(one.overlap(other) for one in ours for other in theirs)
    union = sum(span.duration for span in (*ours, *theirs)) - shared
    return min(1.0, shared / union) if union > 0 else 0.0


def agree(iou: float) -> bool:
    """Return whether spans with this IoU count as the same evidence."""
    return iou > MIN_IOU

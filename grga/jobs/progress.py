"""Writing progress down, at most once per percent, with an estimate of the time left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SKIPPED_SECONDS = 0.5
"""A stage faster than this was finished before, or costs nothing."""
SURE_SECONDS, SURE_PERCENT = 3.0, 3.0
"""An estimate of the time left needs at least this much to go by."""


class Reporter:
    """Called with the present stage and the finished share 0..1 of the whole.

    Stages that an earlier run has finished fly by; the estimate counts from after them.

    Args:
        write: Takes the columns ``stage``, ``percent`` and ``seconds_left``.
        clock: Seconds that only ever grow.
    """

    def __init__(self, write: Callable[..., Any], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._last = ("", -1.0)
        self._stage_began = self._began = clock()
        self._first = 0.0

    def __call__(self, stage: str, share: float) -> None:
        """Take note; write only what people would see."""
        now, percent = self._clock(), max(100.0 * min(share, 1.0), self._last[1])
        if stage != self._last[0]:
            if now - self._stage_began < SKIPPED_SECONDS:
                self._began, self._first = now, percent
            self._stage_began = now
        elif percent - self._last[1] < 1.0:
            return
        self._last = (stage, percent)
        elapsed, done = now - self._began, percent - self._first
        sure = elapsed >= SURE_SECONDS and done >= SURE_PERCENT
        left = elapsed * (100.0 - percent) / done if sure else None
        self._write(stage=stage, percent=percent, seconds_left=left)

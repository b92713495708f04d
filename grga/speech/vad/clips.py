"""From speech probabilities to speech spans, and from spans to clips for speech recognition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from grga.types import TimeSpan

HOLD = 0.05
MIN_SPEECH = 0.1


def spans_above(
    probabilities: npt.NDArray[np.float32],
    frame: float,
    *,
    threshold: float,
    min_silence: float,
    pad: float,
    duration: float,
) -> list[TimeSpan]:
    """Return the spans of speech.

    Speech begins where a probability reaches ``threshold`` and lasts until the probabilities stay
    under 0.05 (or half the threshold) for ``min_silence`` seconds: a begun utterance is held through
    its quiet syllables. Spans under 0.1 s are dropped, the others grow by ``pad`` on both sides,
    sharing a gap that is too short for both.

    Args:
        probabilities: One per frame, 0..1.
        frame: Seconds per frame.
        threshold: See above.
        min_silence: Seconds.
        pad: Seconds.
        duration: Length of the recording; nothing reaches beyond it.
    """
    begin = probabilities >= threshold
    keep = probabilities >= min(HOLD, threshold / 2)
    spans: list[TimeSpan] = []
    start: int | None = None
    last = 0
    patience = max(1, round(min_silence / frame))
    for index in np.flatnonzero(keep):
        if start is not None and index - last > patience:
            spans.append(TimeSpan(start * frame, (last + 1) * frame))
            start = None
        if start is None:
            start = int(index) if begin[index] else None
        last = int(index)
    if start is not None:
        spans.append(TimeSpan(start * frame, (last + 1) * frame))
    return padded([span for span in spans if span.duration >= MIN_SPEECH], pad, duration)


def pack(spans: Sequence[TimeSpan], max_clip: float) -> list[TimeSpan]:
    """Cover ``spans`` (in time order) with as few clips of at most ``max_clip`` seconds as needed.

    A clip costs the recogniser the same whatever its length, so neighbours share one, with the
    silence between them. A span longer than ``max_clip`` is cut into equal parts.
    """
    clips: list[TimeSpan] = []
    for span in spans:
        for piece in _cut(span, max_clip):
            if clips and piece.end - clips[-1].start <= max_clip:
                clips[-1] = TimeSpan(clips[-1].start, piece.end)
            else:
                clips.append(piece)
    return clips


def _cut(span: TimeSpan, max_clip: float) -> list[TimeSpan]:
    parts = max(1, int(np.ceil(span.duration / max_clip - 1e-9)))
    edges = np.linspace(span.start, span.end, parts + 1)
    return [TimeSpan(float(a), float(b)) for a, b in pairwise(edges)]


def padded(spans: Sequence[TimeSpan], pad: float, duration: float) -> list[TimeSpan]:
    """Grow spans (in time order) by ``pad`` seconds on both sides, never beyond 0 and ``duration``.

    Neighbours share a gap that is too short for both.
    """
    grown = []
    for index, span in enumerate(spans):
        before = span.start - spans[index - 1].end if index else 2 * pad + span.start
        after = spans[index + 1].start - span.end if index + 1 < len(spans) else 2 * pad
        start = max(0.0, span.start - min(pad, before / 2))
        end = min(duration, span.end + min(pad, after / 2))
        if end > start:
            grown.append(TimeSpan(start, end))
    return grown

"""Cut a meeting into stretches about one topic each.

At every utterance the words and vectors of the stretch before are compared with those of the stretch
after (TextTiling's idea, Hearst 1997); the deepest dips in similarity become boundaries. Sums are taken
from running totals, so time grows linearly with the meeting.

The defaults were chosen on 30 meetings of QMSum against the limits of its annotated topics: Pk 0.40, where
cutting into as many equal parts has 0.58.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from grga.graph.prepared import Prepared
from grga.types import TimeSpan, Utterance

Array = npt.NDArray[np.float64]

_HASHED = 256
_KEYWORDS = 6


class Topic(NamedTuple):
    """Utterances ``first``..``last`` (ids, both included), their time, and their most typical words."""

    first: int
    last: int
    span: TimeSpan
    keywords: tuple[str, ...]


def find_topics(
    utterances: Sequence[Utterance],
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    window: float = 180.0,
    shortest: float = 60.0,
    depth: float = 1.0,
) -> tuple[Topic, ...]:
    """Return the topics in order; together they cover every utterance once.

    Args:
        utterances: In time order.
        vectors: Their unit vectors (n, d); without them words alone decide.
        window: Seconds compared on either side of a possible boundary; at most a fifth of the meeting.
        shortest: No topic is shorter than this many seconds (unless the meeting is).
        depth: A dip becomes a boundary when it is this many standard deviations deeper than the mean dip.
    """
    if not utterances:
        return ()
    prepared = Prepared(utterances, vectors)
    starts = np.array([utterance.start for utterance in utterances])
    similarity = _similarity(prepared, starts, min(window, (starts[-1] - starts[0]) / 5))
    borders = [0, *_boundaries(_depths(similarity), starts, shortest, depth), len(utterances)]
    return tuple(_topic(prepared, first, end - 1) for first, end in pairwise(borders))


def _similarity(prepared: Prepared, starts: Array, window: float) -> Array:
    """Return at each utterance the cosine of what was said before it with what follows, shape (n,)."""
    features = _features(prepared)
    totals = np.vstack([np.zeros(features.shape[1]), np.cumsum(features, axis=0)])
    here = np.arange(len(starts))
    left = totals[here] - totals[np.searchsorted(starts, starts - window)]
    right = totals[np.searchsorted(starts, starts + window)] - totals[here]
    sizes = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosine: Array = np.einsum("ij,ij->i", left, right) / np.maximum(sizes, 1e-9)
    return cosine


def _features(prepared: Prepared) -> Array:
    """Return a row per utterance: its rare words, hashed, beside its vector; backchannels are zero."""
    count = len(prepared.utterances)
    words = np.zeros((count, _HASHED))
    for row, terms in zip(words, prepared.terms, strict=True):
        for term in terms:
            code = zlib.crc32(term.encode())
            sign = 1.0 if code & 1 else -1.0
            row[(code >> 1) % _HASHED] += sign * math.log(1 + count / prepared.document_frequency[term])
    words /= np.maximum(np.linalg.norm(words, axis=1, keepdims=True), 1e-9)
    amount = np.array([[min(len(terms), 12) ** 0.5] for terms in prepared.terms])
    if prepared.vectors is None:
        weighted: Array = words * amount
        return weighted
    # Without the mean, an encoder's cosines are spread around zero like those of the words.
    meaning = prepared.vectors - prepared.vectors.mean(axis=0)
    meaning = meaning / np.maximum(np.linalg.norm(meaning, axis=1, keepdims=True), 1e-9)
    both: Array = np.hstack([words, meaning]) * amount
    return both


def _depths(similarity: Array) -> Array:
    """Return how far each dip lies below the highest points that can be reached uphill on both sides."""

    def climb(values: Array) -> Array:
        peak = values.copy()
        for index in range(1, len(values)):
            if values[index - 1] >= values[index]:
                peak[index] = peak[index - 1]
        return peak

    left, right = climb(similarity), climb(similarity[::-1])[::-1]
    return left + right - 2 * similarity


def _boundaries(depths: Array, starts: Array, shortest: float, depth: float) -> list[int]:
    """Return the first utterances of new topics: the deepest dips that keep topics long enough."""
    least = float(depths.mean() + depth * depths.std())
    chosen: list[float] = [float(starts[0]), float(starts[-1])]
    found = []
    for index in np.argsort(-depths, kind="stable"):
        if depths[index] <= max(least, 1e-9):
            break
        place = int(np.searchsorted(chosen, starts[index]))
        near = chosen[max(0, place - 1) : place + 1]
        if all(abs(starts[index] - other) >= shortest for other in near):
            chosen.insert(place, float(starts[index]))
            found.append(int(index))
    return sorted(found)


def _topic(prepared: Prepared, first: int, last: int) -> Topic:
    inside = Counter(term for terms in prepared.terms[first : last + 1] for term in terms)
    total = len(prepared.utterances)
    length = last - first + 1

    def weight(term: str) -> float:
        elsewhere = prepared.document_frequency[term] - inside[term]
        share = (inside[term] / length + 1e-3) / (elsewhere / max(total - length, 1) + 1e-3)
        return inside[term] * math.log(max(share, 1e-9))

    typical = sorted((term for term in inside if weight(term) > 0), key=lambda term: (-weight(term), term))
    shown = {}
    for terms in prepared.terms[first : last + 1]:
        shown.update(terms)
    spoken = prepared.utterances[first : last + 1]
    span = TimeSpan(spoken[0].start, max(utterance.end for utterance in spoken))
    return Topic(first, last, span, tuple(shown[term] for term in typical[:_KEYWORDS]))

"""Combine keyword and dense scores on one scale."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grga.types import Hit

Scores = npt.NDArray[np.float32]

ALPHA = 0.6


def normalise(scores: Scores) -> Scores:
    """Return scores on 0..1: the median (what an unrelated utterance gets) is 0, the best is 1.

    Plain min-max would let one outlier at the bottom decide: e5's cosines lie in 0.75-0.93, so the least
    similar utterance would push everything unrelated to the middle of the scale. Keyword scores are zero
    for most utterances, so for them this is division by the best. All equal gives zeros.
    """
    if scores.size == 0:
        return scores.astype(np.float32)
    best = float(scores.max())
    floor = float(np.median(scores))
    if best <= floor:
        # More than half share the best score: fall back on the lowest, if there is a lower one.
        floor = float(scores.min())
    if best <= floor:
        return np.zeros(scores.shape, np.float32)
    scaled = (scores - np.float32(floor)) / np.float32(best - floor)
    clipped: Scores = np.clip(scaled, np.float32(0), np.float32(1))
    return clipped


def hybrid(bm25_scores: Scores, dense_scores: Scores, alpha: float = ALPHA) -> Scores:
    """Return ``alpha * dense + (1 - alpha) * keyword`` of the normalised scores, each in 0..1.

    Raises:
        ValueError: lengths differ, or ``alpha`` outside 0..1.
    """
    if bm25_scores.shape != dense_scores.shape:
        raise ValueError(f"{bm25_scores.shape[0]} keyword scores but {dense_scores.shape[0]} dense scores")
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha must lie in 0..1, got {alpha}")
    mixed = alpha * normalise(dense_scores) + (1.0 - alpha) * normalise(bm25_scores)
    return mixed.astype(np.float32)


def top(scores: Scores, k: int) -> list[Hit]:
    """Return the ``k`` best rows with a score above zero, best first; equal scores in row order."""
    if k < 1:
        return []
    order = np.argsort(-scores, kind="stable")[:k]
    return [Hit(int(row), float(scores[row])) for row in order if scores[row] > 0]

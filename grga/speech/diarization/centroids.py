"""Steps that every clustering shares: mean voices, merging, and moving windows to the nearest."""

from __future__ import annotations

import numpy as np

from grga.speech.diarization import Embeddings, Labels

ROUNDS = 5


def normalised(rows: Embeddings) -> Embeddings:
    """Return the rows at length one; a row of zeros stays."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0))


def centroids(voices: Embeddings, labels: Labels) -> Embeddings:
    """Return the mean voice, at length one, of each label 0..max."""
    sums = np.zeros((int(labels.max()) + 1, voices.shape[1]), dtype=np.float32)
    np.add.at(sums, labels, voices)
    return normalised(sums)


def renumbered(labels: Labels) -> Labels:
    """Number the labels 0, 1, … in order of first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    return order[inverse].astype(np.int64)


def merge_close(
    voices: Embeddings, labels: Labels, *, above: float, at_least: int, at_most: int | None
) -> Labels:
    """Merge the two closest speakers while they are closer than ``above`` or there are too many."""
    labels = renumbered(labels)
    while (count := int(labels.max()) + 1) > max(1, at_least):
        means = centroids(voices, labels)
        similarity = means @ means.T
        np.fill_diagonal(similarity, -2)
        first, second = np.unravel_index(int(similarity.argmax()), similarity.shape)
        if similarity[first, second] < above and (at_most is None or count <= at_most):
            break
        labels = renumbered(np.where(labels == second, first, labels))
    return labels


def settle(voices: Embeddings, labels: Labels) -> Labels:
    """Move each window to its nearest mean voice until nothing moves (at most five rounds).

    A speaker is never emptied: a round that would do so is not taken.
    """
    count = len(np.unique(labels))
    for _ in range(ROUNDS):
        moved = (voices @ centroids(voices, labels).T).argmax(axis=1)
        if len(np.unique(moved)) < count or (moved == labels).all():
            break
        labels = moved
    return renumbered(labels)

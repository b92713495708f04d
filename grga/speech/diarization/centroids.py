"""Steps that clusterings share: mean voices, moving windows to the nearest one, merging, counting."""

from __future__ import annotations

import numpy as np

from grga.speech.diarization import Embeddings, Labels

ROUNDS = 5
MOST_SPEAKERS = 20
MIN_WINDOWS = 8
MIN_SHARE = 0.03
ENOUGH_WINDOWS = 150


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


def limits(windows: int, min_speakers: int, max_speakers: int | None) -> tuple[int, int]:
    """Return the least and the most speakers that so many windows can be told apart as."""
    least = min(min_speakers, windows)
    return least, max(least, min(max_speakers or MOST_SPEAKERS, windows))


def distinct(voices: Embeddings, labels: Labels, same: float) -> bool:
    """Return whether the speakers can be told apart and are each heard enough.

    That is: no two mean voices as close as ``same``, and everybody in 3 % of the windows (at
    least 8, at most 150: a minute of speech is enough however long the meeting).
    """
    wanted = min(max(MIN_WINDOWS, MIN_SHARE * len(voices)), ENOUGH_WINDOWS)
    if np.bincount(labels).min() < wanted:
        return False
    means = centroids(voices, labels)
    similarity = means @ means.T
    np.fill_diagonal(similarity, -1)
    return bool(similarity.max() < same)


def spread(windows: int, most: int) -> Labels:
    """Return the numbers of at most ``most`` windows, evenly over time: for work that grows with the square."""
    return np.unique(np.linspace(0, windows - 1, most).round().astype(np.int64))


def completed(voices: Embeddings, chosen: Labels, groups: Labels) -> Labels:
    """Return labels of all windows, settled, when those of the ``chosen`` ones are known."""
    labels = (voices @ centroids(voices[chosen], groups).T).argmax(axis=1)
    labels[chosen] = groups
    return settle(voices, labels)


def merge_two(voices: Embeddings, labels: Labels) -> Labels:
    """Merge the two speakers whose union loses least: Ward's criterion on the mean voices."""
    sizes = np.bincount(labels).astype(np.float64)
    sums = np.zeros((len(sizes), voices.shape[1]), dtype=np.float32)
    np.add.at(sums, labels, voices)
    means = sums / sizes[:, None]
    squares = np.square(means).sum(axis=1)
    distance = squares[:, None] + squares[None] - 2 * means @ means.T
    loss = distance * (sizes[:, None] * sizes[None] / (sizes[:, None] + sizes[None]))
    np.fill_diagonal(loss, np.inf)
    first, second = np.unravel_index(int(loss.argmin()), loss.shape)
    return renumbered(np.where(labels == second, first, labels))

"""Agglomerative clustering with average linkage on cosine distance (scipy)."""

from __future__ import annotations

import numpy as np

from grga.speech.diarization import Embeddings, Labels
from grga.speech.diarization.centroids import renumbered, settle

LIMIT = 3000


def cluster(voices: Embeddings, *, eta: float, min_speakers: int, max_speakers: int | None) -> Labels:
    """See :class:`grga.speech.diarization.Clustering`.

    The tree is cut where the mean cosine between two groups falls below ``eta``. Its memory grows
    with the square of the windows, so at most 3,000 spread over time build it; the rest join the
    nearest group.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    chosen = np.unique(np.linspace(0, len(voices) - 1, LIMIT).round().astype(int))
    if len(chosen) == 1:
        return np.zeros(len(voices), dtype=np.int64)
    tree = linkage(voices[chosen], method="average", metric="cosine")
    found = fcluster(tree, 1 - eta, criterion="distance")
    count = len(np.unique(found))
    wanted = min(max(count, min_speakers), max_speakers or len(chosen), len(chosen))
    if wanted != count:
        found = fcluster(tree, wanted, criterion="maxclust")
    groups = renumbered(found.astype(np.int64))
    labels = np.zeros(len(voices), dtype=np.int64)
    labels[chosen] = groups
    rest = np.setdiff1d(np.arange(len(voices)), chosen)
    if len(rest):
        means = np.stack([voices[chosen][groups == group].mean(axis=0) for group in range(groups.max() + 1)])
        labels[rest] = (voices[rest] @ means.T).argmax(axis=1)
    return settle(voices, labels)

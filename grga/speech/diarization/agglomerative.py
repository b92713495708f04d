"""Agglomerative clustering with Ward linkage (scipy), the count chosen as in the incremental one."""

from __future__ import annotations

import numpy as np

from grga.speech.diarization import Embeddings, Labels
from grga.speech.diarization.centroids import completed, distinct, limits, renumbered, spread

LIMIT = 3000


def cluster(
    voices: Embeddings, *, eta: float, same: float, min_speakers: int, max_speakers: int | None
) -> Labels:
    """See :class:`grga.speech.diarization.Clustering`.

    The tree is cut at the most speakers that are :func:`distinct`, inside the given limits. Its memory
    grows with the square of the windows, so at most 3,000 spread over time build it; the others join
    the nearest mean voice.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    least, most = limits(len(voices), min_speakers, max_speakers)
    chosen = spread(len(voices), LIMIT)
    if most == 1 or len(chosen) == 1:
        return np.zeros(len(voices), dtype=np.int64)
    tree = linkage(voices[chosen], method="ward")
    for count in range(most, least - 1, -1):
        groups = renumbered(fcluster(tree, count, criterion="maxclust").astype(np.int64))
        labels = completed(voices, chosen, groups)
        if count == least or distinct(voices, labels, same):
            return labels
    raise AssertionError("the loop ends with the least count")

"""Spectral clustering (scipy): windows that are each other's nearest hang together.

Each window is joined to its nearest 5 % of windows; the eigenvectors of the graph's normalised Laplacian
with the lowest eigenvalues spread the speakers apart (Ng, Jordan & Weiss 2001,
https://papers.nips.cc/paper/2092), where Ward's criterion groups them. The count is chosen as in the other
clusterings: by the largest gap between eigenvalues, as is usual, it was wrong more often
(docs/diarization.md).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grga.speech.diarization import Embeddings, Labels
from grga.speech.diarization.centroids import completed, distinct, limits, normalised, renumbered, spread

LIMIT = 1500
NEAREST_SHARE = 0.05
LEAST_NEAREST = 6


def cluster(
    voices: Embeddings, *, eta: float, same: float, min_speakers: int, max_speakers: int | None
) -> Labels:
    """See :class:`grga.speech.diarization.Clustering`; ``eta`` is not used.

    Its memory grows with the square of the windows, its time with the cube, so at most 1,500 spread over
    time are looked at; the others join the nearest mean voice.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    least, most = limits(len(voices), min_speakers, max_speakers)
    if most == 1:
        return np.zeros(len(voices), dtype=np.int64)
    chosen = spread(len(voices), LIMIT)
    coordinates = _eigenvectors(voices[chosen], most)
    for count in range(most, least - 1, -1):
        tree = linkage(normalised(coordinates[:, :count]), method="ward")
        groups = renumbered(fcluster(tree, count, criterion="maxclust").astype(np.int64))
        labels = completed(voices, chosen, groups)
        if count == least or distinct(voices, labels, same):
            return labels
    raise AssertionError("the loop ends with the least count")


def _eigenvectors(voices: Embeddings, count: int) -> npt.NDArray[np.float32]:
    """Return the ``count`` smoothest vectors on the graph of nearest windows, one column each."""
    from scipy.linalg import eigh
    from scipy.sparse.csgraph import laplacian

    similarity = voices @ voices.T
    np.fill_diagonal(similarity, -np.inf)
    nearest = min(max(LEAST_NEAREST, round(NEAREST_SHARE * len(voices))), len(voices) - 1)
    least = np.partition(similarity, -nearest, axis=1)[:, -nearest, None]
    joined = (similarity >= least).astype(np.float64)
    graph = (joined + joined.T) / 2
    _, vectors = eigh(laplacian(graph, normed=True), subset_by_index=[0, count - 1])
    return np.asarray(vectors, dtype=np.float32)

"""The paper's incremental clustering as it is written (3.2.1): one pass over the windows, in time order.

A window whose best cosine with the mean voices known so far is below η opens a new speaker. Fewer or more
speakers than the limits allow are mended by a higher η, and by merging.
"""

from __future__ import annotations

import numpy as np

from grga.speech.diarization import Embeddings, Labels
from grga.speech.diarization.centroids import limits, merge_two


def cluster(
    voices: Embeddings, *, eta: float, same: float, min_speakers: int, max_speakers: int | None
) -> Labels:
    """See :class:`grga.speech.diarization.Clustering`; ``same`` is not used."""
    least, most = limits(len(voices), min_speakers, max_speakers)
    labels = opened(voices, eta, least)
    while labels.max() + 1 > most:
        labels = merge_two(voices, labels)
    return labels


def opened(voices: Embeddings, eta: float, least: int) -> Labels:
    """Return the labels of one pass; ``eta`` is raised until there are ``least`` speakers."""
    labels = _one_pass(voices, eta)
    while labels.max() + 1 < least:
        eta += (1 - eta) / 4
        labels = _one_pass(voices, eta) if eta < 0.999 else np.arange(len(voices))
    return labels


def _one_pass(voices: Embeddings, eta: float) -> Labels:
    sums = np.zeros_like(voices)
    means = np.zeros_like(voices)
    labels = np.zeros(len(voices), dtype=np.int64)
    known = 0
    for index, voice in enumerate(voices):
        similarity = means[:known] @ voice
        best = int(similarity.argmax()) if known else -1
        if best < 0 or similarity[best] < eta:
            best = known
            known += 1
        sums[best] += voice
        means[best] = sums[best] / np.linalg.norm(sums[best])
        labels[index] = best
    return labels

"""Incremental cosine clustering (paper 3.2.1): a new speaker when nobody known is similar enough."""

from __future__ import annotations

import numpy as np

from grga.speech.diarization import Embeddings, Labels
from grga.speech.diarization.centroids import merge_close, normalised, settle

MERGE_MARGIN = 0.1
MIN_SHARE = 0.02


def cluster(voices: Embeddings, *, eta: float, min_speakers: int, max_speakers: int | None) -> Labels:
    """See :class:`grga.speech.diarization.Clustering`.

    One pass in time order opens speakers, those whose mean voices end up closer than
    ``eta + 0.1`` are merged, and every window then moves to its nearest mean voice.
    """
    labels = _one_pass(voices, eta)
    if max_speakers is None or max_speakers > 1:
        rising = eta
        while labels.max() + 1 < min(min_speakers, len(voices)) and rising < 0.99:
            rising += 0.05
            labels = _one_pass(voices, rising)
    labels = merge_close(
        voices, labels, above=eta + MERGE_MARGIN, at_least=min_speakers, at_most=max_speakers
    )
    return settle(voices, labels)


def _one_pass(voices: Embeddings, eta: float) -> Labels:
    sums: list[Embeddings] = []
    labels = np.zeros(len(voices), dtype=np.int64)
    for index, voice in enumerate(voices):
        similarity = normalised(np.stack(sums)) @ voice if sums else np.zeros(0)
        best = int(similarity.argmax()) if len(similarity) else -1
        if best >= 0 and similarity[best] >= eta:
            sums[best] = sums[best] + voice
        else:
            best = len(sums)
            sums.append(voice.copy())
        labels[index] = best
    return labels

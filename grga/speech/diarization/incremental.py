"""Incremental cosine clustering (paper 3.2.1), then merging of what was opened once too often.

One pass in time order compares each window with the mean voices known so far and opens a new speaker
when the best cosine is below η. With overlapping windows that opens several clusters per speaker, so
the closest are merged (Ward's criterion: near and small first) until all mean voices differ clearly.

Calibration for GE2E, chosen and measured on the same material, so optimistic: 30 conversations of 4 to
15 minutes made from nine LibriSpeech readers (one to six speakers, half of them equalised to one
long-term spectrum, most with room echo and noise, no overlap). Mean voices of two halves of one speaker
had a cosine of 0.87 to 1.0, of two speakers 0.5 to 0.86. With η = 0.72 and 0.84 for merging, speaker
confusion was 8 % of speech and the count exact in 73 %; agglomerative clustering told the true count had
7 %; merging by cosine alone, with no least share of windows, 12 % or more. In half-minute AMI clips the
two ranges overlap (0.78 to 0.95 and 0.63 to 0.94): confusion was 10 %, the count mostly too low.
"""

from __future__ import annotations

import numpy as np

from grga.speech.diarization import Embeddings, Labels
from grga.speech.diarization.centroids import distinct, limits, renumbered, settle


def cluster(
    voices: Embeddings, *, eta: float, same: float, min_speakers: int, max_speakers: int | None
) -> Labels:
    """See :class:`grga.speech.diarization.Clustering`.

    Merging ends at the most speakers that are :func:`distinct`, inside the given limits.
    """
    least, most = limits(len(voices), min_speakers, max_speakers)
    opening = eta
    labels = _one_pass(voices, opening)
    while labels.max() + 1 < least:
        opening += (1 - opening) / 4
        labels = _one_pass(voices, opening) if opening < 0.999 else np.arange(len(voices))
    while (count := int(labels.max()) + 1) > least:
        if count <= most:
            settled = settle(voices, labels)
            if distinct(voices, settled, same):
                return settled
        labels = _merge_two(voices, labels)
    return settle(voices, labels)


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


def _merge_two(voices: Embeddings, labels: Labels) -> Labels:
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

"""Windows over speech, and labelled windows back to segments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from grga.speech.diarization import Embeddings, Labels, SpeakerSegment
from grga.speech.diarization.centroids import centroids
from grga.types import TimeSpan

HOP = 0.4
CELL = 0.1
SWITCH_COST = 0.5


def cut_windows(speech: Sequence[TimeSpan], window: float, hop: float = HOP) -> list[TimeSpan]:
    """Return windows of ``window`` seconds about every ``hop`` seconds inside each span of speech.

    A span that is shorter than a window is one window of its own length.
    """
    windows: list[TimeSpan] = []
    for span in speech:
        if span.duration <= window:
            windows.append(span)
            continue
        count = int(np.ceil((span.duration - window) / hop)) + 1
        starts = np.linspace(span.start, span.end - window, count)
        windows += [TimeSpan(float(start), float(start) + window) for start in starts]
    return windows


def to_segments(
    speech: Sequence[TimeSpan], windows: Sequence[TimeSpan], voices: Embeddings, labels: Labels
) -> tuple[SpeakerSegment, ...]:
    """Cut ``speech`` where the speaker changes.

    Each 0.1 s cell takes the similarities of the windows around it, the nearer the more; the most
    likely sequence of speakers, with a price on every change (Viterbi), then gives the segments.
    """
    if not windows:
        return ()
    means = centroids(voices, labels)
    count = len(means)
    names = [f"S{number + 1}" for number in range(count)]
    similarity = voices @ means.T
    middles = np.array([window.middle for window in windows])
    found: list[SpeakerSegment] = []
    for span in speech:
        cells = max(1, round(span.duration / CELL))
        edges = np.linspace(span.start, span.end, cells + 1)
        times = (edges[:-1] + edges[1:]) / 2
        first, last = np.searchsorted(middles, [span.start, span.end])
        near = slice(first, max(last, first + 1))
        weights = np.exp(-0.5 * np.square((times[:, None] - middles[None, near]) / (2 * HOP)))
        weights /= weights.sum(axis=1, keepdims=True) + 1e-12
        scores = weights @ similarity[near]
        path = _cheapest_path(scores)
        for begin, end in _runs(path):
            speaker = int(path[begin])
            found.append(
                SpeakerSegment(
                    names[speaker],
                    TimeSpan(float(edges[begin]), float(edges[end])),
                    _confidence(scores[begin:end], speaker),
                    tuple(means[speaker].tolist()),
                )
            )
    return _in_order_of_appearance(found)


def _cheapest_path(scores: Embeddings) -> Labels:
    """Return the best label per row when each change of label costs ``SWITCH_COST``."""
    best = scores[0].astype(np.float64)
    back = np.zeros(scores.shape, dtype=np.int64)
    stay = np.arange(scores.shape[1])
    for index in range(1, len(scores)):
        leader = int(best.argmax())
        switch = best[leader] - SWITCH_COST > best
        back[index] = np.where(switch, leader, stay)
        best = np.where(switch, best[leader] - SWITCH_COST, best) + scores[index]
    path = np.zeros(len(scores), dtype=np.int64)
    path[-1] = best.argmax()
    for index in range(len(scores) - 1, 0, -1):
        path[index - 1] = back[index, path[index]]
    return path


def _runs(path: Labels) -> list[tuple[int, int]]:
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    return list(pairwise(edges))


def _confidence(scores: Embeddings, speaker: int) -> float | None:
    """Half the lead over the next speaker, plus a half: 0.5 is a tie."""
    if scores.shape[1] < 2:
        return None
    mean = scores.mean(axis=0)
    lead = float(mean[speaker] - np.delete(mean, speaker).max())
    return round(float(np.clip(0.5 + lead, 0, 1)), 3)


def _in_order_of_appearance(segments: Sequence[SpeakerSegment]) -> tuple[SpeakerSegment, ...]:
    """Rename so that the first voice heard is S1; a speaker that no segment is left of vanishes."""
    names: dict[str, str] = {}
    for segment in segments:
        names.setdefault(segment.speaker, f"S{len(names) + 1}")
    return tuple(SpeakerSegment(names[s.speaker], s.span, s.confidence, s.embedding) for s in segments)

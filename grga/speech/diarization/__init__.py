"""Who speaks when: speaker embeddings of windows, clustered, smoothed into segments.

Encoders and clusterings are named in the two tables below, one file each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grga import registry
from grga.audio import Waveform
from grga.types import TimeSpan

ENCODERS = {"ge2e": "grga.speech.diarization.ge2e:Ge2e"}
CLUSTERINGS = {
    "incremental": "grga.speech.diarization.incremental:cluster",
    "agglomerative": "grga.speech.diarization.agglomerative:cluster",
}

Embeddings = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SpeakerSegment:
    """One speaker talking without a break.

    Attributes:
        speaker: "S1", "S2", … in order of first appearance.
        span: Seconds.
        confidence: 0..1, how much closer the voice is to this speaker than to the next; None when
            no voice could be measured or there is nobody else.
        embedding: The speaker's mean voice (L2-normalised), the same for all their segments.
    """

    speaker: str
    span: TimeSpan
    confidence: float | None = None
    embedding: tuple[float, ...] = ()


class SpeakerEncoder(Protocol):
    """Turns spans of speech into voices that can be compared by cosine."""

    name: str
    window: float
    eta: float

    def embed(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> Embeddings:
        """Return one L2-normalised row per span; a row of zeros where no voice can be measured."""
        ...


class Clustering(Protocol):
    """Groups L2-normalised voices, given in time order."""

    def __call__(
        self, voices: Embeddings, *, eta: float, min_speakers: int, max_speakers: int | None
    ) -> Labels:
        """Return a speaker number from 0 for each row."""
        ...


def load_encoder(name: str = "ge2e") -> SpeakerEncoder:
    """Return the encoder called ``name``.

    Raises:
        ConfigError: unknown name.
        ModelError: weights that are missing or damaged.
    """
    encoder: SpeakerEncoder = registry.load("speaker encoder", name, ENCODERS)()
    return encoder


def diarize(
    waveform: Waveform,
    speech: Sequence[TimeSpan],
    *,
    encoder: SpeakerEncoder,
    clustering: str = "incremental",
    eta: float | None = None,
    min_speakers: int = 1,
    max_speakers: int | None = None,
) -> tuple[SpeakerSegment, ...]:
    """Return who speaks when inside ``speech``, in time order.

    Args:
        waveform: The recording.
        speech: Spans with speech, in time order, not overlapping.
        encoder: See :func:`load_encoder`.
        clustering: A name of ``CLUSTERINGS``.
        eta: Cosine below which a new speaker begins; None takes the encoder's own.
        min_speakers: At least so many, as far as there are windows to hear them in.
        max_speakers: At most so many.

    Raises:
        ConfigError: unknown clustering.
    """
    from grga.speech.diarization.segments import cut_windows, to_segments

    cluster: Clustering = registry.load("clustering", clustering, CLUSTERINGS)
    windows = cut_windows(speech, encoder.window)
    voices = encoder.embed(waveform, windows)
    heard = np.linalg.norm(voices, axis=1) > 0
    labels = np.zeros(len(windows), dtype=np.int64)
    if heard.any():
        labels[heard] = cluster(
            voices[heard],
            eta=encoder.eta if eta is None else eta,
            min_speakers=min_speakers,
            max_speakers=max_speakers,
        )
    return to_segments(speech, windows, voices, labels)

"""Who speaks when: speaker embeddings of windows, clustered, smoothed into segments.

Encoders and clusterings are named in the tables below, one file each; so are whole systems that bring
their own segmentation and hear two people at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grga import registry
from grga.audio import Waveform
from grga.errors import ConfigError, unknown_name
from grga.models import ModelSource
from grga.types import TimeSpan

DIARIZERS = {"pyannote": "grga.speech.diarization.pyannote:Pyannote"}
ENCODERS = {
    "ge2e": "grga.speech.diarization.ge2e:Ge2e",
    "eres2netv2": "grga.speech.diarization.funasr_voices:Eres2NetV2",
    "campplus": "grga.speech.diarization.funasr_voices:CamPlusPlus",
}
CLUSTERINGS = {
    "incremental": "grga.speech.diarization.incremental:cluster",
    "one-pass": "grga.speech.diarization.one_pass:cluster",
    "agglomerative": "grga.speech.diarization.agglomerative:cluster",
    "spectral": "grga.speech.diarization.spectral:cluster",
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
    """Turns spans of speech into voices that can be compared by cosine.

    Attributes:
        name: As in ``ENCODERS``.
        window: Seconds that it hears at once.
        eta: Cosine with every known mean voice below which a window is a new speaker's.
        same: Cosine from which two mean voices are one speaker's.
    """

    name: str
    window: float
    eta: float
    same: float

    def embed(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> Embeddings:
        """Return one L2-normalised row per span; a row of zeros where no voice can be measured."""
        ...


class Clustering(Protocol):
    """Groups L2-normalised voices, given in time order."""

    def __call__(
        self, voices: Embeddings, *, eta: float, same: float, min_speakers: int, max_speakers: int | None
    ) -> Labels:
        """Return a speaker number from 0 for each row, in order of first appearance.

        Args:
            voices: One row per window.
            eta: See :class:`SpeakerEncoder`.
            same: See :class:`SpeakerEncoder`.
            min_speakers: At least so many, as far as there are rows.
            max_speakers: At most so many; None for no wish.
        """
        ...


class Diarizer(Protocol):
    """Says who speaks when."""

    def diarize(
        self,
        waveform: Waveform,
        speech: Sequence[TimeSpan],
        *,
        min_speakers: int = 1,
        max_speakers: int | None = None,
    ) -> tuple[SpeakerSegment, ...]:
        """Return segments in order of start; those of different speakers may overlap.

        Args:
            waveform: The recording.
            speech: Where a detector heard speech, in time order, not overlapping. A system with a
                segmentation of its own may find other boundaries.
            min_speakers: At least so many, as far as they can be heard.
            max_speakers: At most so many.
        """
        ...


@dataclass(frozen=True)  # without slots: the shelf of shared models holds it weakly
class Clustered:
    """A :class:`Diarizer` of an encoder and a clustering: one speaker at a time. See :func:`diarize`."""

    encoder: SpeakerEncoder
    clustering: str = "incremental"
    eta: float | None = None

    def diarize(
        self,
        waveform: Waveform,
        speech: Sequence[TimeSpan],
        *,
        min_speakers: int = 1,
        max_speakers: int | None = None,
    ) -> tuple[SpeakerSegment, ...]:
        """See :class:`Diarizer`."""
        return diarize(
            waveform,
            speech,
            encoder=self.encoder,
            clustering=self.clustering,
            eta=self.eta,
            min_speakers=min_speakers,
            max_speakers=max_speakers,
        )


def load_diarizer(
    name: str = "ge2e",
    source: ModelSource = ModelSource(),
    *,
    clustering: str = "incremental",
    eta: float | None = None,
) -> Diarizer:
    """Return the system called ``name``: a whole one, or an encoder with a clustering behind it.

    Args:
        name: Of ``DIARIZERS`` or ``ENCODERS``.
        source: Where weights come from and run.
        clustering: A name of ``CLUSTERINGS``; a whole system has its own.
        eta: As for :func:`diarize`.

    Raises:
        ConfigError: unknown name.
        ModelError: weights or packages that are missing or damaged.
    """
    if name in DIARIZERS:
        system: Diarizer = registry.load("diarization", name, DIARIZERS)(source)
        return system
    if name not in ENCODERS:
        known = [*ENCODERS, *DIARIZERS]
        raise ConfigError(unknown_name("diarization", name, known), fix="choose one of these")
    registry.load("clustering", clustering, CLUSTERINGS)
    return Clustered(load_encoder(name, source), clustering, eta)


def load_encoder(name: str = "ge2e", source: ModelSource = ModelSource()) -> SpeakerEncoder:
    """Return the encoder called ``name``; ``source`` says where its weights come from and run.

    Raises:
        ConfigError: unknown name.
        ModelError: weights that are missing or damaged.
    """
    encoder: SpeakerEncoder = registry.load("speaker encoder", name, ENCODERS)(source)
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
        eta: Cosine below which a new speaker begins; None takes the encoder's own. What counts as the
            same speaker moves with it.
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
        opening = encoder.eta if eta is None else eta
        labels[heard] = cluster(
            voices[heard],
            eta=opening,
            same=encoder.same + opening - encoder.eta,
            min_speakers=min_speakers,
            max_speakers=max_speakers,
        )
    return to_segments(speech, windows, voices, labels)

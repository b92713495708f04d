"""What can be measured in the waveform of each utterance. Pitch backends are chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grga import registry
from grga.audio import Waveform
from grga.speech.together import Turn
from grga.types import TimeSpan, Utterance

PITCH_BACKENDS = {"swift_f0": "grga.speech.features.swift_f0:SwiftF0Pitch"}


class PitchTracker(Protocol):
    """Measures the fundamental frequency."""

    def voiced(self, waveform: Waveform, span: TimeSpan) -> npt.NDArray[np.float64]:
        """Return the F0 in Hz of the voiced frames inside ``span`` (empty when nothing is voiced)."""
        ...


def load_pitch(name: str = "swift_f0") -> PitchTracker | None:
    """Return the tracker called ``name``; "none" gives None: pitch is then not measured.

    Raises:
        ConfigError: unknown name.
    """
    if name == "none":
        return None
    tracker: PitchTracker = registry.load("pitch backend", name, {**PITCH_BACKENDS, "none": ""})()
    return tracker


def measure(
    utterances: Sequence[Utterance],
    waveform: Waveform,
    pitch_backend: str = "swift_f0",
    turns: Sequence[Turn] = (),
) -> tuple[Utterance, ...]:
    """Return the utterances with :class:`grga.types.Acoustics` filled in.

    Levels are those of the recording, without the gain that models get. z-scores and semitones are
    against the same speaker, and None for a speaker with fewer than three measured utterances.

    Args:
        utterances: In order of start time.
        waveform: The recording.
        pitch_backend: See :func:`load_pitch`.
        turns: The segments of diarization. Words come one after the other, so the utterances made of
            them do not overlap; where two people talk at once, only their segments tell.

    Raises:
        ConfigError: unknown pitch backend.
    """
    from grga.speech.features.measurements import measured

    return measured(utterances, waveform, load_pitch(pitch_backend), turns)

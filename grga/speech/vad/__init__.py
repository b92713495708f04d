"""Where somebody speaks: one backend per file, chosen by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from grga import registry
from grga.audio import Waveform
from grga.models import ModelSource
from grga.types import TimeSpan

BACKENDS = {
    "silero": "grga.speech.vad.silero:SileroVad",
    "fsmn": "grga.speech.vad.fsmn:FsmnVad",
}


@dataclass(frozen=True, slots=True)
class VadResult:
    """What a detector found, in time order.

    Attributes:
        clips: Stretches for speech recognition: neighbouring speech packed together, cut in silences.
        speech: Speech for diarization: finer, and found with the more generous ``threshold``.
        threshold: The probability above which a frame counts as speech, as given or as chosen.
    """

    clips: tuple[TimeSpan, ...]
    speech: tuple[TimeSpan, ...]
    threshold: float


class Vad(Protocol):
    """A voice activity detector."""

    def detect(
        self,
        waveform: Waveform,
        *,
        threshold: float | None = None,
        min_silence: float = 0.2,
        pad: float = 0.1,
        max_clip: float = 28.0,
    ) -> VadResult:
        """Find speech; times in seconds, ``threshold`` None chooses one from the recording's level."""
        ...


def load_vad(name: str = "silero", source: ModelSource = ModelSource()) -> Vad:
    """Return the detector called ``name``; ``source`` says where its weights come from and run.

    Raises:
        ConfigError: unknown name.
        ModelError: weights that are missing or damaged.
    """
    detector: Vad = registry.load("vad backend", name, BACKENDS)(source)
    return detector

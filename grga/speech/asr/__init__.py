"""Speech recognition: one backend per file, chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grga import registry
from grga.audio import Waveform
from grga.types import TimeSpan, Word

BACKENDS = {"whisper": "grga.speech.asr.whisper:Whisper"}


class Asr(Protocol):
    """A recogniser. Each clip is transcribed on its own, so that work can stop and resume anywhere."""

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """Return the ISO 639-1 code of the language spoken in ``clips``, None when there are none."""
        ...

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """Return the words of one clip with times from the start of the recording."""
        ...


def load_asr(name: str = "whisper", *, model: str = "base", beam_size: int = 1) -> Asr:
    """Return the recogniser called ``name`` with the weights called ``model``.

    Raises:
        ConfigError: unknown backend.
        ModelError: weights that are missing or damaged.
    """
    recogniser: Asr = registry.load("asr backend", name, BACKENDS)(model, beam_size=beam_size)
    return recogniser

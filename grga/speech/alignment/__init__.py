"""When each word begins and ends: one aligner per file, chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grga import registry
from grga.audio import Waveform
from grga.models import ModelSource
from grga.types import TimeSpan, Word

BACKENDS = {
    "ctc": "grga.speech.alignment.ctc:CtcAligner",
    "fa-zh": "grga.speech.alignment.fa_zh:MonotonicAligner",
    "mfa": "grga.speech.alignment.mfa:MontrealAligner",
    "pocketsphinx": "grga.speech.alignment.sphinx:SphinxAligner",
}


class Aligner(Protocol):
    """Measures the boundaries of words that are known already (paper 3.2.1)."""

    def align(
        self, waveform: Waveform, clip: TimeSpan, words: Sequence[Word], language: str | None
    ) -> tuple[Word, ...]:
        """Return the same words with measured boundaries inside ``clip``, in order, and a confidence.

        Args:
            waveform: The recording.
            clip: Where the words were recognised, seconds.
            words: In order; their own times may be estimates.
            language: ISO 639-1, None when unknown.
        """
        ...


def load_aligner(name: str, *, model: str | None = None, source: ModelSource = ModelSource()) -> Aligner:
    """Return the aligner called ``name``.

    Args:
        name: One of ``BACKENDS``.
        model: A name, path or hub id; None takes the backend's usual one for the language.
        source: Where weights come from and where they run.

    Raises:
        ConfigError: unknown name.
        ModelError: weights or a program that are missing or damaged.
    """
    aligner: Aligner = registry.load("aligner", name, BACKENDS)(model, source=source)
    return aligner

"""Speech recognition: one backend per file, chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grga import registry
from grga.audio import Waveform
from grga.models import ModelSource
from grga.types import TimeSpan, Word

BACKENDS = {
    "whisper": "grga.speech.asr.whisper:Whisper",
    "paraformer": "grga.speech.asr.paraformer:Paraformer",
    "sensevoice": "grga.speech.asr.sensevoice:SenseVoice",
    "firered": "grga.speech.asr.firered:FireRed",
}


class Asr(Protocol):
    """A recogniser. Each clip is transcribed on its own, so that work can stop and resume anywhere.

    Attributes:
        usual: The model that is taken when none is named; a class attribute, known without loading.
        word_times: Whether the boundaries of words are measured. If not, they are spread over the clip
            (:func:`spread`) until an aligner measures them.
    """

    usual: str
    word_times: bool

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """Return the ISO 639-1 code of the language spoken in ``clips``, None when there are none."""
        ...

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """Return the words of one clip with times from the start of the recording."""
        ...


def load_asr(
    name: str = "whisper",
    *,
    model: str | None = None,
    beam_size: int = 1,
    hints: Sequence[str] = (),
    source: ModelSource = ModelSource(),
) -> Asr:
    """Return the recogniser called ``name``.

    Args:
        name: One of ``BACKENDS``.
        model: A size, name, path or hub id; None takes the backend's usual one.
        beam_size: Candidates kept while decoding, for backends that search.
        hints: Names and product words of the meeting, for backends that can listen for them.
        source: Where weights come from and where they run.

    Raises:
        ConfigError: unknown backend.
        ModelError: weights that are missing or damaged.
    """
    backend = registry.load("asr backend", name, BACKENDS)
    recogniser: Asr = backend(model, beam_size=beam_size, hints=hints, source=source)
    return recogniser


def usual_model(name: str) -> str:
    """Return the model that the backend called ``name`` takes when none is named.

    Raises:
        ConfigError: unknown backend.
    """
    return str(registry.load("asr backend", name, BACKENDS).usual)


def spread(words: Sequence[str], clip: TimeSpan) -> tuple[Word, ...]:
    """Give each word a share of the clip by its length: an estimate, for backends without word times."""
    lengths = [max(1, len(word)) for word in words]
    total = sum(lengths)
    spans, done = [], 0
    for length in lengths:
        first, done = done, done + length
        spans.append(
            TimeSpan(
                round(clip.start + clip.duration * first / total, 3),
                round(clip.start + clip.duration * done / total, 3),
            )
        )
    return tuple(Word(text, span) for text, span in zip(words, spans, strict=True))

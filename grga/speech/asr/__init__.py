"""Speech recognition: one backend per file, chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grga import registry
from grga.audio import Waveform
from grga.errors import ConfigError
from grga.models import ModelSource
from grga.speech.asr.punctuation import Marked, Punctuation
from grga.speech.asr.units import spread
from grga.types import TimeSpan, Word

__all__ = ["BACKENDS", "Asr", "check_language", "load_asr", "spread", "usual_model", "writes_marks"]

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
        languages: The ISO 639-1 codes that it knows, None when its model decides; a class attribute.
        marks: Whether it writes the marks of sentences; a class attribute.
        word_times: Whether the boundaries of words are measured. If not, they are spread over the clip
            (:func:`spread`) until an aligner measures them.
    """

    usual: str
    languages: frozenset[str] | None
    marks: bool
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
    punctuation: str | None = None,
    source: ModelSource = ModelSource(),
) -> Asr:
    """Return the recogniser called ``name``.

    Args:
        name: One of ``BACKENDS``.
        model: A size, name, path or hub id; None takes the backend's usual one.
        beam_size: Candidates kept while decoding, for backends that search.
        hints: Names and product words of the meeting, for backends that can listen for them.
        punctuation: The model ("ct-punc", a path) that sets marks for a backend that writes none; None: no
            marks then.
        source: Where weights come from and where they run.

    Raises:
        ConfigError: unknown backend.
        ModelError: weights that are missing or damaged.
    """
    backend = registry.load("asr backend", name, BACKENDS)
    recogniser: Asr = backend(model, beam_size=beam_size, hints=tuple(hints), source=source)
    if punctuation is None or backend.marks:
        return recogniser
    return Marked(recogniser, Punctuation(punctuation, source=source))


def usual_model(name: str) -> str:
    """Return the model that the backend called ``name`` takes when none is named.

    Raises:
        ConfigError: unknown backend.
    """
    return str(registry.load("asr backend", name, BACKENDS).usual)


def writes_marks(name: str) -> bool:
    """Return whether the backend called ``name`` writes the marks of sentences.

    Raises:
        ConfigError: unknown backend.
    """
    return bool(registry.load("asr backend", name, BACKENDS).marks)


def check_language(name: str, language: str | None) -> None:
    """Refuse, before anything is loaded, a language that the backend called ``name`` does not know.

    Raises:
        ConfigError: unknown backend, or it does not know ``language``.
    """
    known: frozenset[str] | None = registry.load("asr backend", name, BACKENDS).languages
    if language is not None and known is not None and language not in known:
        raise ConfigError(
            f"the recogniser {name} does not know the language {language!r}",
            expected=" or ".join(sorted(known)),
            fix="choose another language or another recogniser (asr.backend)",
        )

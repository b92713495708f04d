"""Marks of sentences for recognisers that write none: CT-Transformer through FunASR.

Chen et al. 2020, https://arxiv.org/abs/2003.01309. It reads text only, never the sound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grga.audio import Waveform
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.asr.units import letters, split_units
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.types import TimeSpan, Word

if TYPE_CHECKING:
    from grga.speech.asr import Asr


class Punctuation:
    """Puts ，。？、 behind Han characters and , . ? behind English words."""

    usual = "ct-punc"

    def __init__(self, model: str | None = None, *, source: ModelSource = ModelSource()) -> None:
        self._model = load_funasr(locate(model or self.usual, source), torch_device(source.device))

    def mark(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Return the words of one clip with marks; their times stay."""
        if not words:
            return ()
        text = " ".join(word.text for word in words)
        [marked] = run_funasr(lambda: self._model.generate(input=text), "CT-Transformer")
        return marked_words(words, str(marked["text"]))


class Marked:
    """A recogniser whose words pass through :class:`Punctuation`; see :class:`grga.speech.asr.Asr`."""

    def __init__(self, recogniser: Asr, punctuation: Punctuation) -> None:
        self._recogniser, self._punctuation = recogniser, punctuation
        self.usual, self.languages = recogniser.usual, recogniser.languages
        self.word_times, self.marks = recogniser.word_times, True

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """As the recogniser does."""
        return self._recogniser.detect_language(waveform, clips)

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """As the recogniser does, with marks."""
        return self._punctuation.mark(self._recogniser.transcribe(waveform, clip, language))


def marked_words(words: Sequence[Word], marked: str) -> tuple[Word, ...]:
    """Return ``words`` written as in ``marked``: their letters are the same, marks and capitals are new.

    Words that the marks do not fit to, because another text came back, stay as they were.
    """
    units = split_units(marked)
    if [letters(unit) for unit in units] != [letters(word.text) for word in words]:
        return tuple(words)
    return tuple(
        Word(unit, word.span, word.confidence, word.speaker) for unit, word in zip(units, words, strict=True)
    )

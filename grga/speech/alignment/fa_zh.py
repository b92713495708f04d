"""FunASR's timestamp predictor for Mandarin: a monotonic aligner (Shi et al. 2023, https://arxiv.org/abs/2301.12343)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ConfigError
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.alignment.placing import Found, by_letters, placed
from grga.speech.alignment.spoken import spoken
from grga.speech.asr.units import split_units
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.types import TimeSpan, Word

LANGUAGE = "zh"
SHORTEST = 0.1
UNKNOWN = "<unk>"
_MARKS = re.compile(r"[^\w']|_")


class MonotonicAligner:
    """Characters one by one, English words inside Mandarin whole. It measures no confidence: words keep theirs."""

    usual = "fa-zh"

    def __init__(self, model: str | None = None, *, source: ModelSource = ModelSource()) -> None:
        self._model = load_funasr(locate(model or self.usual, source), torch_device(source.device))

    def align(
        self, waveform: Waveform, clip: TimeSpan, words: Sequence[Word], language: str | None
    ) -> tuple[Word, ...]:
        """See :class:`grga.speech.alignment.Aligner`.

        Raises:
            ConfigError: another language than Mandarin.
            ModelError: the model failed.
        """
        if language not in (None, LANGUAGE):
            raise ConfigError(f"the aligner fa-zh does not know the language {language!r}", expected=LANGUAGE)
        said = [spoken(word.text, LANGUAGE) for word in words]
        units = [unit for text in said for unit in split_units(_MARKS.sub(" ", text)) if self._knows(unit)]
        samples = waveform.levelled(clip)
        if not units or len(samples) < SHORTEST * SAMPLE_RATE or not samples.any():
            return placed(words, clip, [None] * len(words))
        # A text that is the name of a file would be read from that file; none begins with a blank.
        heard = run_funasr(
            lambda: self._model.generate(input=(samples, " " + " ".join(units)), data_type=("sound", "text")),
            "the aligner fa-zh",
        )
        as_said = [Word(text, word.span, word.confidence) for text, word in zip(said, words, strict=True)]
        return placed(words, clip, by_letters(as_said, _timed(heard, clip)))

    def _knows(self, unit: str) -> bool:
        # It leaves unknown tokens out of what it wrote but not out of the times: all later ones would be wrong.
        tokenizer = self._model.kwargs["tokenizer"]
        return UNKNOWN not in tokenizer.ids2tokens(tokenizer.encode(unit))


def _timed(heard: Sequence[dict[str, Any]], clip: TimeSpan) -> list[tuple[str, Found]]:
    """Return what it wrote, with times; nothing when it did not time everything (milliseconds)."""
    if not heard:
        return []
    units, stamps = heard[0].get("text", "").split(), heard[0].get("timestamp") or []
    if len(units) != len(stamps):
        return []
    return [
        (unit, Found(clip.start + begin / 1000, clip.start + end / 1000))
        for unit, (begin, end) in zip(units, stamps, strict=True)
    ]

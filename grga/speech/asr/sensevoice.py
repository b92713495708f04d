"""SenseVoice small through FunASR (An et al. 2024, https://arxiv.org/abs/2407.04051): five languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ConfigError, ModelError
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.asr.units import timed_words
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.speech.sensevoice_tags import LANGUAGES, read_tags
from grga.types import TimeSpan, Word

SHORTEST = 0.1
"""Seconds; its features need more than one window."""
DETECT_CLIPS = 4


class SenseVoice:
    """Greedy CTC; the times are those of its own CTC alignment, in steps of 60 ms. It takes no hints."""

    usual = "sensevoice"
    languages = frozenset(LANGUAGES)
    marks = True
    word_times = True

    def __init__(
        self,
        model: str | None = None,
        *,
        beam_size: int = 1,
        hints: Sequence[str] = (),
        source: ModelSource = ModelSource(),
    ) -> None:
        self._model = load_funasr(locate(model or self.usual, source), torch_device(source.device))

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """See :class:`grga.speech.asr.Asr`; each of up to four clips has one vote per millisecond."""
        votes: Counter[str] = Counter()
        chosen = np.unique(np.linspace(0, len(clips) - 1, DETECT_CLIPS).round().astype(int)) if clips else ()
        for index in chosen:
            if (
                language := read_tags(self._heard(waveform, clips[index], None)["text"]).language
            ) is not None:
                votes[language] += round(1000 * clips[index].duration)
        return votes.most_common(1)[0][0] if votes else None

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """See :class:`grga.speech.asr.Asr`.

        Raises:
            ConfigError: a language that it does not know.
        """
        if language is not None and language not in self.languages:
            expected = ", ".join(LANGUAGES)
            raise ConfigError(f"SenseVoice does not know the language {language!r}", expected=expected)
        return read_words(self._heard(waveform, clip, language), clip)

    def _heard(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> Mapping[str, Any]:
        samples = waveform.levelled(clip)
        if len(samples) < SHORTEST * SAMPLE_RATE or not samples.any():
            return {"text": ""}
        try:
            return self._written(samples, language or "auto", timed=True)
        except ModelError:
            # Its alignment stumbles over text that its tokenizer splits in another way.
            return self._written(samples, language or "auto", timed=False)

    def _written(self, samples: npt.NDArray[np.float32], language: str, *, timed: bool) -> Mapping[str, Any]:
        found: list[dict[str, Any]] = run_funasr(
            lambda: self._model.generate(
                input=samples, language=language, use_itn=True, output_timestamp=timed
            ),
            "SenseVoice",
        )
        return found[0]


def read_words(heard: Mapping[str, Any], clip: TimeSpan) -> tuple[Word, ...]:
    """Return the words of one of SenseVoice's results, without its tags.

    Args:
        heard: ``text`` with tags; ``words`` and ``timestamp`` (milliseconds) where it could align them.
        clip: Where it was heard, seconds.
    """
    return timed_words(
        read_tags(heard["text"]).text, heard.get("words") or (), heard.get("timestamp") or (), clip
    )

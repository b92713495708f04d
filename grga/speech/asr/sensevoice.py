"""SenseVoice small through FunASR (An et al. 2024, https://arxiv.org/abs/2407.04051): five languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from grga.audio import Samples, Waveform
from grga.errors import ModelError
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.asr import spread
from grga.speech.asr.units import split_units, timed_words
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.speech.sensevoice_tags import LANGUAGES, Tagged, read_tags
from grga.types import TimeSpan, Word

SHORTEST = 0.1
DETECT_CLIPS = 4


class SenseVoice:
    """Greedy CTC; the times are those of its own CTC alignment, in steps of 60 ms. It takes no hints."""

    usual = "sensevoice"
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
        """See :class:`grga.speech.asr.Asr`; each of up to four clips has one vote per second."""
        votes: Counter[str] = Counter()
        chosen = np.unique(np.linspace(0, len(clips) - 1, DETECT_CLIPS).round().astype(int)) if clips else ()
        for index in chosen:
            _, said = self._heard(waveform, clips[index], None)
            if said is not None and said.language:
                votes[said.language] += round(1000 * clips[index].duration)
        return votes.most_common(1)[0][0] if votes else None

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """See :class:`grga.speech.asr.Asr`; a language that it does not know is left to its own ear."""
        heard, said = self._heard(waveform, clip, language)
        if said is None or not said.text:
            return ()
        units, stamps = heard.get("words") or [], heard.get("timestamp") or []
        # Its tokenizer cannot always give back what it wrote; then the times are of something else.
        whole = "".join(units).replace("▁", "") == "".join(said.text.split())
        if not whole or len(units) != len(stamps):
            return spread(split_units(said.text), clip)
        return timed_words([unit.replace("▁", "") for unit in units], stamps, clip)

    def _heard(
        self, waveform: Waveform, clip: TimeSpan, language: str | None
    ) -> tuple[dict[str, Any], Tagged | None]:
        samples = waveform.levelled(clip)
        if len(samples) < SHORTEST * 16_000 or not samples.any():
            return {}, None
        spoken = language if language in LANGUAGES else "auto"
        try:
            found = self._written(samples, spoken, timed=True)
        except ModelError:
            # Its alignment stumbles over text that its tokenizer splits in another way.
            found = self._written(samples, spoken, timed=False)
        return found, read_tags(found["text"])

    def _written(self, samples: Samples, language: str, *, timed: bool) -> dict[str, Any]:
        found: list[dict[str, Any]] = run_funasr(
            lambda: self._model.generate(
                input=samples, language=language, use_itn=True, output_timestamp=timed
            ),
            "SenseVoice",
        )
        return found[0]

"""SeACo-Paraformer through FunASR (Shi et al. 2023, https://arxiv.org/abs/2308.03266): Mandarin, hot words."""

from __future__ import annotations

from collections.abc import Sequence

from grga.audio import Waveform
from grga.errors import ConfigError
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.asr import spread
from grga.speech.asr.units import split_units, timed_words
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.types import TimeSpan, Word

LANGUAGE = "zh"
SHORTEST = 0.1


class Paraformer:
    """All characters of a clip at once, each with its time; English words inside Mandarin stay whole."""

    usual = "paraformer-zh"
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
        self._hints = " ".join(hint.replace(" ", "") for hint in hints)

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """Return "zh": it knows no other."""
        return LANGUAGE if clips else None

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """See :class:`grga.speech.asr.Asr`.

        Raises:
            ConfigError: another language than Mandarin was asked for.
        """
        if language not in (None, LANGUAGE):
            raise ConfigError(f"Paraformer does not know the language {language!r}", expected=LANGUAGE)
        samples = waveform.levelled(clip)
        if len(samples) < SHORTEST * 16_000 or not samples.any():
            return ()
        heard = run_funasr(
            lambda: self._model.generate(input=samples, hotword=self._hints or None), "Paraformer"
        )
        if not heard or not (text := heard[0].get("text", "").strip()):
            return ()
        units, stamps = text.split(), heard[0].get("timestamp") or []
        if len(units) != len(stamps):
            return spread(split_units(text), clip)
        return timed_words(units, stamps, clip)

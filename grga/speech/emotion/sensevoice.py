"""What SenseVoice tags beside its words: an emotion, and sounds such as laughter and applause."""

from __future__ import annotations

from collections.abc import Sequence

from grga.audio import SAMPLE_RATE, Waveform
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.emotion import Emotion
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.speech.sensevoice_tags import Tagged, read_tags
from grga.types import TimeSpan

SHORTEST = 0.3
LONGEST = 30.0


class SenseVoiceSounds:
    """Tags of each span. It gives an emotion no score."""

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        self._model = load_funasr(locate("sensevoice", source), torch_device(source.device))

    def recognise(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> tuple[Emotion | None, ...]:
        """See :class:`grga.speech.emotion.EmotionRecogniser`."""
        found = (self._tags(waveform, span).emotion for span in spans)
        return tuple(Emotion(label, None) if label else None for label in found)

    def events(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> tuple[tuple[str, ...], ...]:
        """See :class:`grga.speech.emotion.EventTagger`."""
        return tuple(self._tags(waveform, span).events for span in spans)

    def _tags(self, waveform: Waveform, span: TimeSpan) -> Tagged:
        samples = waveform.levelled(span)[: int(LONGEST * SAMPLE_RATE)]
        if len(samples) < SHORTEST * SAMPLE_RATE or not samples.any():
            return Tagged("")
        [found] = run_funasr(lambda: self._model.generate(input=samples, language="auto"), "SenseVoice")
        return read_tags(found["text"])

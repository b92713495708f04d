"""emotion2vec+ large through FunASR (Ma et al. 2023, https://arxiv.org/abs/2312.15185): nine labels."""

from __future__ import annotations

from collections.abc import Sequence

from grga.audio import SAMPLE_RATE, Waveform
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.emotion import Emotion
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.types import TimeSpan

SHORTEST = 0.3
LONGEST = 30.0
"""Seconds; its attention grows with the square, and a mood is heard in less."""
UNKNOWN = ("<unk>", "unknown")


class Emotion2Vec:
    """One label per utterance, with the score of every label."""

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        self._model = load_funasr(locate("emotion2vec", source), torch_device(source.device))

    def recognise(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> tuple[Emotion | None, ...]:
        """See :class:`grga.speech.emotion.EmotionRecogniser`; a span under 0.3 s or without sound has none."""
        return tuple(self._one(waveform, span) for span in spans)

    def _one(self, waveform: Waveform, span: TimeSpan) -> Emotion | None:
        samples = waveform.samples(span)[: int(LONGEST * SAMPLE_RATE)]
        if len(samples) < SHORTEST * SAMPLE_RATE or not samples.any():
            return None
        [found] = run_funasr(
            lambda: self._model.generate(input=samples, granularity="utterance", extract_embedding=False),
            "emotion2vec",
        )
        return best_of(found["labels"], found["scores"])


def best_of(labels: Sequence[str], scores: Sequence[float]) -> Emotion | None:
    """Return the label with the highest score; None when that is "unknown".

    Labels come in two languages, as in "生气/angry"; the English one is taken.
    """
    plain = [label.rpartition("/")[2].strip().lower() for label in labels]
    by_label = {label: round(float(score), 4) for label, score in zip(plain, scores, strict=True)}
    best = max(by_label, key=lambda label: by_label[label])
    return None if best in UNKNOWN else Emotion(best, by_label[best], by_label)

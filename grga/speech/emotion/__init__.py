"""How an utterance sounds to a model: an emotion, and sounds beside speech; one backend per file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from grga import registry
from grga.audio import Waveform
from grga.models import ModelSource
from grga.types import TimeSpan

RECOGNISERS = {
    "emotion2vec": "grga.speech.emotion.emotion2vec:Emotion2Vec",
    "sensevoice": "grga.speech.emotion.sensevoice:SenseVoiceSounds",
}
TAGGERS = {"sensevoice": "grga.speech.emotion.sensevoice:SenseVoiceSounds"}


@dataclass(frozen=True, slots=True)
class Emotion:
    """What a model heard in one utterance.

    Attributes:
        label: "angry", "disgusted", "fearful", "happy", "neutral", "other", "sad" or "surprised".
        score: The model's score of this label, 0..1; None from one that gives none.
        scores: Of every label it knows.
    """

    label: str
    score: float | None
    scores: Mapping[str, float] = field(default_factory=dict)


class EmotionRecogniser(Protocol):
    """Names the emotion of stretches of speech."""

    def recognise(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> tuple[Emotion | None, ...]:
        """Return one emotion per span; None where the span is too short or the model does not know."""
        ...


class EventTagger(Protocol):
    """Hears sounds beside speech."""

    def events(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> tuple[tuple[str, ...], ...]:
        """Return the sounds in each span: "laughter", "applause", "cough", "crying", "sneeze", "breath", "music"."""
        ...


def load_recogniser(name: str, source: ModelSource = ModelSource()) -> EmotionRecogniser:
    """Return the emotion recogniser called ``name``.

    Raises:
        ConfigError: unknown name.
        ModelError: weights that are missing or damaged.
    """
    recogniser: EmotionRecogniser = registry.load("emotion backend", name, RECOGNISERS)(source)
    return recogniser


def load_tagger(name: str, source: ModelSource = ModelSource()) -> EventTagger:
    """Return the event tagger called ``name``.

    Raises:
        ConfigError: unknown name.
        ModelError: weights that are missing or damaged.
    """
    tagger: EventTagger = registry.load("event tagger", name, TAGGERS)(source)
    return tagger

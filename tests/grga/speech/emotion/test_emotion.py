"""Emotions and sounds beside speech: labels as the models write them, and both models from disk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grga.audio import Waveform
from grga.errors import ConfigError
from grga.models import ModelSource
from grga.speech.emotion import Emotion, load_recogniser, load_tagger
from grga.speech.emotion.emotion2vec import best_of
from grga.speech.sensevoice_tags import Tagged, read_tags
from grga.types import TimeSpan

RATE = 16_000


def test_the_english_half_of_the_best_label_is_taken() -> None:
    found = best_of(["生气/angry", "中立/neutral", "<unk>"], [0.7, 0.2, 0.1])
    assert found == Emotion("angry", 0.7, {"angry": 0.7, "neutral": 0.2, "<unk>": 0.1})
    assert best_of(["angry", "<unk>"], [0.3, 0.7]) is None


@pytest.mark.parametrize(
    ("written", "tagged"),
    [
        ("<|zh|><|NEUTRAL|><|Speech|><|woitn|>今天开会", Tagged("今天开会", "zh", "neutral")),
        (
            "<|en|><|EMO_UNKNOWN|><|Laughter|><|withitn|>That is funny. <|Applause|>",
            Tagged("That is funny.", "en", None, ("laughter", "applause")),
        ),
        ("<|nospeech|><|EMO_UNKNOWN|><|Event_UNK|><|woitn|>", Tagged("")),
        ("plain words", Tagged("plain words")),
        ("<|BGM|><|BGM|>", Tagged("", events=("music",))),
    ],
)
def test_tags_are_taken_off_the_words(written: str, tagged: Tagged) -> None:
    assert read_tags(written) == tagged


def test_an_unknown_backend_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"unknown emotion backend 'mood' \(known: emotion2vec, sensevoice\)"
    ):
        load_recogniser("mood")
    with pytest.raises(ConfigError, match=r"unknown event tagger 'ears' \(known: sensevoice\)"):
        load_tagger("ears")


SPANS = (TimeSpan(0.0, 1.0), TimeSpan(1.0, 1.2), TimeSpan(2.0, 3.0), TimeSpan(1.0, 2.0))
"""A second of noise, too little of it, silence, noise again."""


@pytest.fixture
def waveform(sound: Callable[[np.ndarray], Waveform]) -> Waveform:
    noise = np.random.default_rng(5).normal(0, 0.1, 2 * RATE)
    return sound(np.concatenate([noise, np.zeros(RATE)]))


@pytest.mark.slow
def test_emotion2vec_gives_every_utterance_that_can_be_heard_a_label(
    tiny_models: ModelSource, waveform: Waveform
) -> None:
    found = load_recogniser("emotion2vec", tiny_models).recognise(waveform, SPANS)
    assert [one.label if one else None for one in found] == ["happy", None, None, "happy"]
    assert found[0] is not None
    assert set(found[0].scores) == {
        *("angry", "disgusted", "fearful", "happy", "neutral", "other", "sad", "surprised", "<unk>")
    }
    assert sum(found[0].scores.values()) == pytest.approx(1.0, abs=0.001)
    assert found[0].score == found[0].scores["happy"] == max(found[0].scores.values())
    assert found == load_recogniser("emotion2vec", tiny_models).recognise(waveform, SPANS)


@pytest.mark.slow
def test_sensevoice_hears_sounds_beside_speech(tiny_models: ModelSource, waveform: Waveform) -> None:
    events = load_tagger("sensevoice", tiny_models).events(waveform, SPANS)
    assert events == (("laughter",), (), (), ("laughter",))
    assert load_recogniser("sensevoice", tiny_models).recognise(waveform, SPANS[:2]) == (None, None)

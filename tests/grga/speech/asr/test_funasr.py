"""Paraformer and SenseVoice through FunASR's real classes, from disk to words with times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grga.audio import Waveform
from grga.errors import ConfigError
from grga.models import ModelSource
from grga.speech.asr import load_asr, spread
from grga.speech.asr.units import split_units, timed_words
from grga.types import TimeSpan, Word

RATE = 16_000


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("我们用 GRGA 做，好吗？", ["我", "们", "用", "GRGA", "做，", "好", "吗？"]),
        ("Hello, world. It's 9:30!", ["Hello,", "world.", "It's", "9:30!"]),
        ("部署API v2 。", ["部", "署", "API", "v2。"]),
        ("， 开头", ["开", "头"]),
        ("", []),
    ],
)
def test_han_characters_stand_alone_and_other_words_whole(text: str, units: list[str]) -> None:
    assert split_units(text) == units


def test_times_are_in_order_inside_the_clip_and_marks_hang_on_the_word_before() -> None:
    clip = TimeSpan(10.0, 12.0)
    words = timed_words(["今", "，", "天", "ok"], [[0, 200], [200, 200], [150, 400], [1900, 2600]], clip)
    assert words == (
        Word("今，", TimeSpan(10.0, 10.2)),
        Word("天", TimeSpan(10.15, 10.4)),
        Word("ok", TimeSpan(11.9, 12.0)),
    )
    assert timed_words(["，"], [[0, 10]], clip) == ()


def test_words_without_times_share_the_clip_by_their_length() -> None:
    assert spread(["ab", "cdef", "gh"], TimeSpan(1.0, 5.0)) == (
        Word("ab", TimeSpan(1.0, 2.0)),
        Word("cdef", TimeSpan(2.0, 4.0)),
        Word("gh", TimeSpan(4.0, 5.0)),
    )
    assert spread([], TimeSpan(0, 1)) == ()


@pytest.fixture
def waveform(sound: Callable[[np.ndarray], Waveform]) -> Waveform:
    noise = np.random.default_rng(5).normal(0, 0.1, 6 * RATE)
    return sound(np.concatenate([noise, np.zeros(2 * RATE)]))


def holds(words: tuple[Word, ...], clip: TimeSpan) -> None:
    """What must be true of any words of any clip."""
    starts = [word.span.start for word in words]
    assert starts == sorted(starts)
    assert all(clip.start <= word.span.start <= word.span.end <= clip.end for word in words)
    assert all(word.text.strip() == word.text != "" for word in words)


@pytest.mark.slow
def test_paraformer_writes_words_with_times_of_its_own(tiny_models: ModelSource, waveform: Waveform) -> None:
    recogniser = load_asr("paraformer", source=tiny_models)
    clip = TimeSpan(1.0, 5.0)
    words = recogniser.transcribe(waveform, clip, "zh")
    assert len(words) > 1
    holds(words, clip)
    assert {character for word in words for character in word.text} <= set("我们今天开会预算helloworld")
    assert recogniser.word_times
    assert recogniser.transcribe(waveform, clip, "zh") == words
    assert recogniser.transcribe(waveform, TimeSpan(6.5, 7.5), "zh") == ()  # silence
    assert recogniser.transcribe(waveform, TimeSpan(1.0, 1.05), "zh") == ()  # too short for a word
    assert recogniser.detect_language(waveform, [clip]) == "zh"
    assert recogniser.detect_language(waveform, []) is None


@pytest.mark.slow
def test_paraformer_takes_the_words_of_the_meeting_as_hints(
    tiny_models: ModelSource, waveform: Waveform
) -> None:
    recogniser = load_asr("paraformer", hints=("预算", "hello world"), source=tiny_models)
    clip = TimeSpan(0.0, 4.0)
    holds(recogniser.transcribe(waveform, clip, "zh"), clip)
    heard = recogniser._model.model.hotword_list  # two hints and the mark of their end
    assert len(heard) == 3


@pytest.mark.slow
def test_paraformer_says_that_it_knows_mandarin_only(tiny_models: ModelSource, waveform: Waveform) -> None:
    with pytest.raises(ConfigError, match=r"Paraformer does not know the language 'en' \(expected zh\)"):
        load_asr("paraformer", source=tiny_models).transcribe(waveform, TimeSpan(0, 1), "en")


@pytest.mark.slow
def test_sensevoice_shows_no_tag_as_a_word(tiny_models: ModelSource, waveform: Waveform) -> None:
    recogniser = load_asr("sensevoice", source=tiny_models)
    assert recogniser.transcribe(waveform, TimeSpan(0.0, 4.0), None) == ()  # it wrote a tag and nothing else
    assert recogniser.detect_language(waveform, [TimeSpan(0.0, 2.0)]) is None


@pytest.mark.slow
def test_sensevoice_writes_words_with_the_times_of_its_alignment(
    tiny_models: ModelSource, waveform: Waveform
) -> None:
    import torch

    recogniser = load_asr("sensevoice", source=tiny_models)
    with torch.no_grad():  # other weights: now and then one of its pieces of words
        torch.manual_seed(8)
        layer = recogniser._model.model.ctc.ctc_lo
        torch.nn.init.normal_(layer.weight, std=2.0)
        torch.nn.init.zeros_(layer.bias)
    clip = TimeSpan(1.0, 5.0)
    words = recogniser.transcribe(waveform, clip, "zh")
    assert words
    holds(words, clip)
    assert not any("<|" in word.text or "▁" in word.text for word in words)
    assert recogniser.transcribe(waveform, clip, "zh") == words

"""FunASR's timestamp predictor, through its real classes with tiny weights: what must hold, not how well."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grga.audio import Waveform
from grga.errors import ConfigError
from grga.models import ModelSource
from grga.speech.alignment import Aligner, load_aligner
from grga.types import TimeSpan, Word

pytestmark = pytest.mark.slow
CLIP = TimeSpan(0.5, 3.5)


@pytest.fixture(scope="module")
def aligner(tiny_models: ModelSource) -> Aligner:
    return load_aligner("fa-zh", source=tiny_models)


@pytest.fixture
def recording(sound: Callable[[np.ndarray], Waveform]) -> Waveform:
    return sound(np.random.default_rng(3).normal(size=16_000 * 4) * 0.1)


def said(*texts: str) -> list[Word]:
    return [Word(text, TimeSpan(0.5, 0.6), 0.8, "S1") for text in texts]


def test_every_word_gets_times_in_order_inside_the_clip(aligner: Aligner, recording: Waveform) -> None:
    given = said("我们", "今天", "hello", "world", "开会。")
    words = aligner.align(recording, CLIP, given, "zh")
    assert [(word.text, word.confidence, word.speaker) for word in words] == [
        (word.text, 0.8, "S1") for word in given
    ]
    edges = [edge for word in words for edge in (word.span.start, word.span.end)]
    assert edges == sorted(edges)
    assert CLIP.start <= edges[0]
    assert edges[-1] <= CLIP.end
    assert words[0].span != given[0].span
    alone = aligner.align(recording, CLIP, said("我", "们", "今", "天", "hello", "world", "开", "会"), "zh")
    assert words[-1].span == TimeSpan(alone[-2].span.start, alone[-1].span.end)


def test_a_character_that_it_does_not_know_lies_between_its_neighbours(
    aligner: Aligner, recording: Waveform
) -> None:
    first, unknown, last = aligner.align(recording, CLIP, said("我们", "龘", "今天"), "zh")
    assert unknown.confidence is None
    assert first.span.end <= unknown.span.start <= unknown.span.end <= last.span.start


def test_a_text_that_is_the_name_of_a_file_is_a_text(
    aligner: Aligner, recording: Waveform, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("hello", "w", encoding="utf-8") as file:
        file.write("我 们 今 天")
    assert len(aligner.align(recording, CLIP, said("hello"), "zh")) == 1


def test_silence_no_words_and_other_languages(
    aligner: Aligner, sound: Callable[[np.ndarray], Waveform]
) -> None:
    silence = sound(np.zeros(64_000))
    assert aligner.align(silence, CLIP, [], "zh") == ()
    assert aligner.align(silence, CLIP, said("我们"), "zh") == (Word("我们", TimeSpan(0.5, 0.6), None, "S1"),)
    with pytest.raises(ConfigError, match="'en'"):
        aligner.align(silence, CLIP, said("we"), "en")

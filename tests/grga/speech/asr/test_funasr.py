"""Paraformer, SenseVoice and punctuation through FunASR's real classes, from disk to words with times."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grga.audio import Waveform
from grga.errors import ConfigError
from grga.models import ModelSource
from grga.speech.asr import check_language, load_asr
from grga.speech.asr.paraformer import hot_words
from grga.speech.asr.punctuation import Punctuation, marked_words
from grga.speech.asr.sensevoice import read_words
from grga.types import TimeSpan, Word

Check = Callable[[tuple[Word, ...], TimeSpan], None]

CLIP = TimeSpan(10.0, 12.0)
STARTS = [30, 270, 390, 510, 630, 750, 810, 990]  # milliseconds
ENDS = [210, 390, 510, 630, 750, 810, 990, 1050]


def test_languages_are_refused_before_anything_is_loaded() -> None:
    with pytest.raises(ConfigError, match=r"paraformer does not know the language 'en' \(expected zh\)"):
        check_language("paraformer", "en")
    with pytest.raises(ConfigError, match=r"\(expected en or ja or ko or yue or zh\)"):
        check_language("sensevoice", "de")
    for name in ("paraformer", "sensevoice", "firered", "whisper"):
        check_language(name, "zh")
        check_language(name, None)


# --- Paraformer


def test_hints_are_written_with_what_the_model_knows() -> None:
    known = {"张", "伟", "项", "目", "hello", "world", "a", "g", "r"}
    assert hot_words(["张伟", "Hello World", "GRGA 项目", "GRGA项目", "Ærø", "预算", "…"], known) == {
        "张伟": "张 伟",
        "Hello World": "hello world",
        "GRGA 项目": "g r g a 项 目",
        "GRGA项目": "g r g a 项 目",
        "Ærø": None,
        "预算": None,
        "…": None,
    }


@pytest.mark.slow
def test_paraformer_writes_words_with_times_of_its_own(
    tiny_models: ModelSource, noise_then_silence: Waveform, holds: Check
) -> None:
    recogniser = load_asr("paraformer", source=tiny_models)
    clip = TimeSpan(1.0, 5.0)
    words = recogniser.transcribe(noise_then_silence, clip, "zh")
    assert len(words) > 1
    holds(words, clip)
    assert {character for word in words for character in word.text} <= set("我们今天开会预算helloworld")
    assert all(len(word.text) == 1 or word.text.isascii() for word in words)
    assert recogniser.word_times
    assert recogniser.transcribe(noise_then_silence, clip, "zh") == words
    assert recogniser.transcribe(noise_then_silence, TimeSpan(6.5, 7.5), "zh") == ()  # silence
    assert recogniser.transcribe(noise_then_silence, TimeSpan(1.0, 1.05), "zh") == ()  # too short
    assert recogniser.detect_language(noise_then_silence, [clip]) == "zh"
    assert recogniser.detect_language(noise_then_silence, []) is None


@pytest.mark.slow
def test_paraformer_listens_for_hints_as_whole_phrases(
    tiny_models: ModelSource,
    noise_then_silence: Waveform,
    holds: Check,
    caplog: pytest.LogCaptureFixture,
) -> None:
    hints = ("预算", "http", "Hello world")
    recogniser = load_asr("paraformer", hints=hints, source=tiny_models)
    assert "hints that this model cannot write are left out: http" in caplog.text
    clip = TimeSpan(0.0, 4.0)
    holds(recogniser.transcribe(noise_then_silence, clip, "zh"), clip)
    # 预 算, hello wor@@ ld, and the mark of the end of the list
    assert recogniser._model.model.hotword_list == [[9, 10], [11, 12, 13], [1]]


@pytest.mark.slow
def test_paraformer_says_that_it_knows_mandarin_only(
    tiny_models: ModelSource, noise_then_silence: Waveform
) -> None:
    with pytest.raises(ConfigError, match=r"Paraformer does not know the language 'en' \(expected zh\)"):
        load_asr("paraformer", source=tiny_models).transcribe(noise_then_silence, TimeSpan(0, 1), "en")


# --- SenseVoice


def test_tags_go_and_pieces_become_words_with_times() -> None:
    heard = {
        "text": "<|zh|><|NEUTRAL|><|Speech|><|withitn|>看 GRGA 项目，好。",
        "words": ["看", "GR", "GA", "项", "目", "，", "好", "。"],
        "timestamp": list(zip(STARTS, ENDS, strict=True)),
    }
    assert read_words(heard, CLIP) == (
        Word("看", TimeSpan(10.03, 10.21)),
        Word("GRGA", TimeSpan(10.27, 10.51)),
        Word("项", TimeSpan(10.51, 10.63)),
        Word("目，", TimeSpan(10.63, 10.75)),
        Word("好。", TimeSpan(10.81, 10.99)),
    )


def test_pieces_of_english_words_are_put_together_as_the_text_has_them() -> None:
    # FunASR takes "▁" from all words but the first, and joins some of the pieces.
    heard = {
        "text": "<|en|><|EMO_UNKNOWN|><|Speech|><|withitn|>The budget, it's 5%.",
        "words": ["▁the", "bud", "get", ",", "it", "'", "s", "5", "%", "."],
        "timestamp": [[60 * number, 60 * number + 60] for number in range(10)],
    }
    assert read_words(heard, CLIP) == (
        Word("The", TimeSpan(10.0, 10.06)),
        Word("budget,", TimeSpan(10.06, 10.18)),
        Word("it's", TimeSpan(10.24, 10.42)),
        Word("5%.", TimeSpan(10.42, 10.48)),
    )


@pytest.mark.parametrize(
    "text", ["", "<|nospeech|><|EMO_UNKNOWN|><|Event_UNK|><|withitn|>", "<|nospeech|><|BGM|>。"]
)
def test_nothing_but_tags_and_marks_is_no_words(text: str) -> None:
    assert read_words({"text": text}, CLIP) == ()


def test_words_without_an_alignment_are_spread() -> None:
    assert read_words({"text": "<|zh|>好的"}, CLIP) == (
        Word("好", TimeSpan(10.0, 11.0)),
        Word("的", TimeSpan(11.0, 12.0)),
    )


@pytest.mark.slow
def test_sensevoice_shows_no_tag_as_a_word(tiny_models: ModelSource, noise_then_silence: Waveform) -> None:
    recogniser = load_asr("sensevoice", source=tiny_models)
    assert recogniser.transcribe(noise_then_silence, TimeSpan(0.0, 4.0), None) == ()  # it wrote a tag alone
    assert recogniser.detect_language(noise_then_silence, [TimeSpan(0.0, 2.0)]) is None
    assert recogniser.transcribe(noise_then_silence, TimeSpan(6.5, 7.5), "zh") == ()  # silence


@pytest.mark.slow
def test_sensevoice_writes_words_with_the_times_of_its_alignment(
    tiny_models: ModelSource, noise_then_silence: Waveform, holds: Check
) -> None:
    import torch

    recogniser = load_asr("sensevoice", source=tiny_models)
    with torch.no_grad():  # other weights: now and then one of its pieces of words
        torch.manual_seed(8)
        layer = recogniser._model.model.ctc.ctc_lo
        torch.nn.init.normal_(layer.weight, std=2.0)
        torch.nn.init.zeros_(layer.bias)
    clip = TimeSpan(1.0, 5.0)
    words = recogniser.transcribe(noise_then_silence, clip, "zh")
    assert words
    holds(words, clip)
    assert not any("<|" in word.text or "▁" in word.text for word in words)
    assert recogniser.transcribe(noise_then_silence, clip, "zh") == words
    with pytest.raises(ConfigError, match=r"SenseVoice does not know the language 'de'"):
        recogniser.transcribe(noise_then_silence, clip, "de")


# --- marks


def test_marks_and_capitals_come_back_to_the_words_they_belong_to() -> None:
    words = tuple(Word(text, TimeSpan(i, i + 1)) for i, text in enumerate(["好", "we", "use", "it"]))
    assert marked_words(words, "好， We use it.") == (
        Word("好，", TimeSpan(0, 1)),
        Word("We", TimeSpan(1, 2)),
        Word("use", TimeSpan(2, 3)),
        Word("it.", TimeSpan(3, 4)),
    )
    assert marked_words(words, "好，we use that.") == words  # another text


@pytest.mark.slow
def test_the_punctuation_model_marks_the_end(tiny_models: ModelSource) -> None:
    punctuation = Punctuation(source=tiny_models)
    words = tuple(Word(text, TimeSpan(i, i + 1)) for i, text in enumerate(["我", "们", "hello", "开", "会"]))
    assert punctuation.mark(words) == (*words[:4], Word("会。", TimeSpan(4, 5)))
    assert punctuation.mark(()) == ()


@pytest.mark.slow
def test_a_recogniser_without_marks_can_be_given_some(
    tiny_models: ModelSource, noise_then_silence: Waveform
) -> None:
    bare = load_asr("paraformer", source=tiny_models)
    marked = load_asr("paraformer", punctuation="ct-punc", source=tiny_models)
    clip = TimeSpan(1.0, 5.0)
    plain = bare.transcribe(noise_then_silence, clip, "zh")
    words = marked.transcribe(noise_then_silence, clip, "zh")
    assert [word.span for word in words] == [word.span for word in plain]
    assert words[-1].text.endswith(("。", "."))
    assert marked.transcribe(noise_then_silence, TimeSpan(6.5, 7.5), "zh") == ()
    assert (bare.marks, marked.marks, marked.word_times) == (False, True, True)
    assert load_asr("sensevoice", punctuation="ct-punc", source=tiny_models).marks  # it writes its own

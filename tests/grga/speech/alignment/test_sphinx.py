"""A real acoustic model: English words on their sounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grga.audio import Waveform, decode
from grga.errors import ConfigError, ModelError
from grga.speech.alignment import Aligner, load_aligner
from grga.speech.asr import spread
from grga.types import TimeSpan, Word

pytest.importorskip("pocketsphinx")


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return load_aligner("pocketsphinx")


@pytest.fixture(scope="module")
def meeting(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> tuple[Waveform, list[Word]]:
    """Six seconds of one AMI speaker's own microphone, and its reference words."""
    return _read(shared_data, "ES2011a_h0_0040_0046", tmp_path_factory.mktemp("ami"))


def test_words_are_found_where_they_are_said(aligner: Aligner, meeting: tuple[Waveform, list[Word]]) -> None:
    waveform, reference = meeting
    clip = TimeSpan(0.0, waveform.duration)
    words = aligner.align(waveform, clip, spread([word.text for word in reference], clip), "en")
    assert [word.text for word in words] == [word.text for word in reference]
    assert np.median(_errors(words, reference)) < 0.05


def test_given_confidences_stay_and_words_that_cannot_be_aligned_lose_theirs(
    aligner: Aligner, meeting: tuple[Waveform, list[Word]]
) -> None:
    waveform, reference = meeting
    clip = TimeSpan(0.0, waveform.duration)
    given = [Word(word.text, word.span, 0.7, "S1") for word in reference]
    given.insert(3, Word("好的", TimeSpan(1.0, 1.2), 0.9, "S1"))
    words = aligner.align(waveform, clip, given, "en")
    assert [word.confidence for word in words] == [None if word.text == "好的" else 0.7 for word in given]
    assert words[2].span.end <= words[3].span.start <= words[3].span.end <= words[4].span.start
    assert {word.speaker for word in words} == {"S1"}


def test_a_word_of_no_dictionary_is_found_by_its_letters(
    aligner: Aligner, meeting: tuple[Waveform, list[Word]]
) -> None:
    waveform, reference = meeting
    clip = TimeSpan(0.0, waveform.duration)
    texts = [word.text for word in reference]
    at = texts.index("Abigail")
    texts[at] = "Abbigayl"
    words = aligner.align(waveform, clip, spread(texts, clip), "en")
    assert words[at].span.iou(reference[at].span) > 0.5


@pytest.mark.parametrize("sound_level", [0.0, 0.001])
def test_silence_and_hiss(aligner: Aligner, sound: Callable[..., Waveform], sound_level: float) -> None:
    noise = np.random.default_rng(0).normal(size=32_000) * sound_level
    clip = TimeSpan(0.5, 1.5)
    words = aligner.align(sound(noise), clip, [Word("hello", TimeSpan(0.6, 0.9), 0.4)], "en")
    assert [word.text for word in words] == ["hello"]
    assert clip.start <= words[0].span.start <= words[0].span.end <= clip.end


def test_more_words_than_time(aligner: Aligner, sound: Callable[..., Waveform]) -> None:
    clip = TimeSpan(0.0, 0.3)
    words = aligner.align(
        sound(np.random.default_rng(0).normal(size=8000) * 0.1), clip, spread(["something"] * 30, clip), "en"
    )
    assert len(words) == 30
    edges = [edge for word in words for edge in (word.span.start, word.span.end)]
    assert edges == sorted(edges)
    assert edges[-1] <= 0.3


def test_no_words(aligner: Aligner, sound: Callable[..., Waveform]) -> None:
    assert aligner.align(sound(np.zeros(8000)), TimeSpan(0, 0.5), [], "en") == ()


def test_other_languages_and_models_are_refused(aligner: Aligner, sound: Callable[..., Waveform]) -> None:
    with pytest.raises(ConfigError, match=r"does not know the language 'zh'.*expected en"):
        aligner.align(sound(np.zeros(8000)), TimeSpan(0, 0.5), [], "zh")
    with pytest.raises(ConfigError, match=r"alignment\.model = 'x'"):
        load_aligner("pocketsphinx", model="x")


def test_the_package_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pocketsphinx", None)
    with pytest.raises(ModelError, match="pip install pocketsphinx"):
        load_aligner("pocketsphinx")


@pytest.mark.slow
def test_the_reference_words_of_ami_are_found_within_a_tenth_of_a_second(
    aligner: Aligner, shared_data: Path, tmp_path: Path
) -> None:
    """Turn by turn, overlapped speech included; times are first spread over the turn."""
    errors: list[float] = []
    words_in_all = aligned = 0
    for file in sorted((shared_data / "audio" / "ami_clips").glob("*.ref.json")):
        waveform, reference = _read(shared_data, file.name.removesuffix(".ref.json"), tmp_path)
        for turn in json.loads(file.read_text())["turns"]:
            inside = [
                word
                for word in reference
                if word.speaker == turn["speaker"] and turn["start"] <= word.span.middle <= turn["end"]
            ]
            if not inside:
                continue
            clip = TimeSpan(inside[0].span.start, inside[-1].span.end).widened(0.3)
            clip = TimeSpan(clip.start, min(clip.end, waveform.duration))
            given = [Word(word.text, word.span, 1.0) for word in spread([w.text for w in inside], clip)]
            words = aligner.align(waveform, clip, given, "en")
            edges = [edge for word in words for edge in (word.span.start, word.span.end)]
            assert edges == sorted(edges)
            assert clip.start <= edges[0] <= edges[-1] <= clip.end
            words_in_all += len(words)
            aligned += sum(word.confidence is not None for word in words)
            errors += _errors(words, inside)
    assert words_in_all == 625
    assert aligned / words_in_all > 0.95
    assert np.median(errors) < 0.1
    assert np.mean(np.array(errors) <= 0.1) > 0.7


def _read(data: Path, name: str, folder: Path) -> tuple[Waveform, list[Word]]:
    clips = data / "audio" / "ami_clips"
    decode(clips / f"{name}.flac", folder / f"{name}.wav", max_hours=1)
    words = json.loads((clips / f"{name}.ref.json").read_text())["words"]
    return Waveform.open(folder / f"{name}.wav"), [
        Word(word["text"], TimeSpan(word["start"], word["end"]), speaker=word["agent"]) for word in words
    ]


def _errors(words: tuple[Word, ...], reference: list[Word]) -> list[float]:
    return [
        abs(getattr(word.span, edge) - getattr(true.span, edge))
        for word, true in zip(words, reference, strict=True)
        for edge in ("start", "end")
    ]

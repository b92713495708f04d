"""FireRedASR through its package's own classes, from disk to words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grga.audio import Waveform
from grga.errors import ConfigError, ModelError
from grga.models import ModelSource
from grga.speech.asr import load_asr
from grga.speech.asr.firered import language_of, readable
from grga.types import TimeSpan, Word

Check = Callable[[tuple[Word, ...], TimeSpan], None]


def test_signs_of_its_dictionary_are_no_words() -> None:
    assert readable("<sil>我们看 THE ROADMAP<unk>吧<sil>") == "我们看 the roadmap 吧"
    assert readable("<sil>") == ""


@pytest.mark.parametrize(
    ("said", "language"),
    [("我们看 the roadmap 吧", "zh"), ("the roadmap 吧", "en"), ("hello", "en"), ("", None), ("...", None)],
)
def test_the_language_is_that_of_most_words(said: str, language: str | None) -> None:
    assert language_of(said) == language


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 3])
def test_words_share_the_clip(
    tiny_firered: ModelSource, noise_then_silence: Waveform, holds: Check, beam_size: int
) -> None:
    recogniser = load_asr("firered", beam_size=beam_size, source=tiny_firered)
    clip = TimeSpan(1.0, 3.0)
    words = recogniser.transcribe(noise_then_silence, clip, None)
    assert words
    holds(words, clip)
    assert (words[0].span.start, words[-1].span.end) == (1.0, 3.0)
    assert not any("<" in word.text or "▁" in word.text or word.text.isupper() for word in words)
    assert recogniser.transcribe(noise_then_silence, clip, "zh") == words
    assert not recogniser.word_times
    assert recogniser.detect_language(noise_then_silence, [clip]) in ("zh", "en")


@pytest.mark.slow
def test_silence_and_clips_too_short_have_no_words(
    tiny_firered: ModelSource, noise_then_silence: Waveform
) -> None:
    recogniser = load_asr("firered", source=tiny_firered)
    assert recogniser.transcribe(noise_then_silence, TimeSpan(6.5, 7.5), "zh") == ()
    assert recogniser.transcribe(noise_then_silence, TimeSpan(1.0, 1.05), "zh") == ()
    assert recogniser.detect_language(noise_then_silence, []) is None
    with pytest.raises(
        ConfigError, match=r"FireRedASR does not know the language 'de' \(expected zh or en\)"
    ):
        recogniser.transcribe(noise_then_silence, TimeSpan(1.0, 2.0), "de")


@pytest.mark.slow
def test_a_damaged_copy_is_named(tiny_firered: ModelSource, tmp_path: Path) -> None:
    assert tiny_firered.folder is not None
    for file in (tiny_firered.folder / "firered-aed").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "dict.txt").write_text("<unk> 7\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"the model in .* cannot be loaded"):
        load_asr("firered", model=str(tmp_path), source=ModelSource(offline=True, device="cpu"))

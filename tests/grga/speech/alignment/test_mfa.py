"""The Montreal Forced Aligner as a program in PATH.

It comes with conda only, so a script of the same name stands for it here: it takes the same arguments, looks at
what they name, and writes the TextGrid that the real one would.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grga.audio import Waveform
from grga.errors import ModelError
from grga.speech.alignment import load_aligner
from grga.types import TimeSpan, Word

PROGRAM = """#!{python}
import sys, wave
from pathlib import Path
from praatio import textgrid

command, sound, text, dictionary, acoustic, output = sys.argv[1:]
if acoustic == "broken":
    print("Traceback", "PretrainedModelNotFoundError: no model named broken", sep="\\n", file=sys.stderr)
    sys.exit(1)
if acoustic == "silent":
    sys.exit(0)
assert command == "align_one" and Path(output).suffix == ".TextGrid"
with wave.open(sound) as stream:
    assert (stream.getnchannels(), stream.getframerate(), stream.getsampwidth()) == (1, 16000, 2)
    duration = stream.getnframes() / stream.getframerate()
words = Path(text).read_text(encoding="utf-8").split()
step = duration / (len(words) + 1)
labels = {{"Can't": ["can", "'t"], "Zyx.": ["<unk>"]}}
intervals = []
for index, word in enumerate(words):
    parts = labels.get(word, [word.strip(".").lower()])
    for number, part in enumerate(parts):
        begin = step * (index + number / len(parts))
        intervals.append((begin, begin + step / len(parts), part))
grid = textgrid.Textgrid()
grid.addTier(textgrid.IntervalTier("words", intervals, 0, duration))
grid.addTier(textgrid.IntervalTier("phones", [(0, duration, "AH0")], 0, duration))
grid.save(output, format="long_textgrid", includeBlankSpaces=True)
Path({log!r}).write_text(f"{{dictionary}} {{acoustic}}")
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the program into PATH; the file says which dictionary and acoustic model it was asked for."""
    program, log = tmp_path / "bin" / "mfa", tmp_path / "asked"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable, log=str(log)), encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return log


@pytest.fixture
def recording(sound: Callable[[np.ndarray], Waveform]) -> Waveform:
    return sound(np.random.default_rng(0).normal(size=16_000 * 6) * 0.1)


CLIP = TimeSpan(1.0, 6.0)
WORDS = [Word(text, TimeSpan(2.2, 2.3), 0.6) for text in ("We", "Can't", "Zyx.", "now.")]


def test_the_words_of_its_textgrid_become_times_of_the_recording(asked: Path, recording: Waveform) -> None:
    words = load_aligner("mfa").align(recording, CLIP, WORDS, "en")
    assert words == (
        Word("We", TimeSpan(1.0, 2.0), 0.6),
        Word("Can't", TimeSpan(2.0, 3.0), 0.6),
        Word("Zyx.", TimeSpan(3.0, 3.0), None),
        Word("now.", TimeSpan(4.0, 5.0), 0.6),
    )
    assert asked.read_text() == "english_us_arpa english_us_arpa"


@pytest.mark.parametrize(
    ("model", "language", "names"),
    [
        (None, "zh", "mandarin_china_mfa mandarin_mfa"),
        ("english_mfa", "en", "english_mfa english_mfa"),
        ("german_mfa,mine.dict", "de", "mine.dict german_mfa"),
    ],
)
def test_models_by_language_or_by_name(
    asked: Path, recording: Waveform, model: str | None, language: str, names: str
) -> None:
    load_aligner("mfa", model=model).align(recording, CLIP, WORDS[:1], language)
    assert asked.read_text() == names


def test_silence_and_no_words_need_no_run(asked: Path, sound: Callable[[np.ndarray], Waveform]) -> None:
    aligner, silence = load_aligner("mfa"), sound(np.zeros(32_000))
    assert aligner.align(silence, TimeSpan(0, 2), [], "en") == ()
    assert aligner.align(silence, TimeSpan(0, 2), [Word("a", TimeSpan(0.5, 1), 0.9)], "en") == (
        Word("a", TimeSpan(0.5, 1)),
    )
    assert not asked.exists()


def test_what_went_wrong_is_said(asked: Path, recording: Waveform) -> None:
    with pytest.raises(ModelError, match=r"mfa failed: .*no model named broken.*mfa model download"):
        load_aligner("mfa", model="broken").align(recording, CLIP, WORDS, "en")
    with pytest.raises(ModelError, match="no TextGrid"):
        load_aligner("mfa", model="silent").align(recording, CLIP, WORDS, "en")
    with pytest.raises(ModelError, match="language 'fr'"):
        load_aligner("mfa").align(recording, CLIP, WORDS, "fr")


def test_a_missing_command_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelError, match=r"conda create .*montreal-forced-aligner"):
        load_aligner("mfa")

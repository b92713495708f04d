"""CTC forced alignment with a wav2vec 2.0, HuBERT or other CTC model of transformers (paper 3.2.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ModelError
from grga.models import ModelSource, locate
from grga.models.device import is_gpu, torch_device
from grga.models.pretrained import pretrained
from grga.speech.alignment.placing import Found, placed
from grga.speech.alignment.spoken import spoken
from grga.speech.alignment.viterbi import Stretch, forced_path
from grga.types import TimeSpan, Word

USUAL = {"en": "wav2vec2-en", "zh": "wav2vec2-zh"}
PIECE = 30.0
"""Seconds that go through the model at once: attention grows with the square."""
CONTEXT = 1.0
"""Seconds that a piece hears on both sides beyond what it answers for."""
HAN = ("\u3400", "\u9fff")


class CtcAligner:
    """The model is chosen by the language, unless it is named.

    A word's confidence is the geometric mean of its letters' posteriors. Letters that the model does not
    know are left out; a word of such letters alone keeps its place between its neighbours.
    """

    def __init__(self, model: str | None = None, *, source: ModelSource = ModelSource()) -> None:
        self._named, self._source = model, source
        self._models: dict[str, LetterModel] = {}

    def align(
        self, waveform: Waveform, clip: TimeSpan, words: Sequence[Word], language: str | None
    ) -> tuple[Word, ...]:
        """See :class:`grga.speech.alignment.Aligner`.

        Raises:
            ModelError: no model is known for this language, or it cannot be loaded.
        """
        if not words:
            return ()
        language = language or _language_of(words)
        model = self._model(self._named or _usual(language))
        labels = model.labels([spoken(word.text, language) for word in words])
        path = forced_path(
            model.posteriors(waveform.levelled(clip)), [label for _, label in labels], model.blank
        )
        own: list[list[Stretch]] = [[] for _ in words]
        for (owner, _), stretch in zip(labels, path or (), strict=path is not None):
            if owner is not None:
                own[owner].append(stretch)
        return placed(words, clip, [_found(stretches, clip, model.step) for stretches in own])

    def _model(self, name: str) -> LetterModel:
        if name not in self._models:
            self._models[name] = LetterModel(locate(name, self._source), torch_device(self._source.device))
        return self._models[name]


class LetterModel:
    """A CTC model on disk: samples to posteriors, text to labels.

    Attributes:
        blank: The label for "nothing new".
        step: Seconds from one row of posteriors to the next.

    Raises:
        ModelError: transformers is not installed, or the folder holds no CTC model.
    """

    def __init__(self, folder: Path, device: str) -> None:
        parts = "AutoModelForCTC", "AutoTokenizer", "AutoFeatureExtractor"
        model, self._tokenizer, self._features = pretrained(folder, *parts)
        self._device, self._half = device, is_gpu(device)
        self._model = (model.half() if self._half else model).to(device).eval()
        self._vocabulary: dict[str, int] = self._tokenizer.get_vocab()
        self._separator: int | None = self._vocabulary.get(self._tokenizer.word_delimiter_token or "")
        self._width = int(model.config.vocab_size)
        self._ratio = int(model.config.inputs_to_logits_ratio)
        self.step = self._ratio / SAMPLE_RATE
        self.blank = int(model.config.pad_token_id)

    def labels(self, texts: Sequence[str]) -> list[tuple[int | None, int]]:
        """Return (which text, label) for every letter that the model knows, in order.

        Labels that separate words belong to no text; nothing separates Han characters.
        """
        result: list[tuple[int | None, int]] = []
        last = ""
        for index, text in enumerate(texts):
            known = [(letter, label) for letter in text if (label := self._label(letter)) is not None]
            if known and last and self._separator is not None and not (_han(last) and _han(known[0][0])):
                result.append((None, self._separator))
            result += [(index, label) for _, label in known]
            last = known[-1][0] if known else last
        return result

    def _label(self, letter: str) -> int | None:
        if letter == " ":
            return self._separator
        label: int | None = self._vocabulary.get(letter, self._vocabulary.get(letter.upper()))
        return label if label is not None and label < self._width and label != self.blank else None

    def posteriors(self, samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return natural logarithms of posteriors, one row for each ``step`` seconds of 16 kHz samples."""
        piece, context = (int(some * SAMPLE_RATE) // self._ratio * self._ratio for some in (PIECE, CONTEXT))
        if len(samples) < self._ratio:
            return np.zeros((0, self._width), np.float32)
        rows = []
        for begin in range(0, len(samples), piece):
            before = min(begin, context)
            heard = self._heard(samples[begin - before : begin + piece + context])
            first = before // self._ratio
            rows.append(heard[first : first + piece // self._ratio])
        return np.concatenate(rows)

    def _heard(self, samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        import torch

        # The first rows look at a little more than one step; a shorter rest has no row at all.
        padded = np.pad(samples, (0, max(0, 2 * self._ratio - len(samples))))
        inputs = self._features(padded, sampling_rate=SAMPLE_RATE, return_tensors="pt").input_values
        with torch.inference_mode():
            logits = self._model(
                inputs.to(self._device, torch.float16 if self._half else torch.float32)
            ).logits
        rows: npt.NDArray[np.float32] = logits[0].float().log_softmax(dim=-1).cpu().numpy()
        return rows


def _found(spans: Sequence[Stretch], clip: TimeSpan, step: float) -> Found | None:
    if not spans:
        return None
    frames = sum(span.last - span.first for span in spans)
    mean = sum((span.last - span.first) * span.log_probability for span in spans) / frames
    return Found(
        clip.start + spans[0].first * step, clip.start + spans[-1].last * step, round(math.exp(mean), 4)
    )


def _usual(language: str) -> str:
    if language not in USUAL:
        raise ModelError(
            f"no usual CTC model for the language {language!r}",
            expected=" or ".join(USUAL),
            fix="name one with alignment.model, such as a wav2vec 2.0 model of a hub",
        )
    return USUAL[language]


def _language_of(words: Sequence[Word]) -> str:
    return "zh" if any(_han(letter) for word in words for letter in word.text) else "en"


def _han(letter: str) -> bool:
    return bool(letter) and HAN[0] <= letter <= HAN[1]

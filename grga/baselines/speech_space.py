"""Speech-text shared spaces: speech and text become vectors that can be compared, without a transcript.

A space is a folder with two ONNX graphs::

    config.json      {"name": "CLASP", "dimension": 768, "max_seconds": 30}
    audio.onnx       float32 (1, samples), mono 16 kHz, -1..1   ->  float32 (1, dimension)
    text.onnx        int64 input_ids (and, if it has them, attention_mask, token_type_ids), each (1, tokens)
                                                                ->  float32 (1, dimension)
    tokenizer.json   of the text encoder (Hugging Face tokenizers)

CLASP (Abootorabi and Asgari, ECIR 2025), which the paper uses, is published as a pickled fusion layer alone;
HuBERT, the spectrogram encoder and LaBSE around it have to be exported with it (docs/models.md).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE
from grga.errors import ModelError

Vectors = npt.NDArray[np.float32]
FILES = ("config.json", "audio.onnx", "text.onnx", "tokenizer.json")


class SpeechSpace(Protocol):
    """Embeds speech and text so that the cosine of a question and a clip says how well they fit."""

    name: str
    dimension: int

    def embed_text(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (n, dimension)."""
        ...

    def embed_audio(self, clips: Sequence[Vectors]) -> Vectors:
        """Return unit vectors of clips (each mono, 16 kHz, -1..1), shape (n, dimension)."""
        ...


class OnnxSpace:
    """A space exported to ONNX, in the layout above.

    Args:
        folder: Where its files are.

    Raises:
        ModelError: a file is missing or is not what it should be.
    """

    def __init__(self, folder: Path) -> None:
        missing = [file for file in FILES if not (folder / file).is_file()]
        if missing:
            raise ModelError(
                f"the speech-text space in {folder} is not complete",
                found=f"no {', '.join(missing)}",
                fix="export it as docs/models.md describes",
            )
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            settings = json.loads((folder / "config.json").read_text("utf-8"))
            self.name = str(settings["name"])
            self.dimension = int(settings["dimension"])
            self._longest = int(float(settings["max_seconds"]) * SAMPLE_RATE)
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._audio = onnxruntime.InferenceSession(folder / "audio.onnx")
            self._text = onnxruntime.InferenceSession(folder / "text.onnx")
        except Exception as error:  # each library has errors of its own, all of them mean a damaged file
            raise ModelError(
                f"the speech-text space in {folder} cannot be loaded",
                found=str(error).splitlines()[0] if str(error) else type(error).__name__,
                fix="export it as docs/models.md describes",
            ) from error

    def embed_text(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (n, dimension)."""
        return self._unit([self._text_vector(text) for text in texts])

    def embed_audio(self, clips: Sequence[Vectors]) -> Vectors:
        """Return unit vectors of clips, shape (n, dimension); a clip is read up to ``max_seconds``."""
        name = self._audio.get_inputs()[0].name
        return self._unit([self._audio.run(None, {name: clip[None, : self._longest]})[0] for clip in clips])

    def _text_vector(self, text: str) -> Any:
        encoding = self._tokenizer.encode(text)
        known = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        inputs = {one.name: np.array([known[one.name]], np.int64) for one in self._text.get_inputs()}
        return self._text.run(None, inputs)[0]

    def _unit(self, rows: Sequence[Any]) -> Vectors:
        vectors = np.array([np.ravel(row) for row in rows], np.float32).reshape(len(rows), -1)
        if rows and vectors.shape[1] != self.dimension:
            raise ModelError(
                f"the speech-text space {self.name} gives vectors of another length",
                found=vectors.shape[1],
                expected=self.dimension,
                fix="correct its config.json",
            )
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit


def load_speech_space(folder: Path | None) -> SpeechSpace:
    """Return the space in ``folder``.

    Raises:
        ModelError: no folder is given, or it does not hold a space.
    """
    if folder is None:
        raise ModelError(
            "the system 'audio_rag' needs a speech-text space such as CLASP",
            fix="give its folder: GRGA_LLM__SPEECH_SPACE=FOLDER (docs/models.md tells what is in it)",
        )
    return OnnxSpace(folder)

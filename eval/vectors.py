"""Vectors that are kept on disk, so that a corpus is encoded once however often it is asked."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grga.embedding import TextEncoder

Vectors = npt.NDArray[np.float32]


class KeptVectors:
    """A text encoder that looks on the disk first. Questions are not kept there: their time is measured.

    Args:
        encoder: What encodes.
        folder: Where the vectors of passages are kept, one file per list of passages.
    """

    def __init__(self, encoder: TextEncoder, folder: Path) -> None:
        self._encoder = encoder
        self._folder = folder
        self.name, self.dimension = encoder.name, encoder.dimension
        self.min_similarity = encoder.min_similarity

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the passages, read or made."""
        digest = hashlib.sha256("\n".join([self.name, *texts]).encode()).hexdigest()[:32]
        file = self._folder / f"{digest}.npy"
        if file.is_file():
            kept: Vectors = np.load(file)
            return kept
        vectors = self._encoder.encode_passages(texts)
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"~{os.getpid()}-{file.name}")
        np.save(draft, vectors)
        draft.replace(file)
        return vectors

    def encode_query(self, text: str) -> Vectors:
        """Return the vector of a question."""
        return self._encoder.encode_query(text)

    def forget_questions(self) -> None:
        """See :class:`grga.embedding.TextEncoder`."""
        self._encoder.forget_questions()

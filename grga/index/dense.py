"""Dense index: inner products of unit vectors, in FAISS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.errors import StoreError
from grga.types import Hit

_FILE = "dense.faiss"
Array = npt.NDArray[np.float32]


class DenseIndex:
    """Exact inner-product search; row numbers are utterance ids."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self._vectors: Array | None = None

    @classmethod
    def build(cls, vectors: Array) -> DenseIndex:
        """Index L2-normalised vectors, shape (n, d).

        Raises:
            ValueError: not two-dimensional.
        """
        import faiss

        if vectors.ndim != 2:
            raise ValueError(f"vectors must have shape (n, d), got {vectors.shape}")
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(np.ascontiguousarray(vectors, np.float32))
        return cls(index)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def dimension(self) -> int:
        """Width d of the vectors."""
        return int(self._index.d)

    @property
    def vectors(self) -> Array:
        """All vectors as stored, shape (n, d); read once."""
        if self._vectors is None:
            shape = (len(self), self.dimension)
            self._vectors = (
                self._index.reconstruct_n(0, len(self)) if len(self) else np.zeros(shape, np.float32)
            )
        return self._vectors

    def scores(self, vector: Array) -> Array:
        """Return the cosine of every row with ``vector`` (d,), shape (n,)."""
        scores: Array = self.vectors @ self._checked(vector)
        return scores

    def search(self, vector: Array, k: int) -> list[Hit]:
        """Return the ``k`` nearest rows, best first (fewer when the index is smaller)."""
        if k < 1 or not len(self):
            return []
        scores, ids = self._index.search(self._checked(vector)[None], min(k, len(self)))
        return [Hit(int(row), float(score)) for row, score in zip(ids[0], scores[0], strict=True)]

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``, which is made if needed."""
        import faiss

        folder.mkdir(parents=True, exist_ok=True)
        faiss.write_index(self._index, str(folder / _FILE))

    @classmethod
    def load(cls, folder: Path) -> DenseIndex:
        """Read the index from ``folder``.

        Raises:
            StoreError: no readable index there.
        """
        import faiss

        try:
            return cls(faiss.read_index(str(folder / _FILE)))
        except RuntimeError:
            raise StoreError(f"{folder} holds no readable dense index", fix="index it again") from None

    def _checked(self, vector: Array) -> Array:
        if vector.shape != (self.dimension,):
            raise ValueError(
                f"the query vector has shape {vector.shape}, the index needs ({self.dimension},)"
            )
        return np.ascontiguousarray(vector, np.float32)

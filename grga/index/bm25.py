"""Keyword index: BM25 over content words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.errors import StoreError
from grga.index.fusion import top
from grga.text import content_terms
from grga.types import Hit

_FILE = "bm25.json"


class BM25Index:
    """BM25 (k1 = 1.5, b = 0.75) over utterance texts; row numbers are utterance ids.

    Inverse document frequencies are ``log(1 + (N - n + 0.5) / (n + 0.5))``: always positive, so a word
    still counts in a meeting of two utterances.
    """

    def __init__(self, documents: list[list[str]]) -> None:
        self._documents = documents
        self._ranker = _ranker(documents) if any(documents) else None

    @classmethod
    def build(cls, texts: Sequence[str]) -> BM25Index:
        """Index these texts."""
        return cls([content_terms(text) for text in texts])

    def __len__(self) -> int:
        return len(self._documents)

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Return the score of every text, shape (n,); zeros when no word of the query occurs."""
        terms = content_terms(query)
        if self._ranker is None or not terms:
            return np.zeros(len(self), np.float32)
        return np.asarray(self._ranker.get_scores(terms), np.float32)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return up to ``k`` texts that share a word with ``query``, best first."""
        return top(self.scores(query), k)

    def idf(self, term: str) -> float:
        """Return how rare a term (as :func:`grga.text.content_terms` gives it) is; 0.0 when unseen."""
        return 0.0 if self._ranker is None else float(self._ranker.idf.get(term, 0.0))

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``, which is made if needed."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(json.dumps(self._documents, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, edited: Mapping[int, str] | None = None) -> BM25Index:
        """Read the index from ``folder``; of texts ``edited`` since then (row -> text) the words are found again.

        Raises:
            StoreError: no readable index there.
        """
        try:
            documents = json.loads((folder / _FILE).read_text(encoding="utf-8"))
            for row, text in (edited or {}).items():
                documents[row] = content_terms(text)
            return cls(documents)
        except (OSError, ValueError):
            raise StoreError(f"{folder} holds no readable keyword index", fix="index it again") from None


def _ranker(documents: list[list[str]]) -> Any:
    import math

    from rank_bm25 import BM25Okapi

    class Ranker(BM25Okapi):  # type: ignore[misc]  # rank-bm25 is untyped
        def _calc_idf(self, nd: dict[str, int]) -> None:
            for word, count in nd.items():
                self.idf[word] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))

    return Ranker(documents)

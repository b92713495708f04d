"""Text to vectors. Names: "e5" (preferred), "use" (fallback), "bge-m3", "auto" (the first that loads)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grga.errors import ModelError
from grga.models import ModelSource
from grga.registry import load

ENCODERS = {
    "e5": "grga.embedding.e5:E5Encoder",
    "use": "grga.embedding.use:UseEncoder",
    "bge-m3": "grga.embedding.bge_m3:BgeM3Encoder",
}
_PREFERENCE = ("e5", "use")


class TextEncoder(Protocol):
    """Turns text into unit vectors whose inner product says how related two texts are.

    Attributes:
        name: Which encoder this is ("e5", "use"); kept in the manifest, for vectors do not mix.
        dimension: Width of the vectors.
        min_similarity: The cosine (lambda) below which a passage is no better than an unrelated one;
            calibrated for this encoder, see its module.
    """

    name: str
    dimension: int
    min_similarity: float

    def encode_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one unit vector per text, shape (n, dimension). Equal texts are encoded once."""
        ...

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a question, shape (dimension,)."""
        ...

    def forget_questions(self) -> None:
        """Forget the vectors of questions asked before, so that the next answer pays for its own."""
        ...


def load_text_encoder(name: str = "auto", source: ModelSource = ModelSource()) -> TextEncoder:
    """Return the encoder called ``name``; "auto" takes the preferred one that loads.

    ``source`` says where its weights come from and run.

    Raises:
        ConfigError: no such name.
        ModelError: its weights are missing (with "auto": those of every encoder).
    """
    if name != "auto":
        encoder: TextEncoder = load("text encoder", name, ENCODERS)(source)
        return encoder
    problems = []
    for candidate in _PREFERENCE:
        try:
            return load_text_encoder(candidate, source)
        except ModelError as error:
            problems.append(str(error))
    raise ModelError("no text encoder can be loaded", found="; ".join(problems), fix="install one of them")

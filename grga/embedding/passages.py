"""Encode a transcript's lines and a conversation's questions without doing the same work twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from grga.text import clean, is_backchannel

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

Array = npt.NDArray[np.float32]

# All backchannels share this text's vector: they say the same, and a zero vector would be an outlier among
# the cosines that scores are normalised by.
BACKCHANNEL = "mm-hmm"


def encode_distinct(texts: Sequence[str], encode: Callable[[list[str]], Array], dimension: int) -> Array:
    """Return one row per text, calling ``encode`` once with the distinct texts only, shape (n, dimension)."""
    forms = [BACKCHANNEL if is_backchannel(text) else clean(text) for text in texts]
    row = {form: index for index, form in enumerate(dict.fromkeys(forms))}
    if not row:
        return np.zeros((0, dimension), np.float32)
    return encode(list(row))[[row[form] for form in forms]]


def remembered(encode: Callable[[list[str]], Array], size: int = 256) -> _lru_cache_wrapper[Array]:
    """Return a function from one text to its vector that keeps the last ``size`` vectors (read-only).

    An agent searches with the same question several times before it answers; ``cache_clear()`` of the
    function forgets them all.
    """

    @lru_cache(maxsize=size)
    def vector(text: str) -> Array:
        row: Array = encode([text])[0]
        row.setflags(write=False)
        return row

    return vector

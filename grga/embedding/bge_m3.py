"""BGE-M3 dense vectors (Chen et al. 2024, https://arxiv.org/abs/2402.03216): 1,024 numbers, many languages, MIT."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from grga.embedding.passages import encode_distinct, remembered
from grga.errors import ModelError
from grga.models import ModelSource, locate
from grga.models.device import batch_size, is_gpu, torch_device
from grga.models.pretrained import pretrained

Array = npt.NDArray[np.float32]

MODEL = "bge-m3"
MAX_TOKENS = 512
"""The model takes 8,192; an utterance that long would be a lecture, and time grows with the square."""
MOST_AT_ONCE = 64


class BgeM3Encoder:
    """The vector of a text is that of its first token (CLS), at unit length; no prefixes.

    Raises:
        ModelError: transformers is not installed, or the weights are missing, damaged or of another width.
    """

    name = "bge-m3"
    dimension = 1024
    # The paper's lambda, which was meant for this encoder.
    min_similarity = 0.25

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        self._device = torch_device(source.device)
        self._tokenizer, model = pretrained(locate(MODEL, source), "AutoTokenizer", "AutoModel")
        if (width := int(model.config.hidden_size)) != self.dimension:
            raise ModelError(
                "this is another model than BGE-M3",
                found=f"vectors of {width} numbers",
                expected=f"{self.dimension}",
                fix="get it again with `python -m grga models fetch bge-m3`",
            )
        self._model = (model.half() if is_gpu(self._device) else model).to(self._device).eval()
        self._query = remembered(self._vectors)

    def encode_passages(self, texts: Sequence[str]) -> Array:
        """Return one unit vector per text, shape (n, 1024)."""
        return encode_distinct(texts, self._vectors, self.dimension)

    def encode_query(self, text: str) -> Array:
        """Return the unit vector of a question, shape (1024,)."""
        return self._query(text)

    def forget_questions(self) -> None:
        """See :class:`grga.embedding.TextEncoder`."""
        self._query.cache_clear()

    def _vectors(self, texts: list[str]) -> Array:
        ids = self._tokenizer(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]
        vectors = np.empty((len(texts), self.dimension), np.float32)
        # Texts of like length share a batch, so that little of it is padding; the longest decide how many fit.
        order = sorted(range(len(texts)), key=lambda index: -len(ids[index]))
        while order:
            size = batch_size(self._device, self._bytes_of(len(ids[order[0]])), MOST_AT_ONCE)
            batch, order = order[:size], order[size:]
            vectors[batch] = self._encoded([ids[index] for index in batch])
        return vectors

    def _bytes_of(self, tokens: int) -> float:
        """Return about what one text of so many tokens takes at the widest point of the model."""
        config = self._model.config
        numbers = int(4 * config.hidden_size + config.intermediate_size + tokens * config.num_attention_heads)
        return 4.0 * tokens * numbers

    def _encoded(self, ids: list[list[int]]) -> Array:
        import torch

        padded = self._tokenizer.pad({"input_ids": ids}, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            states = self._model(padded["input_ids"], attention_mask=padded["attention_mask"])
            first = states.last_hidden_state[:, 0].float()
            unit: Array = torch.nn.functional.normalize(first, dim=-1).cpu().numpy()
        return unit

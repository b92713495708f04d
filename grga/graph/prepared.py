"""What every edge builder needs to know of the utterances, worked out once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grga.text import STOPWORDS, is_backchannel, names, stem, tokenize
from grga.types import Utterance


@dataclass(frozen=True)
class Prepared:
    """Utterances with their words and, if known, their unit vectors (row number = utterance id).

    Raises:
        ValueError: not one vector per utterance.
    """

    utterances: Sequence[Utterance]
    vectors: npt.NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if self.vectors is not None and len(self.vectors) != len(self.utterances):
            raise ValueError(f"{len(self.vectors)} vectors for {len(self.utterances)} utterances")

    @cached_property
    def tokens(self) -> list[list[str]]:
        """Lowercase words of each utterance, in order."""
        return [tokenize(utterance.text) for utterance in self.utterances]

    @cached_property
    def backchannel(self) -> list[bool]:
        """Whether each utterance only signals listening."""
        return [is_backchannel(utterance.text) for utterance in self.utterances]

    @cached_property
    def terms(self) -> list[dict[str, str]]:
        """For each utterance its content words: stem -> the form in which it was said."""
        return [
            {stem(token): token for token in tokens if token not in STOPWORDS and len(token.encode()) > 1}
            for tokens in self.tokens
        ]

    @cached_property
    def names(self) -> list[list[str]]:
        """Capitalised names of two and more words, and abbreviations, in each utterance."""
        return [
            [name for name in names(utterance.text) if " " in name or name.isupper()]
            for utterance in self.utterances
        ]

    @cached_property
    def document_frequency(self) -> Counter[str]:
        """In how many utterances each stem occurs."""
        return Counter(term for terms in self.terms for term in terms)

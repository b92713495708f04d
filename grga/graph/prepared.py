"""What every edge builder needs to know of the utterances, worked out once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grga.text import STOPWORDS, names, only_signals, stem, tokenize
from grga.types import Utterance

# Words that a search may well be about but that neither link two utterances nor mark a speaker or topic.
_LIGHT_WORDS = """
already come comes came coming thought think first second last next great good nice cool fine big little
look looks looking work works working start started end point put number time times day today people person
different whole able sense yet exactly wonder wondering sorry talk talking mention mentioned meeting idea
"""
_LIGHT = frozenset(stem(word) for word in _LIGHT_WORDS.split())


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
        return [only_signals(tokens) for tokens in self.tokens]

    @cached_property
    def terms(self) -> list[dict[str, str]]:
        """For each utterance its telling words: stem -> the form in which it was said."""
        return [
            {
                root: token
                for token in tokens
                if token not in STOPWORDS and len(token.encode()) > 1 and (root := stem(token)) not in _LIGHT
            }
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

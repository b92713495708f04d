"""``semantic``: a pronoun or short form points back to what it stands for.

A rule finds the anaphor; its antecedent is the utterance before it that fits best by meaning, nearness
and shared head noun. The weight is that fit: a stated confidence, not a certainty.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from grga.graph.prepared import Prepared
from grga.text import STOPWORDS, stem
from grga.types import Edge, EdgeType

_DEMONSTRATIVE_WORDS = "this that these those such 这个 那个 这些 那些 这种 那种 这 那"
_PRONOUN_WORDS = """
it this that these those they them he him she her 它 它们 他 她 他们 她们 这个 那个 这些 那些 这样 那样
"""
# Nouns that name a kind of statement rather than a thing; they match by meaning, not by the word.
_ABSTRACT_WORDS = """
idea point thing problem issue question way case option approach suggestion proposal decision part reason plan
concept one 想法 主意 问题 方案 建议 意见 情况 事情 东西 办法 决定 计划
"""
_NUMBER_WORDS = (
    "two three four five six seven eight nine ten twenty thirty forty fifty hundred thousand million"
)
_VERB_WORDS = "is are was were be will would can could should has have had might must may means makes sounds looks leaves gives time"

_DEMONSTRATIVES = frozenset(_DEMONSTRATIVE_WORDS.split())
_AMBIGUOUS = frozenset({"that", "这", "那"})
_PRONOUNS = frozenset(_PRONOUN_WORDS.split())
_ABSTRACT = frozenset(stem(noun) for noun in _ABSTRACT_WORDS.split())
_NUMBERS = frozenset(_NUMBER_WORDS.split())
_VERBS = frozenset(_VERB_WORDS.split())
# "it's important to", "it seems that": the pronoun stands for nothing said before.
_EMPTY_IT = re.compile(
    r"\bit(?:'s| is| was| would be| seems?| looks?)\s+(?:\w+ )?"
    r"(?:that|to|like|time|possible|important|hard|easy|clear)\b"
)


class _Anaphor(NamedTuple):
    label: str
    head: str | None


@dataclass(frozen=True)
class SemanticEdges:
    """v_j -> v_i: v_j's anaphor refers to v_i. At most one edge per utterance.

    Attributes:
        window: How many content utterances back a pronoun may point.
        noun_window: How many utterances back "that proposal" may point when the noun itself recurs.
        opening: A bare pronoun counts only among the first so many words; later ones usually stand for
            something within the same utterance.
        min_confidence: Weaker links are not made.
        meaning, nearness, head: Shares of the three parts of the fit; they add up to 1.
    """

    window: int = 8
    noun_window: int = 60
    opening: int = 6
    min_confidence: float = 0.35
    meaning: float = 0.45
    nearness: float = 0.30
    head: float = 0.25

    def build(self, prepared: Prepared) -> list[Edge]:
        """Return the edges, in order of the anaphor."""
        content: list[int] = []
        noun_mentions: dict[str, list[int]] = {}
        baseline = _baseline(prepared)
        edges = []
        for utterance in prepared.utterances:
            index = utterance.id
            if prepared.backchannel[index]:
                continue
            anaphor = find_anaphor(utterance.text, prepared.tokens[index], self.opening, noun_mentions)
            if anaphor is not None and content:
                recent = content[-self.window :]
                said = noun_mentions.get(anaphor.head or "", [])
                candidates = sorted({*recent, *(i for i in said[-3:] if index - i <= self.noun_window)})
                fits = self._fits(prepared, index, anaphor, candidates, baseline)
                best = int(np.argmax(fits))
                if fits[best] >= self.min_confidence:
                    weight = round(float(fits[best]), 4)
                    edges.append(Edge(index, candidates[best], EdgeType.SEMANTIC, weight, anaphor.label))
            content.append(index)
            for term in prepared.terms[index]:
                noun_mentions.setdefault(term, []).append(index)
        return edges

    def _fits(
        self,
        prepared: Prepared,
        index: int,
        anaphor: _Anaphor,
        candidates: list[int],
        baseline: np.ndarray | None,
    ) -> np.ndarray:
        """Return the fit of each candidate, 0..1."""
        places = np.array(candidates)
        nearness = 1.0 / (1.0 + 0.35 * (index - places - 1))
        head = np.array([anaphor.head is not None and anaphor.head in prepared.terms[i] for i in candidates])
        amount = np.array([min(len(prepared.terms[i]) / 3, 1.0) for i in candidates])
        if prepared.vectors is None or baseline is None:
            meaning = np.zeros(len(candidates))
        else:
            cosines = prepared.vectors[places] @ prepared.vectors[index]
            # The mean cosine with the whole meeting is what unrelated utterances have, in any encoder.
            meaning = np.clip(2 * (cosines - baseline[index]) / (1 - baseline[index] + 1e-6), 0, 1)
        return (self.meaning * meaning + self.nearness * nearness + self.head * head) * (0.4 + 0.6 * amount)


def find_anaphor(
    text: str, tokens: list[str], opening: int, known: Container[str] = frozenset()
) -> _Anaphor | None:
    """Return the strongest anaphor: "that idea" before a bare "it"; None when there is none.

    "that" also opens clauses ("I think that people…"), so with it the noun must be an abstract one or be
    ``known``: a stem that was said before.
    """
    for place, token in enumerate(tokens[:-1]):
        noun = tokens[place + 1]
        if token not in _DEMONSTRATIVES or not _can_be_noun(noun):
            continue
        root = stem(noun)
        if token in _AMBIGUOUS and root not in _ABSTRACT and root not in known:
            continue
        label = f"{token} {noun}" if token.isascii() else token + noun
        return _Anaphor(label, None if root in _ABSTRACT else root)
    lowered = text.lower()
    for token in tokens[:opening]:
        if token in _PRONOUNS and not (token == "it" and _EMPTY_IT.search(lowered)):
            return _Anaphor(token, None)
    return None


def _can_be_noun(word: str) -> bool:
    if word in STOPWORDS or word in _VERBS or word in _NUMBERS:
        return False
    return not word.isascii() or (len(word) > 2 and not word.endswith(("ly", "ed")))


def _baseline(prepared: Prepared) -> np.ndarray | None:
    """Return each utterance's mean cosine with all others."""
    if prepared.vectors is None or not len(prepared.utterances):
        return None
    mean: np.ndarray = prepared.vectors @ prepared.vectors.mean(axis=0)
    return mean

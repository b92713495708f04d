"""How far citations support an answer: whether what the question names is said by them, or right around them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.kinds import holds, kind_asked, names_kind
from grga.agent.policies.offline.relevance import terms_of
from grga.text import STOPWORDS, folded

AROUND = 10.0
"""Seconds around a citation in which a word of the question counts as said there."""
ENOUGH = 0.95
"""Least support of a verified answer. On QMSum questions of 14 development meetings, 77 % of the rightly cited
answers reach it, and 2 % of the answers to questions about other domains.
"""
PLENTY = 1.25
UNKNOWN_MEANING = 0.3
"""What stands for the meaning when there was no search by meaning: half-way between related and not."""


@dataclass(frozen=True, slots=True)
class Support:
    """How well citations fit the question.

    Attributes:
        covered: Share 0..1 of the question's content terms, by rarity, said in or around the citations. A
            term that the meeting never says weighs like the rarest one.
        meaning: How far the best cited utterance's cosine with the topic lies above the encoder's threshold,
            on the way to 1.
        lacking: Terms not said there, rarest first.
    """

    covered: float
    meaning: float
    lacking: tuple[str, ...]

    @property
    def value(self) -> float:
        """Words and meaning together: either can make up for some of the other."""
        return self.covered + max(self.meaning, 0.0)


def support_of(case: Case, ids: Sequence[int], terms: Sequence[str] | None = None) -> Support:
    """Return the support that these utterances give to the question's terms (or to ``terms``)."""
    terms = case.reading.focus.terms if terms is None else terms
    # "putting" is no stopword, but its stem is one: it constrains nothing.
    terms = [term for term in terms if term not in STOPWORDS]
    if not terms:
        return Support(1.0, 0.0, ())
    near = {term for id in around(case, ids) for term in terms_of(case.utterance(id).text)}
    kind = kind_asked(case.belief.question, case.reading.constraints.metadata.form)
    if kind == "name" or (kind and any(holds(kind, case.utterance(id).text) for id in ids)):
        # "Four hundred pounds" says a price without the word, and nobody says "name" to give one.
        near |= {term for term in terms if names_kind(kind, term)}
    # Han words may be cut differently in the question and in the meeting.
    said = folded(" ".join(case.utterance(id).text for id in sorted(around(case, ids))))
    near |= {term for term in terms if not term.isascii() and term in said}
    weights = {term: rarity(case, term) for term in terms}
    lacking = sorted((term for term in weights if term not in near), key=lambda term: -weights[term])
    covered = 1 - sum(weights[term] for term in lacking) / sum(weights.values())
    return Support(covered, _meaning(case, ids), tuple(lacking))


def rarity(case: Case, term: str) -> float:
    """Return the term's idf; one that is never said weighs like the rarest."""
    return case.indexed.bm25.idf(term) or math.log(2 * len(case.indexed.bm25) + 2)


def around(case: Case, ids: Iterable[int]) -> set[int]:
    """Return these utterances and those within ``AROUND`` seconds of them."""
    utterances = case.meeting.utterances
    near: set[int] = set()
    for id in ids:
        near.add(id)
        for step in (-1, 1):
            other = id + step
            while 0 <= other < len(utterances) and _apart(case, id, other) < AROUND:
                near.add(other)
                other += step
    return near


def _apart(case: Case, one: int, other: int) -> float:
    a, b = case.utterance(one).span, case.utterance(other).span
    return max(b.start - a.end, a.start - b.end)


def _meaning(case: Case, ids: Sequence[int]) -> float:
    search = case.belief.observation("topic") or case.belief.observation("meaning")
    if search is None or search.call.name != "semantic_search":
        return UNKNOWN_MEANING
    threshold = case.indexed.encoder.min_similarity
    best = max((one.score for one in search.found if one.id in set(ids)), default=threshold)
    return (best - threshold) / (1 - threshold)

"""How likely an utterance belongs to the passage that answers, from what the searches brought.

One utterance alone says little: the answer is usually a passage of a minute or more, in which the
question's words are spread over turns and speakers. So an utterance is scored together with its
neighbours in time: its own similarity in meaning and words, how much of the question's wording is said
within half a minute and a minute and a half of it, whether the speaker in question is talking there, and
whether the wider discussion named in the question is near.

The score is linear in these features. The weights were fitted on questions of AMI meetings (QMSum, train
split) to put probability mass on the annotated passages; `benchmarks/qmsum_citations.py` measures the
result on meetings that were not used.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from grga.agent.belief import Belief
from grga.agent.policies.offline.decompose import Reading
from grga.index.bm25 import BM25Index
from grga.text import content_terms
from grga.types import Utterance

Array = npt.NDArray[np.float64]

FEWEST_WORDS = 4
"""Shorter utterances are not evidence of their own; they may still surround it."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each feature; features lie roughly in 0..1 (d15, d45, c120: z-scores)."""

    meaning: float = 1.9
    words: float = 2.0
    meaning_15: float = 0.15
    meaning_45: float = 0.15
    covered_30: float = 1.3
    covered_90: float = 1.7
    setting_120: float = 0.3
    speaker: float = 1.9
    speaker_45: float = 1.9
    length: float = 0.5


@dataclass(frozen=True)
class Relevance:
    """Scores of all utterances, shape (n,), and how much of the question each one's surroundings cover.

    ``candidates`` are ids in descending order of score: found by a search and long enough to say
    something. ``covered`` (0..1) is the share of the question's known terms, weighted by rarity, said
    within 30 seconds; ``heard`` (0..1) the share of its terms that occur in the meeting at all;
    ``similarity`` the best cosine of any search by meaning.
    """

    scores: Array
    covered: Array
    heard: float
    candidates: tuple[int, ...]
    similarity: float | None


def relevance(
    belief: Belief,
    reading: Reading,
    utterances: tuple[Utterance, ...],
    bm25: BM25Index,
    weights: Weights = Weights(),
) -> Relevance:
    """Score every utterance by the evidence found so far."""
    count = len(utterances)
    meaning, words = (
        _found_scores(belief, count, "semantic_search"),
        _found_scores(belief, count, "keyword_search"),
    )
    mixed = _found_scores(belief, count, "hybrid_search", skip="setting")
    setting = _found_scores(belief, count, "hybrid_search", only="setting")
    if not meaning.any() and not words.any():
        meaning = words = mixed
    middles = np.array([one.span.middle for one in utterances])
    sizes = np.array([len(one.text.split()) for one in utterances], float)
    covered_30 = covered_90 = np.zeros(count)
    terms = search_terms(belief, reading)
    if terms:
        covered_30, covered_90 = (_covered(terms, utterances, middles, bm25, reach) for reach in (30.0, 90.0))
    heavy = np.where(sizes < 3, 0.0, np.minimum(sizes, 30.0))
    features = {
        "meaning": meaning,
        "words": words,
        "meaning_15": _z(_smooth(meaning, heavy, middles, 15.0)),
        "meaning_45": _z(_smooth(meaning, heavy, middles, 45.0)),
        "covered_30": covered_30,
        "covered_90": covered_90,
        "setting_120": _z(_smooth(setting, heavy, middles, 120.0)) if setting.any() else np.zeros(count),
        "length": np.log(np.maximum(sizes, 1.0)),
    }
    wanted = reading.constraints.metadata.speakers
    if wanted:
        speaks = np.array([one.speaker in wanted for one in utterances], float)
        features["speaker"] = speaks
        features["speaker_45"] = _smooth(speaks, heavy, middles, 45.0)
    scores = sum(
        (
            getattr(weights, field.name) * features[field.name]
            for field in fields(Weights)
            if field.name in features
        ),
        np.zeros(count),
    )
    known = belief.evidence
    order = np.argsort(-scores, kind="stable")
    candidates = tuple(int(id) for id in order if id in known and says_something(utterances[id]))
    return Relevance(scores, covered_30, _heard(terms, bm25), candidates, _best_cosine(belief))


def search_terms(belief: Belief, reading: Reading) -> tuple[str, ...]:
    """Return the terms the answer should be about: the topic's, else all of the question's."""
    return reading.focus.terms or tuple(dict.fromkeys(content_terms(belief.question)))


def says_something(utterance: Utterance) -> bool:
    """Return whether the utterance has enough words to be cited for what it says."""
    return len(utterance.text.split()) >= FEWEST_WORDS or len(terms_of(utterance.text)) >= 2


def _found_scores(belief: Belief, count: int, tool: str, *, only: str = "", skip: str = "") -> Array:
    """Return the best score of each utterance from one tool's searches, each search scaled to 0..1."""
    best = np.zeros(count)
    for observation in belief.observations:
        name = observation.call.result
        if (
            observation.call.name != tool
            or not observation.found
            or (only and name != only)
            or (skip and name == skip)
        ):
            continue
        scores = np.array([one.score for one in observation.found])
        floor = float(scores.min()) if tool == "semantic_search" and len(scores) > 1 else 0.0
        top = float(scores.max()) - floor
        ids = [one.id for one in observation.found]
        best[ids] = np.maximum(best[ids], (scores - floor) / top if top > 0 else 1.0)
    return best


def _heard(terms: tuple[str, ...], bm25: BM25Index) -> float:
    """Share of the terms that occur in the meeting; one that never does weighs like the rarest."""
    unseen = float(np.log(2 * len(bm25) + 2))
    weights = [bm25.idf(term) for term in terms]
    total = sum(weight or unseen for weight in weights)
    return sum(weights) / total if total > 0 else 0.0


@lru_cache(maxsize=65_536)
def terms_of(text: str) -> frozenset[str]:
    """Return the different content terms of an utterance's text."""
    return frozenset(content_terms(text))


def _best_cosine(belief: Belief) -> float | None:
    cosines = [
        one.score
        for observation in belief.observations
        if observation.call.name == "semantic_search"
        for one in observation.found[:1]
    ]
    return max(cosines, default=None)


def _covered(
    terms: tuple[str, ...], utterances: tuple[Utterance, ...], middles: Array, bm25: BM25Index, reach: float
) -> Array:
    """Share of the terms said within ``reach`` seconds of each utterance, weighted by rarity."""
    weight = {term: bm25.idf(term) for term in terms}
    total = sum(weight.values())
    covered = np.zeros(len(utterances))
    if total <= 0:
        return covered
    said = [terms_of(one.text) for one in utterances]
    left = np.searchsorted(middles, middles - reach, side="left")
    right = np.searchsorted(middles, middles + reach, side="right")
    for term, rarity in weight.items():
        running = np.concatenate(([0], np.cumsum([term in one for one in said])))
        covered += rarity / total * (running[right] > running[left])
    return covered


def _smooth(values: Array, weights: Array, middles: Array, seconds: float) -> Array:
    """Weighted mean of ``values`` around each utterance, by a Gaussian of ``seconds``."""
    result = np.zeros(len(values))
    left = np.searchsorted(middles, middles - 3 * seconds, side="left")
    right = np.searchsorted(middles, middles + 3 * seconds, side="right")
    for row, (start, end) in enumerate(zip(left, right, strict=True)):
        kernel = weights[start:end] * np.exp(-0.5 * ((middles[start:end] - middles[row]) / seconds) ** 2)
        total = kernel.sum()
        result[row] = kernel @ values[start:end] / total if total > 0 else 0.0
    return result


def _z(values: Array) -> Array:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 0 else np.zeros(len(values))

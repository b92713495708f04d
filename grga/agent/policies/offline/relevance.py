"""How likely an utterance belongs to the passage that answers, from what the searches brought.

One utterance alone says little: the answer is usually a passage of a minute or more, in which the
question's words are spread over turns and speakers. So an utterance is scored together with its
neighbours in time: its own similarity in meaning and words, how much of the topic's wording is said
within half a minute and a minute and a half of it, whether the speaker in question is talking there, and
whether the wider discussion named in the question is near.

The score is linear in these features. The weights were fitted on 387 questions about 62 AMI meetings
(QMSum, train and validation splits) to put probability mass on the annotated passages;
`python -m benchmarks.qmsum_citations` measures the result on five meetings that were not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from grga.agent.belief import Belief
from grga.agent.policies.offline.decompose import Reading
from grga.agent.steps import Observation
from grga.index.bm25 import BM25Index
from grga.text import content_terms, has_han, is_backchannel, word_count
from grga.types import Utterance

Array = npt.NDArray[np.float64]

FEWEST_WORDS = 4
"""Shorter utterances are not evidence of their own; they may still surround it."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each feature; features lie in 0..1, but ``setting`` (a z-score) and ``length`` (log words).

    Attributes:
        question: Similarity in meaning to the whole question.
        topic: Similarity in meaning to its topic alone.
        words: Keyword score for the topic.
        covered_30, covered_90: Share of the topic's words, by rarity, said within so many seconds.
        setting: How near the wider discussion is that the question names.
        speaker: Whether the speaker in question talks.
        speaker_near: That speaker's share of the talk nearby.
        length: Longer turns say more.
    """

    question: float = 1.65
    topic: float = 1.35
    words: float = 2.7
    covered_30: float = 1.15
    covered_90: float = 1.35
    setting: float = 0.1
    speaker: float = 1.1
    speaker_near: float = 2.15
    length: float = 0.27


WEIGHTS = Weights()


@dataclass(frozen=True)
class Relevance:
    """Scores of all utterances, shape (n,), and how much of the question each one's surroundings cover.

    ``candidates`` are ids in descending order of score: found by a search and long enough to say
    something. ``covered_most`` (0..1) is the largest share of the topic's known words, by rarity, that is
    said within 30 seconds; ``heard`` (0..1) the share of its words that occur in the meeting at all;
    ``similarity`` the best cosine with the topic of an utterance that says something.
    """

    scores: Array
    covered_most: float
    heard: float
    candidates: tuple[int, ...]
    similarity: float | None


def relevance(
    belief: Belief, reading: Reading, utterances: tuple[Utterance, ...], bm25: BM25Index
) -> Relevance:
    """Score every utterance by the evidence found so far."""
    count = len(utterances)
    middles = np.array([one.span.middle for one in utterances])
    sizes = np.array([word_count(one.text) for one in utterances], float)
    heavy = np.where(sizes < 3, 0.0, np.minimum(sizes, 30.0))
    by_meaning, by_words = _searches(belief, "semantic_search"), _searches(belief, "keyword_search")
    mixed = [one for one in _searches(belief, "hybrid_search") if one.call.result != "setting"]
    whole = [one for one in by_meaning if one.call.result == "meaning"]
    topical = [one for one in by_meaning if one.call.result != "meaning"] or whole
    terms = search_terms(belief, reading)
    covered = [_covered(terms, utterances, middles, bm25, reach) for reach in (30.0, 90.0)]
    features = {
        "question": _best_scores(whole or mixed, count),
        "topic": _best_scores(topical or mixed, count),
        "words": _best_scores(by_words or mixed, count),
        "covered_30": covered[0],
        "covered_90": covered[1],
        "length": np.log(np.maximum(sizes, 1.0)),
    }
    setting = [one for one in _searches(belief, "hybrid_search") if one.call.result == "setting"]
    if setting:
        features["setting"] = _z(_smooth(_best_scores(setting, count), heavy, middles, 120.0))
    wanted = reading.constraints.metadata.speakers
    if wanted:
        speaks = np.array([one.speaker in wanted for one in utterances], float)
        features["speaker"] = speaks
        features["speaker_near"] = _smooth(speaks, heavy, middles, 45.0)
    scores = np.zeros(count)
    for name, values in features.items():
        scores += getattr(WEIGHTS, name) * values
    order = np.argsort(-scores, kind="stable")
    known = belief.evidence
    candidates = tuple(int(id) for id in order if id in known and says_something(utterances[id]))
    return Relevance(
        scores=scores,
        covered_most=float(covered[0].max(initial=0.0)),
        heard=_heard(terms, bm25),
        candidates=candidates,
        similarity=_best_cosine(by_meaning, utterances),
    )


def search_terms(belief: Belief, reading: Reading) -> tuple[str, ...]:
    """Return the terms the answer should be about: the topic's, else all of the question's."""
    return reading.focus.terms or tuple(dict.fromkeys(content_terms(belief.question)))


def says_something(utterance: Utterance) -> bool:
    """Return whether the utterance has enough words to be cited for what it says."""
    if word_count(utterance.text) >= FEWEST_WORDS or len(terms_of(utterance.text)) >= 2:
        return True
    # Two Chinese words may be a whole answer: 三百块, 我来.
    return has_han(utterance.text) and not is_backchannel(utterance.text)


def _searches(belief: Belief, tool: str) -> list[Observation]:
    return [one for one in belief.observations if one.call.name == tool and one.found]


def _best_scores(searches: list[Observation], count: int) -> Array:
    """Return each utterance's best score of some searches, each search scaled to 0..1; unfound = 0."""
    best = np.zeros(count)
    for search in searches:
        scores = np.array([one.score for one in search.found])
        # Cosines have a high floor: the last one found is as good as none.
        floor = float(scores.min()) if search.call.name == "semantic_search" and len(scores) > 1 else 0.0
        top = float(scores.max()) - floor
        ids = [one.id for one in search.found]
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


def _best_cosine(searches: list[Observation], utterances: tuple[Utterance, ...]) -> float | None:
    """Return the best cosine with the topic, of the searches for the question itself."""
    by_name = {one.call.result: one for one in searches}
    search = by_name.get("topic") or by_name.get("meaning")
    if search is None:
        return None
    return max((one.score for one in search.found if says_something(utterances[one.id])), default=None)


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

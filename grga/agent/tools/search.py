"""Retrieval: by words (BM25), by meaning (dense vectors), and by both."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import Field

from grga.agent.steps import Found
from grga.agent.tools.base import Arguments, Context, Result
from grga.index.fusion import hybrid


class SearchArguments(Arguments):
    """``limit`` is the most utterances to return."""

    query: str = Field(min_length=1, description="what to look for")
    limit: int = Field(10, ge=1, le=10_000, description="most utterances to return")


class HybridArguments(SearchArguments):
    """``alpha`` is the share of meaning, the rest is words; both are normalised to 0..1."""

    alpha: float = Field(0.6, ge=0, le=1, description="share of the semantic score")


class KeywordSearch:
    """Utterances that contain the query's words, rarer words counting more."""

    name = "keyword_search"
    description = "Find utterances that contain the query's words (BM25); for names, terms, numbers."
    arguments = SearchArguments
    needs: frozenset[str] = frozenset()

    def run(self, arguments: SearchArguments, context: Context) -> Result:
        """Return the best utterances with a BM25 score above zero."""
        scores = context.meeting.bm25.scores(arguments.query)
        return Result(_best(scores, arguments.limit, 0.0, "words", context))


class SemanticSearch:
    """Utterances whose meaning is near the query's, by cosine similarity."""

    name = "semantic_search"
    description = "Find utterances whose meaning is close to the query (dense vectors); for ideas."
    arguments = SearchArguments
    needs: frozenset[str] = frozenset()

    def run(self, arguments: SearchArguments, context: Context) -> Result:
        """Return the nearest utterances, whatever their similarity; the score is the cosine."""
        scores = context.meeting.dense.scores(context.meeting.encoder.encode_query(arguments.query))
        return Result(_best(scores, arguments.limit, -np.inf, "meaning", context))


class HybridSearch:
    """Words and meaning together: ``alpha`` x dense + (1 - alpha) x BM25, each normalised."""

    name = "hybrid_search"
    description = "Find utterances by words and meaning together; the best first search for most questions."
    arguments = HybridArguments
    needs = frozenset({"keyword_search", "semantic_search"})

    def run(self, arguments: HybridArguments, context: Context) -> Result:
        """Return the best utterances by the combined score in 0..1."""
        meeting = context.meeting
        dense = meeting.dense.scores(meeting.encoder.encode_query(arguments.query))
        scores = hybrid(meeting.bm25.scores(arguments.query), dense, alpha=arguments.alpha)
        return Result(_best(scores, arguments.limit, 0.0, "words and meaning", context))


def _best(
    scores: npt.NDArray[np.float32], limit: int, above: float, why: str, context: Context
) -> tuple[Found, ...]:
    """Return the ``limit`` best-scored utterances inside the scope; ties keep time order."""
    found: list[Found] = []
    for id in np.argsort(-scores, kind="stable"):
        if len(found) == limit or scores[id] <= above:
            break
        if context.scope.allows(context.utterances[id]):
            found.append(Found(int(id), round(float(scores[id]), 4), why))
    return tuple(found)

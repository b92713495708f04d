"""Which meetings are worth asking, and in which order.

What a meeting is worth is its best hybrid score. Keyword scores and cosines are normalised over the
utterances of all meetings together, since each meeting has a best utterance of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from grga.errors import QuestionError
from grga.index.fusion import ALPHA, normalise
from grga.library.records import Candidate, Event, Note
from grga.scopes import Limits, find_speaker
from grga.text import content_terms
from grga.types import Meeting, Scope

if TYPE_CHECKING:
    from grga.store import IndexedMeeting

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class View:
    """What is kept of a meeting after a look: scores of the utterances within the limits, shape (n,)."""

    candidate: Candidate
    scope: Scope
    keywords: Scores
    cosines: Scores
    encoder: str


def look(question: str, candidate: Candidate, limits: Limits, queries: dict[str, Scores]) -> View | Note:
    """Return how promising a meeting is, or a note that it has nothing within the limits.

    Args:
        question: In plain words.
        candidate: The meeting, which is read here and let go.
        limits: Only utterances inside them count.
        queries: The question's vector by encoder, filled here, so that each encoder sees it once.

    Raises:
        GrgaError: it cannot be read.
    """
    loaded = candidate.load()
    scope = _scope(limits, loaded.meeting)
    if scope is None:
        return Note(Event.LEFT_OUT, f"nobody in this meeting is called {' or '.join(limits.speakers)}")
    inside = np.array([scope.allows(utterance) for utterance in loaded.meeting.utterances], dtype=bool)
    if not inside.any():
        return Note(Event.LEFT_OUT, "nothing is said within these limits in this meeting")
    encoder = loaded.encoder
    if encoder.name not in queries:
        queries[encoder.name] = encoder.encode_query(question)
    cosines = loaded.dense.scores(queries[encoder.name])
    return View(candidate, scope, _keywords(question, loaded)[inside], cosines[inside], encoder.name)


def most_promising(views: Sequence[View]) -> list[View]:
    """Return the views, the one with the best hybrid score first; equal ones in the order given."""
    if len(views) < 2:
        return list(views)
    keywords = normalise(np.concatenate([view.keywords for view in views]))
    cosines = np.zeros_like(keywords)
    rows = np.repeat([view.encoder for view in views], [len(view.keywords) for view in views])
    pooled = np.concatenate([view.cosines for view in views])
    for encoder in set(rows):  # cosines of two encoders have nothing in common
        cosines[rows == encoder] = normalise(pooled[rows == encoder])
    mixed = ALPHA * cosines + (1 - ALPHA) * keywords
    ends = np.cumsum([len(view.keywords) for view in views])
    best = [float(scores.max()) for scores in np.split(mixed, ends[:-1])]
    order = sorted(range(len(views)), key=lambda position: -best[position])
    return [views[position] for position in order]


def _keywords(question: str, loaded: IndexedMeeting) -> Scores:
    """Return keyword scores as shares of what a line with every word of the question would get.

    A word is rare in one meeting and all over another: the plain scores of a meeting that is all about
    the fee would lie below those of one that mentions it once.
    """
    rarest = math.log(1 + (len(loaded.bm25) + 0.5) / 0.5)
    ceiling = sum(loaded.bm25.idf(term) or rarest for term in set(content_terms(question)))
    return loaded.bm25.scores(question) / np.float32(ceiling or 1.0)


def _scope(limits: Limits, meeting: Meeting) -> Scope | None:
    """Return the limits as meant in ``meeting``; None when none of the names is anybody's there."""
    ids = set()
    for name in limits.speakers:
        try:
            ids.add(find_speaker(name, meeting))
        except QuestionError:
            continue  # somebody of another meeting
    return None if limits.speakers and not ids else Scope(frozenset(ids) or None, limits.span)

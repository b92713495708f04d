"""Text RAG: retrieve the nearest utterances and answer from them alone (paper, section 4.1).

Unit: ``[start - end] SPEAKER: text``. The top 10 by cosine, those at least lambda similar, in order of time.
Lambda 0.25 belongs to BGE-M3; every encoder here brings its own (``encoder.min_similarity``), because the
cosines of e5 are squeezed into 0.75-0.93 and nothing would ever be left out.

The units' vectors differ from the index's, which encode the words alone, so they are computed once per
meeting at the first question and kept in memory. The answer is composed without a model: it is the
retrieved units, and every one of them is cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from grga.agent.agent import checked_question
from grga.agent.steps import EVERYWHERE, Draft, Found, Observation, Plan, Step, ToolCall
from grga.types import Answer, Citation, Cost, Meeting, Scope, Sentence, Utterance

if TYPE_CHECKING:
    from grga.store import IndexedMeeting

TOP_K = 10

Vectors = npt.NDArray[np.float32]


class TextRag:
    """Dense retrieval over utterances, answered by quoting what was retrieved.

    Args:
        top_k: Most units to retrieve.
        min_similarity: Least cosine (lambda); None takes the encoder's own.
    """

    name = "text_rag"

    def __init__(self, top_k: int = TOP_K, min_similarity: float | None = None) -> None:
        self.top_k = top_k
        self.min_similarity = min_similarity
        self._vectors: WeakKeyDictionary[object, Vectors] = WeakKeyDictionary()

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope = EVERYWHERE) -> Iterator[Step]:
        """Yield the one search, the draft and the answer.

        Raises:
            QuestionError: an empty question.
        """
        question = checked_question(question)
        vectors = self.unit_vectors(meeting)
        began = perf_counter()
        call = ToolCall("semantic_search", {"query": question, "limit": self.top_k}, "r1")
        yield Plan(1, (call,), "retrieve the nearest utterances")
        found = self._retrieve(question, meeting, vectors, scope)
        retrieved = perf_counter() - began
        yield Observation(1, call, found, seconds=retrieved)
        utterances = [meeting.meeting.utterances[id] for id in sorted(one.id for one in found)]
        sentences = tuple(Sentence(unit(one, meeting.meeting), (one.id,)) for one in utterances)
        if not sentences:
            sentences = (Sentence("This meeting does not say."),)
        yield Draft(1, sentences, found=bool(utterances))
        seconds = perf_counter() - began
        yield Answer(
            question=question,
            sentences=sentences,
            citations=tuple(Citation.of(meeting.meeting, one) for one in utterances),
            verified=False,
            reflection_score=None,
            found=bool(utterances),
            system=self.name,
            policy="offline",
            cost=Cost(seconds, {"execute": retrieved, "synthesize": seconds - retrieved}, tool_calls=1),
        )

    def unit_vectors(self, meeting: IndexedMeeting) -> Vectors:
        """Return the unit vectors of this meeting's units, shape (n, d), computed at the first call."""
        key = meeting.dense
        if key not in self._vectors:
            units = [unit(one, meeting.meeting) for one in meeting.meeting.utterances]
            self._vectors[key] = meeting.encoder.encode_passages(units)
        return self._vectors[key]

    def _retrieve(
        self, question: str, meeting: IndexedMeeting, vectors: Vectors, scope: Scope
    ) -> tuple[Found, ...]:
        least = meeting.encoder.min_similarity if self.min_similarity is None else self.min_similarity
        cosines = vectors @ meeting.encoder.encode_query(question)
        found: list[Found] = []
        for id in np.argsort(-cosines, kind="stable"):
            if len(found) == self.top_k or cosines[id] < least:
                break
            if scope.allows(meeting.meeting.utterances[id]):
                found.append(Found(int(id), round(float(cosines[id]), 4), "meaning"))
        return tuple(found)


def unit(utterance: Utterance, meeting: Meeting) -> str:
    """Return ``[start - end] SPEAKER: text``, times in seconds."""
    speaker = meeting.name_of(utterance)
    return f"[{utterance.start:.2f} - {utterance.end:.2f}] {speaker}: {utterance.text}"

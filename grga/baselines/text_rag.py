"""Text RAG: retrieve the nearest utterances and answer from them alone (paper, section 4.1).

Unit: ``[start - end] SPEAKER: text``. The top 10 by cosine, those at least lambda similar, in order of time.
Lambda 0.25 belongs to BGE-M3; every encoder here brings its own (``encoder.min_similarity``), because the
cosines of e5 are squeezed into 0.75-0.93 and nothing would ever be left out.

The units' vectors differ from the index's, which encode the words alone, so they are computed once per
meeting at the first question and kept in memory. A model answers strictly from the retrieved units, which
it gets with their marks; without one the answer is the units with clock times, every one of them cited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from grga.agent.agent import checked_question
from grga.agent.policies.llm.material import evidence_line
from grga.agent.policies.llm.policy import NOTHING
from grga.agent.steps import EVERYWHERE, Draft, Found, Observation, Plan, Step, ToolCall
from grga.baselines.writing import conclude, write_answer
from grga.llm.material import block
from grga.scopes import clock
from grga.types import Meeting, Scope, Sentence, Utterance

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
    from grga.store import IndexedMeeting

TOP_K = 10

Vectors = npt.NDArray[np.float32]


class TextRag:
    """Dense retrieval over utterances, answered by a model or by quoting what was retrieved.

    Args:
        client: The model that writes the answer; None quotes what was retrieved.
        top_k: Most units to retrieve.
        min_similarity: Least cosine (lambda); None takes the encoder's own.
    """

    name = "text_rag"

    def __init__(
        self, client: ChatClient | None = None, top_k: int = TOP_K, min_similarity: float | None = None
    ) -> None:
        self.client = client
        self.top_k = top_k
        self.min_similarity = min_similarity
        self._vectors: WeakKeyDictionary[object, Vectors] = WeakKeyDictionary()

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope = EVERYWHERE) -> Iterator[Step]:
        """Yield the one search, the draft and the answer.

        Raises:
            QuestionError: an empty question.
            ModelServerError: the model's server failed.
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
        draft = self._write(question, utterances, meeting.meeting)
        seconds = perf_counter() - began - retrieved
        yield replace(draft, seconds=seconds)
        yield conclude(
            question,
            draft,
            meeting.meeting,
            system=self.name,
            policy=self.client.model if self.client else "offline",
            phases={"execute": retrieved, "synthesize": seconds},
            tool_calls=1,
        )

    def _write(self, question: str, utterances: Sequence[Utterance], meeting: Meeting) -> Draft:
        """Return the model's answer from these utterances, or without a model the units themselves."""
        if not utterances:
            return Draft(1, NOTHING, found=False)
        if self.client is None:
            return Draft(1, tuple(Sentence(shown(one, meeting), (one.id,)) for one in utterances))
        context = block("evidence", (evidence_line(one, meeting, ()) for one in utterances))
        return write_answer(self.client, question, context, {one.id for one in utterances}, meeting)

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


def shown(utterance: Utterance, meeting: Meeting) -> str:
    """Return the unit as people read it: ``[m:ss–m:ss] SPEAKER: text``."""
    span = f"{clock(utterance.start)}–{clock(utterance.end)}"
    return f"[{span}] {meeting.name_of(utterance)}: {utterance.text}"

"""Audio RAG: retrieve clips by their sound and let a model that hears answer from them (paper, section 4.1).

Clips are the utterances' spans, as diarization cut them. A speech-text space embeds them and the question; the
nearest ones go to the model in order of time, each behind its mark. No transcript is read, neither for the
search nor for the answer; citations, quotations and times are checked as everywhere.

The clips' vectors are computed once per meeting at the first question and kept in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from grga.agent.agent import checked_question
from grga.agent.policies.llm.citations import read_sentences
from grga.agent.policies.llm.policy import NOTHING, tokens_of
from grga.agent.steps import EVERYWHERE, Draft, Found, Observation, Plan, Step, ToolCall
from grga.audio import Waveform
from grga.baselines.speech_space import SpeechSpace, Vectors, load_speech_space
from grga.baselines.writing import conclude
from grga.errors import ModelServerError, QuestionError
from grga.llm.audio import hear
from grga.llm.material import plain
from grga.llm.prompts import read_prompt
from grga.types import Meeting, Scope, Utterance

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
    from grga.store import IndexedMeeting

PROMPT = Path(__file__).parent / "prompts" / "audio_rag.md"
TOP_M = 5
SHORTEST = 0.5
"""Seconds; shorter clips hold no more than a "yes", which fits every question alike."""
NOT_FOUND = "not found"
LONGEST_ANSWER = 500
_LONGEST_NAME = 60


class AudioRag:
    """Retrieval over clips, answered by a model that hears.

    Args:
        client: The model.
        space: Where clips and question are compared; None loads the one that the settings name.
        top_m: Most clips to send.
    """

    name = "audio_rag"

    def __init__(self, client: ChatClient, space: SpeechSpace | None = None, top_m: int = TOP_M) -> None:
        self.client = client
        self.top_m = top_m
        self._space = space
        self._vectors: WeakKeyDictionary[object, Vectors] = WeakKeyDictionary()

    @property
    def space(self) -> SpeechSpace:
        """The speech-text space, loaded at first use.

        Raises:
            ModelError: none is given, or its files are not there.
        """
        if self._space is None:
            self._space = load_speech_space(self.client.settings.speech_space)
        return self._space

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope = EVERYWHERE) -> Iterator[Step]:
        """Yield the one search, the draft and the answer.

        Raises:
            QuestionError: an empty question, or a meeting without a recording.
            ModelError: no speech-text space.
            ModelServerError: the server failed, or its model does not hear.
        """
        question = checked_question(question)
        waveform = meeting.waveform
        if waveform is None:
            raise QuestionError("this meeting has no recording to hear", fix="import it with its recording")
        vectors = self.clip_vectors(meeting, waveform)
        began = perf_counter()
        call = ToolCall("speech_search", {"query": question, "limit": self.top_m}, "r1")
        yield Plan(1, (call,), "retrieve the clips nearest to the question")
        found = self._retrieve(question, meeting.meeting, vectors, scope)
        retrieved = perf_counter() - began
        yield Observation(1, call, found, seconds=retrieved)
        utterances = [meeting.meeting.utterances[id] for id in sorted(one.id for one in found)]
        draft = Draft(1, NOTHING, found=False)
        if utterances:
            draft = self._write(question, utterances, meeting.meeting, waveform)
        seconds = perf_counter() - began - retrieved
        yield replace(draft, seconds=seconds)
        yield conclude(
            question,
            draft,
            meeting.meeting,
            system=self.name,
            policy=self.client.model,
            phases={"execute": retrieved, "synthesize": seconds},
            tool_calls=1,
        )

    def clip_vectors(self, meeting: IndexedMeeting, waveform: Waveform) -> Vectors:
        """Return a unit vector per utterance, shape (n, d); zeros for one that is too short to search."""
        if waveform not in self._vectors:
            utterances = [one for one in meeting.meeting.utterances if one.span.duration >= SHORTEST]
            vectors = np.zeros((len(meeting.meeting.utterances), self.space.dimension), np.float32)
            if utterances:
                clips = [waveform.levelled(one.span) for one in utterances]
                vectors[[one.id for one in utterances]] = self.space.embed_audio(clips)
            self._vectors[waveform] = vectors
        return self._vectors[waveform]

    def _retrieve(self, question: str, meeting: Meeting, vectors: Vectors, scope: Scope) -> tuple[Found, ...]:
        cosines = vectors @ self.space.embed_text([question])[0]
        searched = [
            one.id for one in meeting.utterances if scope.allows(one) and one.span.duration >= SHORTEST
        ]
        nearest = sorted(searched, key=lambda id: (-cosines[id], id))[: self.top_m]
        return tuple(Found(id, round(float(cosines[id]), 4), "sound") for id in nearest)

    def _write(
        self, question: str, utterances: list[Utterance], meeting: Meeting, waveform: Waveform
    ) -> Draft:
        instructions, version = read_prompt(PROMPT)
        text, usage = hear(
            self.client,
            [(label(one, meeting), waveform.levelled(one.span)) for one in utterances],
            system=instructions,
            user=f"Question: {question}",
            version=version,
            max_tokens=LONGEST_ANSWER,
        )
        if text is None:
            raise ModelServerError(
                f"the model {self.client.model} takes no audio", fix="use one that does, and llm.audio = auto"
            )
        lines = () if text.lower().startswith(NOT_FOUND) else text.splitlines()
        read = read_sentences(lines, {one.id for one in utterances}, meeting, question)
        return Draft(
            1,
            read.sentences or NOTHING,
            bool(read.sentences),
            read.dropped,
            read.removed,
            read.notes,
            tokens=tokens_of(usage),
        )


def label(utterance: Utterance, meeting: Meeting) -> str:
    """Return what stands before a clip: its mark, time and speaker, and none of its words."""
    name = plain(meeting.name_of(utterance), _LONGEST_NAME)
    return f"[utt {utterance.id}] ({utterance.start:.1f}-{utterance.end:.1f} s) {name}:"

"""Transcript as context: the whole transcript goes to the model, as far as it fits (paper, section 4.1).

What does not fit is left out from the end, and the draft says how much. Marks, quotations and times of the
model's answer are checked as for GRGA's own answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from grga.agent.agent import checked_question
from grga.agent.policies.llm.citations import read_sentences
from grga.agent.policies.llm.material import evidence_line
from grga.agent.policies.llm.policy import NOTHING, tokens_of
from grga.agent.policies.llm.prompts import prompt
from grga.agent.policies.llm.replies import AnswerReply
from grga.agent.steps import EVERYWHERE, Draft, Step
from grga.llm.failures import PromptTooLongError
from grga.llm.material import block
from grga.llm.structured import Request, ask
from grga.llm.usage import estimate_tokens
from grga.types import Answer, Citation, Cost, Meeting, Scope

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
    from grga.llm.usage import Usage
    from grga.store import IndexedMeeting

SCHEMA_TOKENS = 500
"""Kept free for the schema of the answer and the server's own marks."""


@dataclass(frozen=True)
class Transcript:
    """A transcript as the model reads it: ``ids`` are in it, ``left_out`` utterances at the end are not."""

    text: str
    ids: tuple[int, ...]
    left_out: int
    until: float


class TranscriptAsContext:
    """One call with everything that was said.

    Args:
        client: The model; ``context_tokens`` of its settings is the limit.
    """

    name = "transcript_context"

    def __init__(self, client: ChatClient) -> None:
        self.client = client

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope = EVERYWHERE) -> Iterator[Step]:
        """Yield the draft and the answer.

        Raises:
            QuestionError: an empty question.
            ModelServerError: the server failed.
        """
        question = checked_question(question)
        began = perf_counter()
        read, reply, usage = self._ask(question, meeting.meeting, scope)
        lines = read_sentences(
            reply.sentences if reply.found else (), frozenset(read.ids), meeting.meeting, question
        )
        notes = lines.notes
        if read.left_out:
            total = len(read.ids) + read.left_out
            notes = (
                f"the last {read.left_out} of {total} utterances (from {read.until:.0f} s) did not fit",
                *notes,
            )
        seconds = perf_counter() - began
        tokens = tokens_of(usage)
        draft = Draft(
            1,
            lines.sentences or NOTHING,
            bool(lines.sentences),
            lines.dropped,
            lines.removed,
            notes,
            seconds,
            tokens,
        )
        yield draft
        yield Answer(
            question=question,
            sentences=draft.sentences,
            citations=tuple(
                Citation.of(meeting.meeting, meeting.meeting.utterances[id]) for id in draft.cited
            ),
            verified=False,
            reflection_score=None,
            found=draft.found,
            system=self.name,
            policy=self.client.model,
            dropped_citations=draft.dropped,
            cost=Cost(
                seconds,
                {"synthesize": seconds},
                tokens.calls,
                tokens.prompt,
                tokens.completion,
                cache_hits=tokens.cached,
                retries=tokens.retries,
                price=tokens.price,
            ),
        )

    def _ask(self, question: str, meeting: Meeting, scope: Scope) -> tuple[Transcript, AnswerReply, Usage]:
        """Ask with as much as fits; a model that can read less than configured gets three quarters of it."""
        text, version = prompt("synthesize")
        settings = self.client.settings
        fixed = estimate_tokens(text + question) + settings.max_tokens + SCHEMA_TOKENS
        tokens = settings.context_tokens - fixed
        while True:
            read = transcript(meeting, scope, tokens)
            user = f"{read.text}\n\nQuestion: {question}"
            try:
                return read, *ask(self.client, Request(AnswerReply, "answer", text, user, version))
            except PromptTooLongError:
                if len(read.ids) < 2:
                    raise
                tokens = int(min(tokens, estimate_tokens(read.text)) * 0.75)


def transcript(meeting: Meeting, scope: Scope, tokens: int) -> Transcript:
    """Return the transcript from its beginning, as much as ``tokens`` hold."""
    inside = [one for one in meeting.utterances if scope.allows(one)]
    lines: list[str] = []
    for one in inside:
        line = evidence_line(one, meeting, ())
        tokens -= estimate_tokens(line)
        if tokens < 0:
            break
        lines.append(line)
    rest = inside[len(lines) :]
    ids = tuple(one.id for one in inside[: len(lines)])
    return Transcript(block("evidence", lines), ids, len(rest), rest[0].start if rest else meeting.duration)

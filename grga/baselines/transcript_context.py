"""Transcript as context: the whole transcript goes to the model, as far as it fits (paper, section 4.1).

What does not fit is left out from the end, and the draft says how much. Marks, quotations and times of the
model's answer are checked as for GRGA's own answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from grga.agent.agent import checked_question
from grga.agent.policies.llm.material import evidence_line
from grga.agent.policies.llm.prompts import prompt
from grga.agent.steps import EVERYWHERE, Draft, Step
from grga.baselines.writing import conclude, write_answer
from grga.llm.failures import PromptTooLongError
from grga.llm.material import block
from grga.llm.usage import estimate_tokens
from grga.types import Meeting, Scope

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
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
        read, draft = self._ask(question, meeting.meeting, scope)
        if read.left_out:
            total = len(read.ids) + read.left_out
            note = f"the last {read.left_out} of {total} utterances (from {read.until:.0f} s) did not fit"
            draft = replace(draft, notes=(note, *draft.notes))
        seconds = perf_counter() - began
        yield replace(draft, seconds=seconds)
        yield conclude(
            question,
            draft,
            meeting.meeting,
            system=self.name,
            policy=self.client.model,
            phases={"synthesize": seconds},
        )

    def _ask(self, question: str, meeting: Meeting, scope: Scope) -> tuple[Transcript, Draft]:
        """Ask with as much as fits; a model that can read less than configured gets three quarters of it."""
        settings = self.client.settings
        fixed = estimate_tokens(prompt("synthesize").text + question) + settings.max_tokens + SCHEMA_TOKENS
        tokens = settings.context_tokens - fixed
        while True:
            read = transcript(meeting, scope, tokens)
            try:
                return read, write_answer(self.client, question, read.text, frozenset(read.ids), meeting)
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

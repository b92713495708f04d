"""What the baselines with a model share: an answer from given utterances, and its record."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from grga.agent.policies.llm.citations import read_sentences
from grga.agent.policies.llm.policy import NOTHING, tokens_of
from grga.agent.policies.llm.prompts import prompt
from grga.agent.policies.llm.replies import AnswerReply
from grga.agent.steps import Draft
from grga.llm.structured import Request, ask
from grga.types import Answer, Citation, Cost, Meeting

if TYPE_CHECKING:
    from grga.llm.client import ChatClient


def write_answer(
    client: ChatClient, question: str, context: str, shown: Collection[int], meeting: Meeting
) -> Draft:
    """Return the model's answer from ``context`` alone; marks, quotations and times are checked.

    Args:
        client: The model.
        question: As asked.
        context: Utterances with their marks, as a block of material.
        shown: Their ids.
        meeting: Where they are from.

    Raises:
        PromptTooLongError: the model cannot read this much.
        ModelServerError: the server failed.
    """
    instructions, version = prompt("synthesize")
    user = f"{context}\n\nQuestion: {question}"
    reply, usage = ask(client, Request(AnswerReply, "answer", instructions, user, version))
    read = read_sentences(reply.sentences if reply.found else (), shown, meeting, question)
    return Draft(
        1,
        read.sentences or NOTHING,
        bool(read.sentences),
        read.dropped,
        read.removed,
        read.notes,
        tokens=tokens_of(usage),
    )


def conclude(
    question: str,
    draft: Draft,
    meeting: Meeting,
    *,
    system: str,
    policy: str,
    phases: Mapping[str, float],
    tool_calls: int = 0,
) -> Answer:
    """Return the answer that a draft becomes when nobody reflects on it; ``phases`` in seconds."""
    tokens = draft.tokens
    return Answer(
        question=question,
        sentences=draft.sentences,
        citations=tuple(Citation.of(meeting, meeting.utterances[id]) for id in draft.cited),
        verified=False,
        reflection_score=None,
        found=draft.found,
        system=system,
        policy=policy,
        dropped_citations=draft.dropped,
        cost=Cost(
            sum(phases.values()),
            dict(phases),
            tokens.calls,
            tokens.prompt,
            tokens.completion,
            tool_calls,
            tokens.cached,
            tokens.retries,
            tokens.price,
        ),
    )

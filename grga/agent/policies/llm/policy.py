"""The LLM policy: decompose, plan, synthesize and reflect, each one typed call at temperature 0.

The loop, the threshold, the penalty and the limit of rounds belong to ``agent.py``; what the model says is
checked here before it becomes a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from grga.agent.belief import Belief
from grga.agent.policies.llm.citations import read_sentences
from grga.agent.policies.llm.material import (
    card,
    constraints_line,
    critique_block,
    evidence_block,
    history_block,
    results_block,
    scope_lines,
    tool_list,
)
from grga.agent.policies.llm.prompts import prompt
from grga.agent.policies.llm.replies import (
    MOST_CALLS,
    AnswerReply,
    DecompositionReply,
    PlanReply,
    ReflectionReply,
    TimeReply,
    decomposition_schema,
    plan_schema,
)
from grga.agent.steps import (
    Decomposition,
    Draft,
    Metadata,
    Plan,
    Reflection,
    TimeConstraint,
    Tokens,
    ToolCall,
)
from grga.llm.failures import PromptTooLongError
from grga.llm.material import block, plain
from grga.llm.structured import Request, ask
from grga.llm.usage import Usage, estimate_tokens
from grga.types import Meeting, Sentence, TimeSpan

if TYPE_CHECKING:
    from grga.agent.tools import Tool
    from grga.llm.client import ChatClient
    from grga.store import IndexedMeeting

Kind = TypeVar("Kind", bound=BaseModel)

NOTHING = (Sentence("This meeting does not say."),)
LEAST_EVIDENCE = 256
"""Tokens of evidence below which a call makes no sense."""
PLANNING_SHARE = 0.5
"""Share of the evidence's tokens that the planner gets: it needs to see what is there, not to quote it."""
_SCHEMA_TOKENS = 1_500
"""Kept free for the schema, which stands in the prompt of a server without ``json_schema``."""


class LlmPolicy:
    """Decides with a language model.

    Args:
        client: The model.

    Raises:
        ModelServerError: no model is named and the server does not offer exactly one.
    """

    def __init__(self, client: ChatClient) -> None:
        self.client = client
        self.name = client.model

    def decompose(self, question: str, meeting: IndexedMeeting) -> Decomposition:
        """Return the question as constraints; times are valid and speakers exist in this meeting."""
        reply, usage = self._ask(
            DecompositionReply,
            "decompose",
            lambda tokens: f"{card(meeting.meeting)}\n\nQuestion: {question}",
            schema=decomposition_schema(meeting.meeting),
        )
        known = {speaker.id for speaker in meeting.meeting.speakers}
        return Decomposition(
            entities=tuple(reply.entities),
            concepts=tuple(reply.concepts),
            time=tuple(_time(one, meeting.meeting) for one in reply.times),
            metadata=Metadata(
                reply.question_type,
                reply.subtask,
                reply.form,
                tuple(id for id in dict.fromkeys(reply.speakers) if id in known),
                tuple(dict.fromkeys(reply.acoustic)),
                reply.language or "en",
            ),
            tokens=tokens_of(usage),
        )

    def plan(self, belief: Belief, meeting: IndexedMeeting, tools: Mapping[str, Tool]) -> Plan:
        """Return the model's next calls, as it wrote them: the toolbox answers the wrong ones."""

        def user(tokens: int) -> str:
            parts = [card(meeting.meeting), tool_list(tools), f"Question: {belief.question}"]
            parts.append(block("constraints", [constraints_line(belief), *scope_lines(belief)]))
            if belief.rounds:
                share = int(tokens * PLANNING_SHARE)
                parts += [
                    evidence_block(belief, meeting.meeting, share).text,
                    history_block(belief, meeting.meeting),
                ]
            return "\n\n".join((*parts, f"Write the plan of round {len(belief.rounds) + 1}."))

        reply, usage = self._ask(PlanReply, "plan", user, schema=plan_schema(tools))
        number = len(belief.rounds) + 1
        return Plan(number, _calls(reply, number), reply.goal, tokens=tokens_of(usage))

    def synthesize(self, belief: Belief, meeting: IndexedMeeting) -> Draft:
        """Return the model's answer from the evidence, less everything that does not hold.

        Without any evidence the model is not asked: it could only guess.
        """
        number = len(belief.rounds)
        if not belief.evidence:
            return Draft(number, NOTHING, found=False)
        shown = evidence_block(belief, meeting.meeting, LEAST_EVIDENCE)

        def user(tokens: int) -> str:
            nonlocal shown
            shown = evidence_block(belief, meeting.meeting, tokens)
            parts = [shown.text, results_block(belief)]
            if len(belief.rounds) > 1:
                parts.append(critique_block(belief.rounds[-2]))
            return "\n\n".join((*parts, f"Question: {belief.question}"))

        reply, usage = self._ask(AnswerReply, "synthesize", user, name="answer")
        notes = (shown.note,) if shown.note else ()
        if not reply.found:
            return Draft(number, NOTHING, found=False, notes=notes, tokens=tokens_of(usage))
        read = read_sentences(reply.sentences, frozenset(shown.ids), meeting.meeting, belief.question)
        return Draft(
            number,
            read.sentences or NOTHING,
            found=bool(read.sentences),
            dropped=read.dropped,
            removed=read.removed,
            notes=(*notes, *read.notes),
            tokens=tokens_of(usage),
        )

    def reflect(self, belief: Belief, draft: Draft, meeting: IndexedMeeting) -> Reflection:
        """Return the model's judgement; what needs no judgement is rejected without asking."""
        number = len(belief.rounds)
        if not belief.evidence:
            faults = tuple(one.error for one in belief.rounds[-1].observations if one.error)
            return Reflection(number, 1.0, "; ".join(faults) or "the calls found nothing")
        if not draft.found and (draft.removed or draft.dropped):
            reason = "; ".join(draft.notes) or "every citation was outside the evidence"
            return Reflection(number, 1.0, f"nothing of the answer held: {reason}")

        def user(tokens: int) -> str:
            marked = (
                plain(one.text) + "".join(f"[utt {id}]" for id in one.citations) for one in draft.sentences
            )
            return "\n\n".join(
                (
                    evidence_block(belief, meeting.meeting, tokens, first=draft.cited).text,
                    results_block(belief),
                    f"Question: {belief.question}",
                    block("answer", marked),
                )
            )

        reply, usage = self._ask(ReflectionReply, "reflect", user, name="reflection")
        cited = set(draft.cited)
        return Reflection(
            number,
            float(reply.score),
            reply.critique,
            tuple(reply.missing),
            tuple(id for id in dict.fromkeys(reply.weak) if id in cited),
            tokens=tokens_of(usage),
        )

    def _ask(
        self,
        kind: type[Kind],
        instructions: str,
        user: Callable[[int], str],
        *,
        name: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> tuple[Kind, Usage]:
        """Ask with as much evidence as fits; a model that can read less than configured gets half of it."""
        text, version = prompt(instructions)
        settings = self.client.settings
        fixed = estimate_tokens(text + user(0)) + settings.max_tokens + _SCHEMA_TOKENS
        tokens = max(LEAST_EVIDENCE, min(settings.evidence_tokens, settings.context_tokens - fixed))
        while True:
            request = Request(kind, name or instructions, text, user(tokens), version, schema)
            try:
                return ask(self.client, request)
            except PromptTooLongError:
                if tokens <= LEAST_EVIDENCE or user(tokens) == user(tokens // 2):
                    raise
                tokens //= 2


def _calls(reply: PlanReply, number: int) -> tuple[ToolCall, ...]:
    """Return the calls without those that only repeat another one, down to the name of its result."""
    calls: dict[str, ToolCall] = {}
    for place, one in enumerate(reply.calls[:MOST_CALLS], start=1):
        arguments = {name: value for name, value in one.arguments.items() if value is not None}
        call = ToolCall(one.tool, arguments, one.result or f"r{number}.{place}")
        calls.setdefault(f"{call.name}{sorted(arguments.items())!r}{one.result}", call)
    return tuple(calls.values())


def tokens_of(usage: Usage) -> Tokens:
    """Return the cost of calls as a step carries it."""
    return Tokens(usage.prompt, usage.completion, usage.calls, usage.cached, usage.retries, usage.price)


def _time(reply: TimeReply, meeting: Meeting) -> TimeConstraint:
    span = None
    if reply.start is not None and reply.end is not None and 0 <= reply.start <= reply.end:
        span = TimeSpan(min(reply.start, meeting.duration), min(reply.end, meeting.duration))
    return TimeConstraint(reply.text, reply.relation, span, reply.anchor)

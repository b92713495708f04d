"""What the model gets to read: the meeting's card, the tools, the evidence, the history.

Everything that comes from a recording stands inside blocks (see :mod:`grga.llm.material`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grga.agent.belief import Belief, Evidence, Round
from grga.agent.steps import Observation, to_dict
from grga.llm.material import block, plain
from grga.llm.usage import estimate_tokens
from grga.scopes import clock
from grga.types import Meeting, Utterance

if TYPE_CHECKING:
    from grga.agent.tools import Tool

_LONGEST_NAME = 60
_MOST_SPEAKERS = 40
_RANK_OFFSET = 10


def card(meeting: Meeting) -> str:
    """Return what is known of the meeting before any search."""
    lines = [
        f"title: {plain(meeting.title, _LONGEST_NAME)}",
        f"length: {meeting.duration:.0f} s ({clock(meeting.duration)}), {len(meeting.utterances)} utterances",
        f"language: {meeting.language or 'unknown'}; recording at hand: {'yes' if meeting.has_audio else 'no'}",
    ]
    for speaker in meeting.speakers[:_MOST_SPEAKERS]:
        role = f", role {plain(speaker.role, _LONGEST_NAME)}" if speaker.role else ""
        name = plain(speaker.name, _LONGEST_NAME)
        lines.append(f"speaker {plain(speaker.id, 20)}: {name}{role}, talks {speaker.talk_seconds:.0f} s")
    return block("meeting", lines)


def tool_list(tools: Mapping[str, Tool]) -> str:
    """Return the tools with their arguments, as the planner reads them."""
    lines = []
    for name, tool in tools.items():
        lines.append(f"- {name}: {tool.description}")
        for argument, field in tool.arguments.model_fields.items():
            default = "required" if field.is_required() else f"default {json.dumps(field.default)}"
            lines.append(f"    {argument}: {field.description or ''} ({default})")
    return "\n".join(("Tools:", *lines))


@dataclass(frozen=True)
class Shown:
    """The evidence that fits the budget: a block of text, which utterances are in it, how many are not."""

    text: str
    ids: tuple[int, ...]
    left_out: int

    @property
    def note(self) -> str | None:
        """What was left out, as a sentence for the trace."""
        if not self.left_out:
            return None
        total = len(self.ids) + self.left_out
        return f"{self.left_out} of {total} pieces of evidence were left out to fit the model's context"


def evidence_block(belief: Belief, meeting: Meeting, tokens: int, first: Collection[int] = ()) -> Shown:
    """Return the most relevant evidence that fits ``tokens``, in order of time.

    Args:
        belief: Whose evidence.
        meeting: Whose utterances.
        tokens: The budget.
        first: Utterances that come before all others (those that a draft cites).
    """
    wanted = set(first)
    ranks = relevance(belief)
    order = sorted(belief.evidence, key=lambda id: (id not in wanted, -ranks[id], id))
    lines: dict[int, str] = {}
    left = tokens
    for id in order:
        line = evidence_line(meeting.utterances[id], meeting, belief.evidence[id])
        cost = estimate_tokens(line)
        if cost <= left:
            lines[id] = line
            left -= cost
    ids = tuple(sorted(lines))
    return Shown(block("evidence", (lines[id] for id in ids)), ids, len(order) - len(ids))


def relevance(belief: Belief) -> dict[int, float]:
    """Return a weight per piece of evidence: the sum of its inverse ranks over all results.

    Scores of different tools have different scales, ranks do not (reciprocal rank fusion).
    """
    weights = dict.fromkeys(belief.evidence, 0.0)
    for observation in belief.observations:
        ranked = sorted(observation.found, key=lambda one: -one.score)
        for rank, one in enumerate(ranked):
            weights[one.id] += 1 / (_RANK_OFFSET + rank)
    return weights


def evidence_line(utterance: Utterance, meeting: Meeting, ways: Iterable[Evidence]) -> str:
    """Return an utterance with its number, time, speaker, and how it sounded if that was listened to."""
    heard = [way.why for way in ways if way.tool == "audio_segment" and way.why]
    sound = f" {{sound: {plain(heard[-1])}}}" if heard else ""
    name = plain(meeting.name_of(utterance), _LONGEST_NAME)
    when = f"{utterance.start:.1f}-{utterance.end:.1f} s, {clock(utterance.start)}"
    return f"[utt {utterance.id}] ({when}) {name}: {plain(utterance.text)}{sound}"


def results_block(belief: Belief) -> str:
    """Return what each call brought, in numbers: for counting, and for how things sounded."""
    return block("results", (_result(one) for one in belief.observations))


def history_block(belief: Belief, meeting: Meeting) -> str:
    """Return the earlier rounds: plans, results, answers and critiques."""
    lines: list[str] = []
    for number, turn in enumerate(belief.rounds, start=1):
        lines.extend(_round(number, turn))
    return block("history", lines)


def constraints_line(belief: Belief) -> str:
    """Return the decomposition as a line."""
    known = to_dict(belief.constraints)
    kept = {name: known[name] for name in ("entities", "concepts", "time", "metadata")}
    return plain(json.dumps(kept, ensure_ascii=False))


def scope_lines(belief: Belief) -> list[str]:
    """Return the limits that the person set; nothing outside of them can be found."""
    lines = []
    if belief.scope.speakers is not None:
        lines.append(f"only these speakers can be found: {plain(', '.join(sorted(belief.scope.speakers)))}")
    if belief.scope.span is not None:
        span = belief.scope.span
        lines.append(f"only {span.start:.0f} to {span.end:.0f} s can be found")
    return lines


def critique_block(turn: Round) -> str:
    """Return why the answer of an earlier round was rejected."""
    return block("critique of the last answer", _rejection(turn))


def _rejection(turn: Round) -> Iterable[str]:
    if turn.reflection is None:
        return
    yield f"rejected with score {turn.reflection.score:g}: {plain(turn.reflection.critique)}"
    if turn.reflection.missing:
        yield f"missing: {plain('; '.join(turn.reflection.missing))}"
    if turn.reflection.weak:
        yield f"supported nothing: {', '.join(f'utt {id}' for id in turn.reflection.weak)}"


def _round(number: int, turn: Round) -> Iterable[str]:
    yield f"round {number}: {plain(turn.plan.goal)}"
    if turn.observations:
        yield from (f"  {_result(one)}" for one in turn.observations)
    else:
        yield from (f"  {call.name} {plain(_arguments(call.arguments))}" for call in turn.plan.calls)
    if turn.draft is not None and turn.draft.sentences:
        yield f"  answer: {plain(' '.join(one.text for one in turn.draft.sentences))}"
        yield from (f"  note: {plain(note)}" for note in turn.draft.notes)
    yield from (f"  {line}" for line in _rejection(turn))


def _result(observation: Observation) -> str:
    call = observation.call
    head = f"{call.result or '-'} = {plain(call.name, 60)} {plain(_arguments(call.arguments))}"
    if observation.error:
        return f"{head}: FAULT: {plain(observation.error)}"
    measured = dict(observation.measurements)
    sound = f"; {plain(json.dumps(measured, ensure_ascii=False))}" if measured else ""
    return f"{head}: {len(observation.found)} utterances{sound}"


def _arguments(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), ensure_ascii=False, default=str)

"""The loop: decompose, then plan → execute → update belief → synthesize → reflect until accepted.

Paper, section 3.3 and algorithm 2. What decides is a :class:`Policy`, what acts is a :class:`Toolbox`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from grga.agent.belief import Belief
from grga.agent.policy import Policy
from grga.agent.steps import (
    EVERYWHERE,
    Decomposition,
    Draft,
    Form,
    Metadata,
    Observation,
    Plan,
    Reflection,
    Step,
    Tokens,
    nothing_found,
)
from grga.agent.tools import Toolbox, plain_search
from grga.errors import QuestionError, unknown_name
from grga.types import Answer, Citation, Cost, Scope, Sentence

if TYPE_CHECKING:
    from grga.store import IndexedMeeting

PARTS = frozenset({"decomposer", "planner", "reflection"})
MAX_QUESTION = 2_000

AnyStep = TypeVar("AnyStep", Decomposition, Plan, Draft, Reflection)


class Agent:
    """Answers questions by searching, filtering, walking and listening in a meeting's graph.

    Args:
        policy: What decomposes, plans, answers and reflects.
        toolbox: The tools that may be called.
        tau: Least reflection score (1..5) of a verified answer.
        beta: Penalty of a rejected draft; its reward is ``-beta``.
        k_max: Most rounds before the best candidate is returned unverified.
        without: Tools and parts ("decomposer", "planner", "reflection") to switch off.

    Raises:
        QuestionError: ``without`` names something unknown.
    """

    name = "grga"

    def __init__(
        self,
        policy: Policy,
        toolbox: Toolbox,
        *,
        tau: float = 4.0,
        beta: float = 0.5,
        k_max: int = 5,
        without: Collection[str] = (),
    ) -> None:
        known = sorted({*toolbox.tools, *PARTS})
        for part in without:
            if part not in known:
                raise QuestionError(unknown_name("tool or part", part, known), fix="choose one of these")
        self.policy = policy
        self.toolbox = toolbox.without(set(without) - PARTS)
        self.tau, self.beta, self.k_max = tau, beta, k_max
        self.parts_off = PARTS & set(without)
        self.without = frozenset(without)

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope = EVERYWHERE) -> Iterator[Step]:
        """Yield every step as it happens, the last one the ``Answer``; closing the iterator stops.

        Raises:
            QuestionError: an empty question, or one too long to be a question.
        """
        question = checked_question(question)
        clock = _Clock()
        constraints = clock.timed("decompose", partial(self._decompose, question, meeting))
        yield constraints
        belief = Belief(question, constraints, scope, self.without)
        candidates: list[tuple[float, Draft, Reflection | None]] = []
        accepted = False
        for number in range(1, self.k_max + 1):
            plan = clock.timed("plan", partial(self._plan, belief, number, meeting))
            yield plan
            if not plan.calls:
                # Nothing left to try: the meeting does not say. Without a planner there never was a second try.
                candidates = candidates if "planner" in self.parts_off else []
                break
            if belief.already_failed(plan):
                refusal = Reflection(
                    number, 1.0, "this plan has failed before", ("another plan",), reward=-self.beta
                )
                belief = belief.after_observing(plan, ()).after_reflecting(Draft(number, (), False), refusal)
                yield refusal
                continue
            observations: list[Observation] = []
            for observation in self.toolbox.execute(plan, meeting, scope, belief):
                clock.count_tool(observation)
                observations.append(observation)
                yield observation
            belief = belief.after_observing(plan, observations)
            draft = clock.timed("synthesize", partial(self._synthesize, belief, meeting))
            yield draft
            if "reflection" in self.parts_off:
                candidates = [(0.0, draft, None)]
                break
            reflection = clock.timed("reflect", partial(self._reflect, belief, draft, meeting))
            yield reflection
            belief = belief.after_reflecting(draft, reflection)
            candidates.append((reflection.score, draft, reflection))
            if reflection.score >= self.tau:
                accepted = True
                break
        yield self._conclude(question, meeting, candidates, accepted, clock)

    def _decompose(self, question: str, meeting: IndexedMeeting) -> Decomposition:
        if "decomposer" in self.parts_off:
            return Decomposition(concepts=(question,), metadata=Metadata(form=Form.WHAT))
        return self.policy.decompose(question, meeting)

    def _plan(self, belief: Belief, number: int, meeting: IndexedMeeting) -> Plan:
        if "planner" in self.parts_off:
            return plain_search(belief.question, self.toolbox) if number == 1 else Plan(number, ())
        return replace(self.policy.plan(belief, meeting, self.toolbox.tools), round=number)

    def _synthesize(self, belief: Belief, meeting: IndexedMeeting) -> Draft:
        draft = self.policy.synthesize(belief, meeting)
        return replace(only_evidence(draft, belief), round=len(belief.rounds))

    def _reflect(self, belief: Belief, draft: Draft, meeting: IndexedMeeting) -> Reflection:
        reflection = self.policy.reflect(belief, draft, meeting)
        reward = 1.0 if reflection.score >= self.tau else -self.beta
        return replace(reflection, round=draft.round, reward=reward)

    def _conclude(
        self,
        question: str,
        meeting: IndexedMeeting,
        candidates: list[tuple[float, Draft, Reflection | None]],
        accepted: bool,
        clock: _Clock,
    ) -> Answer:
        """Return the accepted draft, else the best one unverified, else "not found"."""
        if not candidates:
            nothing = (nothing_found(question),)
            return Answer(
                question, nothing, (), False, None, False, self.name, self.policy.name, 0, clock.cost()
            )
        # max() keeps the first of equals, so an accepted (last) draft is taken by itself.
        score, draft, reflection = candidates[-1] if accepted else max(candidates, key=lambda one: one[0])
        utterances = meeting.meeting.utterances
        return Answer(
            question=question,
            sentences=draft.sentences,
            citations=tuple(Citation.of(meeting.meeting, utterances[id]) for id in draft.cited),
            verified=accepted,
            reflection_score=score if reflection else None,
            found=draft.found,
            system=self.name,
            policy=self.policy.name,
            dropped_citations=draft.dropped,
            cost=clock.cost(),
        )


def checked_question(question: str) -> str:
    """Return the question without outer blanks.

    Raises:
        QuestionError: it is empty or longer than ``MAX_QUESTION`` characters.
    """
    question = question.strip()
    if not question:
        raise QuestionError("the question is empty", fix="type a question about this meeting")
    if len(question) > MAX_QUESTION:
        raise QuestionError(
            "the question is too long",
            found=f"{len(question)} characters",
            expected=f"at most {MAX_QUESTION}",
            fix="ask it in fewer words",
        )
    return question


def only_evidence(draft: Draft, belief: Belief) -> Draft:
    """Return the draft without citations outside the evidence, and without sentences left bare.

    Removed citations are counted in ``dropped``; a draft that loses every sentence found nothing.
    """
    if not draft.found:
        return draft
    dropped, kept = draft.dropped, []
    for sentence in draft.sentences:
        supported = tuple(id for id in sentence.citations if id in belief.evidence)
        dropped += len(sentence.citations) - len(supported)
        if supported:
            kept.append(Sentence(sentence.text, supported))
    if not kept:
        return replace(draft, sentences=(nothing_found(belief.question),), found=False, dropped=dropped)
    return replace(draft, sentences=tuple(kept), dropped=dropped)


class _Clock:
    """Seconds per phase, tokens and tool calls of one question."""

    def __init__(self) -> None:
        self.began = perf_counter()
        self.phases: dict[str, float] = {}
        self.tool_calls = 0
        self.tokens = Tokens()

    def timed(self, phase: str, work: Callable[[], AnyStep]) -> AnyStep:
        began = perf_counter()
        step = work()
        seconds = perf_counter() - began
        self._add(phase, seconds, step)
        return replace(step, seconds=seconds)

    def count_tool(self, observation: Observation) -> None:
        self.tool_calls += 1
        self._add("execute", observation.seconds, observation)

    def _add(
        self, phase: str, seconds: float, step: Decomposition | Plan | Observation | Draft | Reflection
    ) -> None:
        self.phases[phase] = self.phases.get(phase, 0.0) + seconds
        self.tokens += step.tokens

    def cost(self) -> Cost:
        seconds = perf_counter() - self.began
        used = self.tokens
        return Cost(
            seconds,
            dict(self.phases),
            used.calls,
            used.prompt,
            used.completion,
            self.tool_calls,
            used.cached,
            used.retries,
            used.price,
        )

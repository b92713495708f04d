"""What the agent knows: b_t = question + constraints + history; grows with every round.

Evidence keeps its provenance: which round, which tool, and why it was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from grga.agent.steps import EVERYWHERE, Decomposition, Draft, Observation, Plan, Reflection
from grga.types import Scope


@dataclass(frozen=True, slots=True)
class Evidence:
    """One way in which an utterance came to be known."""

    id: int
    score: float
    round: int
    tool: str
    result: str
    why: str


@dataclass(frozen=True, slots=True)
class Round:
    """One turn of the loop, as far as it got."""

    plan: Plan
    observations: tuple[Observation, ...] = ()
    draft: Draft | None = None
    reflection: Reflection | None = None


@dataclass(frozen=True)
class Belief:
    """The agent's state. Immutable: each method returns the next state.

    ``without`` names the switched-off tools and parts, so that a policy can plan around them.
    """

    question: str
    constraints: Decomposition
    scope: Scope = EVERYWHERE
    without: frozenset[str] = frozenset()
    rounds: tuple[Round, ...] = ()

    def after_observing(self, plan: Plan, observations: Sequence[Observation]) -> Belief:
        """Return the belief with a plan and what it brought: b ⊕ {P, o}."""
        return replace(self, rounds=(*self.rounds, Round(plan, tuple(observations))))

    def after_reflecting(self, draft: Draft, reflection: Reflection) -> Belief:
        """Return the belief with the last round's draft and its critique."""
        *earlier, last = self.rounds
        return replace(self, rounds=(*earlier, replace(last, draft=draft, reflection=reflection)))

    @cached_property
    def evidence(self) -> dict[int, tuple[Evidence, ...]]:
        """Every utterance found so far, with each way it was found, oldest first."""
        known: dict[int, list[Evidence]] = {}
        for observation in self.observations:
            call = observation.call
            for found in observation.found:
                known.setdefault(found.id, []).append(
                    Evidence(found.id, found.score, observation.round, call.name, call.result, found.why)
                )
        return {id: tuple(ways) for id, ways in known.items()}

    @property
    def observations(self) -> tuple[Observation, ...]:
        """All observations so far, in order."""
        return tuple(observation for turn in self.rounds for observation in turn.observations)

    def observation(self, result: str) -> Observation | None:
        """Return the latest observation stored under this result name."""
        for observation in reversed(self.observations):
            if observation.call.result == result:
                return observation
        return None

    @property
    def reflection(self) -> Reflection | None:
        """The latest critique, None before the first."""
        return self.rounds[-1].reflection if self.rounds else None

    def already_failed(self, plan: Plan) -> bool:
        """Return whether a plan with the same calls has been carried out before."""
        return any(plan.signature == turn.plan.signature for turn in self.rounds)

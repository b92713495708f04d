"""What every tool is: a name, a description, an argument schema and one function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict

from grga.agent.steps import Found, Tokens
from grga.errors import QuestionError
from grga.types import Scope, Utterance

if TYPE_CHECKING:
    from grga.store import IndexedMeeting

Nodes = str | list[int]
"""Utterances to work on: the name of an earlier result ("r1"), "all", or utterance ids."""


class Arguments(BaseModel):
    """Base of every argument schema: unknown arguments are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool found and measured; ``tokens`` if it asked a model."""

    found: tuple[Found, ...] = ()
    measurements: Mapping[str, Any] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True, slots=True)
class Context:
    """What a tool may look at: the meeting, the question and its scope, earlier results by name."""

    meeting: IndexedMeeting
    scope: Scope
    results: Mapping[str, tuple[Found, ...]]
    question: str = ""

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        """All utterances of the meeting; row number = id."""
        return self.meeting.meeting.utterances

    def allowed(self, found: Iterable[Found]) -> tuple[Found, ...]:
        """Return those inside the question's scope, in the same order."""
        return tuple(one for one in found if self.scope.allows(self.utterances[one.id]))

    def resolve(self, nodes: Nodes) -> tuple[Found, ...]:
        """Return the utterances that ``nodes`` names, inside the scope.

        Raises:
            QuestionError: no result of that name, or no utterance with that id.
        """
        if isinstance(nodes, list):
            outside = [id for id in nodes if not 0 <= id < len(self.utterances)]
            if outside:
                raise QuestionError(
                    f"there is no utterance {outside[0]}", expected=f"0 to {len(self.utterances) - 1}"
                )
            return self.allowed(Found(id, 1.0, "given") for id in nodes)
        if nodes == "all":
            return self.allowed(Found(utterance.id, 1.0, "all") for utterance in self.utterances)
        if nodes not in self.results:
            known = ", ".join(sorted(self.results)) or "none yet"
            raise QuestionError(f"there is no result {nodes!r} (results so far: {known})")
        return self.allowed(self.results[nodes])


class Tool(Protocol):
    """An atomic operation on a meeting. ``needs``: tools it is built on, off when they are off."""

    name: str
    description: str
    arguments: type[Arguments]
    needs: frozenset[str]

    def run(self, arguments: Any, context: Context) -> Result:
        """Carry out one call with validated arguments.

        Raises:
            QuestionError: arguments that make no sense in this meeting.
        """
        ...

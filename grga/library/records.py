"""What asking many meetings leaves behind: steps that name their meeting, and the answer they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from grga.agent.steps import Step
from grga.history import Part
from grga.types import Citation, Cost

if TYPE_CHECKING:
    from grga.store import IndexedMeeting


@dataclass(frozen=True, slots=True)
class Candidate:
    """A meeting that may be asked; ``load`` reads it, as late as possible and perhaps twice."""

    id: str
    title: str
    load: Callable[[], IndexedMeeting]


class Event(StrEnum):
    """What happens to a meeting beside the steps of its answer."""

    LOOKING = "looking"  # how promising is it?
    ASKING = "asking"  # its answer begins
    LEFT_OUT = "left_out"  # it has nobody and nothing within the limits
    SKIPPED = "skipped"  # it cannot be read or asked


@dataclass(frozen=True, slots=True)
class Note:
    """An event with one sentence of explanation (empty for LOOKING and ASKING)."""

    event: Event
    text: str = ""


@dataclass(frozen=True, slots=True)
class LibraryStep:
    """What happened in one meeting.

    ``number`` counts the meetings from 1 to ``total``, anew for looking and for asking. ``part`` is the
    meeting's finished answer, with its last step only.
    """

    meeting_id: str
    title: str
    step: Step | Note
    number: int
    total: int
    part: Part | None = None

    @property
    def event(self) -> Event | None:
        """What happened beside the answer, None for a step of the answer itself."""
        return self.step.event if isinstance(self.step, Note) else None

    @property
    def reason(self) -> str:
        """Why the meeting did not answer, else an empty text."""
        return self.step.text if isinstance(self.step, Note) else ""


@dataclass(frozen=True, slots=True)
class LibraryAnswer:
    """The answers of several meetings: verified ones first, then found ones, then the others.

    ``left_out`` holds the steps whose note says why a meeting did not answer.
    """

    question: str
    parts: tuple[Part, ...]
    left_out: tuple[LibraryStep, ...] = ()

    @classmethod
    def of(cls, question: str, steps: Iterable[LibraryStep]) -> LibraryAnswer:
        """Return what these steps came to, also when they were stopped halfway."""
        parts: list[Part] = []
        left_out: list[LibraryStep] = []
        for one in steps:
            if one.part is not None:
                parts.append(one.part)
            elif one.event in (Event.LEFT_OUT, Event.SKIPPED):
                left_out.append(one)
        parts.sort(key=lambda part: (not (part.answer.found and part.answer.verified), not part.answer.found))
        return cls(question, tuple(parts), tuple(left_out))

    @property
    def found(self) -> bool:
        """Whether any meeting says something."""
        return any(part.answer.found for part in self.parts)

    @property
    def cost(self) -> Cost:
        """What all the answers took together."""
        return total_cost(part.answer.cost for part in self.parts)


def numbered(parts: Sequence[Part]) -> list[tuple[int, str, Citation]]:
    """Return every citation with its number and its meeting's id, counted on through all parts from 1."""
    cited = [(part.meeting_id, citation) for part in parts for citation in part.answer.citations]
    return [(number, meeting, citation) for number, (meeting, citation) in enumerate(cited, 1)]


def total_cost(costs: Iterable[Cost]) -> Cost:
    """Return the sum; the price is None when no part has one."""
    costs = tuple(costs)
    phases: dict[str, float] = {}
    for cost in costs:
        for phase, seconds in cost.phases.items():
            phases[phase] = phases.get(phase, 0.0) + seconds
    prices = [cost.price for cost in costs if cost.price is not None]
    return Cost(
        seconds=sum(cost.seconds for cost in costs),
        phases=phases,
        llm_calls=sum(cost.llm_calls for cost in costs),
        prompt_tokens=sum(cost.prompt_tokens for cost in costs),
        completion_tokens=sum(cost.completion_tokens for cost in costs),
        tool_calls=sum(cost.tool_calls for cost in costs),
        cache_hits=sum(cost.cache_hits for cost in costs),
        retries=sum(cost.retries for cost in costs),
        price=sum(prices) if prices else None,
    )

"""What every format of an exported answer holds, as plain sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from grga.audio import Waveform
from grga.history import Asked, current
from grga.scopes import clock
from grga.types import Answer, Cost, Meeting, TimeSpan

if TYPE_CHECKING:
    from grga.history import Part


class Recorded(Protocol):
    """A meeting with its recording, if there is one (an ``IndexedMeeting`` is one)."""

    @property
    def meeting(self) -> Meeting:
        """The meeting as it is today."""
        ...

    @property
    def waveform(self) -> Waveform | None:
        """Its recording."""
        ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """A numbered citation: who said what, when."""

    number: int
    speaker: str
    span: TimeSpan
    text: str

    @property
    def clocks(self) -> str:
        """Start and end as players show them."""
        return f"{clock(self.span.start)}–{clock(self.span.end)}"


@dataclass(frozen=True, slots=True)
class Section:
    """What one meeting answered.

    ``sentences`` are texts with the numbers of their evidence; ``notes`` say how it was found, what it
    took, and what is no longer there.
    """

    meeting_id: str
    title: str
    sentences: tuple[tuple[str, tuple[int, ...]], ...]
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A question, how it was asked, and a section for each meeting; evidence is numbered throughout."""

    question: str
    asked: str
    sections: tuple[Section, ...]


def sheet(asked: Asked, meetings: Mapping[str, Recorded]) -> Sheet:
    """Return the content of the export; a meeting that is not in ``meetings`` counts as deleted."""
    sections: list[Section] = []
    first = 1
    for part in asked.parts:
        recorded = meetings.get(part.meeting_id)
        section = _section(part, recorded.meeting if recorded else None, first)
        first += len(section.evidence)
        sections.append(section)
    return Sheet(asked.question, _asked(asked, meetings), tuple(sections))


def _section(part: Part, meeting: Meeting | None, first: int) -> Section:
    answer = current(part, meeting)
    evidence = tuple(
        Evidence(number, citation.speaker, citation.span, citation.text)
        for number, citation in enumerate(answer.citations, first)
    )
    numbers = {citation.utterance: first + i for i, citation in enumerate(answer.citations)}
    sentences = tuple(
        (one.text, tuple(numbers[id] for id in one.citations if id in numbers)) for one in answer.sentences
    )
    notes = [verdict(answer), spent(answer.cost)]
    if answer.dropped_citations:
        notes.append(
            f"Citations left out, because they were not in the evidence or their line is no longer there: "
            f"{answer.dropped_citations}"
        )
    if meeting is None:
        notes.append("This meeting has been deleted; the answer stands as it was given")
    title = meeting.title if meeting else part.title or part.meeting_id
    return Section(part.meeting_id, title, sentences, evidence, tuple(notes))


def verdict(answer: Answer) -> str:
    """Return whether the answer was verified, in words."""
    if not answer.found:
        return "Not in this meeting"
    score = "" if answer.reflection_score is None else f" (reflection {answer.reflection_score:g} of 5)"
    return ("Verified" if answer.verified else "Not verified") + score


def spent(cost: Cost) -> str:
    """Return seconds, calls and tokens in words."""
    parts = [f"{cost.seconds:.2f} s", f"tool calls: {cost.tool_calls}"]
    if cost.llm_calls or cost.cache_hits:
        tokens = cost.prompt_tokens + cost.completion_tokens
        parts += [f"model calls: {cost.llm_calls}", f"kept replies: {cost.cache_hits}", f"tokens: {tokens}"]
    if cost.price is not None:
        parts.append(f"price: {cost.price:.4f}")
    return "Took " + ", ".join(parts)


def _asked(asked: Asked, meetings: Mapping[str, Recorded]) -> str:
    parts = [f"Asked {asked.created:%Y-%m-%d %H:%M} UTC", f"answered by {asked.system} ({asked.policy})"]
    if asked.without:
        parts.append(f"without {', '.join(asked.without)}")
    if asked.scope.speakers:
        parts.append(f"only {', '.join(_limited_to(asked, meetings))}")
    if asked.scope.span is not None:
        parts.append(f"only {clock(asked.scope.span.start)}–{clock(asked.scope.span.end)}")
    return ", ".join(parts)


def _limited_to(asked: Asked, meetings: Mapping[str, Recorded]) -> list[str]:
    """Return the speakers a question was limited to; an id of the one meeting asked becomes a name."""
    names: dict[str, str] = {}
    if len(asked.parts) == 1:
        part = asked.parts[0]
        recorded = meetings.get(part.meeting_id)
        names = {
            **part.names,
            **({one.id: one.name for one in recorded.meeting.speakers} if recorded else {}),
        }
    return [names.get(speaker, speaker) for speaker in asked.scope.speakers]

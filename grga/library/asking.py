"""Ask one meeting after the other; only the one being asked is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from grga.agent.agent import checked_question
from grga.agent.steps import AgentTrace, Step
from grga.errors import AudioError, GrgaError, QuestionError, StoreError
from grga.history import Part
from grga.library.ranking import Scores, View, look, most_promising
from grga.library.records import Candidate, Event, LibraryStep, Note
from grga.llm.failures import PromptTooLongError
from grga.scopes import Limits
from grga.types import Answer, Scope

if TYPE_CHECKING:
    from grga.store import IndexedMeeting

Ask = Callable[[str, "IndexedMeeting", Scope], Iterator[Step]]
"""The ``answer`` of an :class:`grga.agent.steps.Answerer`."""

OF_ONE_MEETING = (StoreError, AudioError, QuestionError, PromptTooLongError)
"""Errors that another meeting need not share; anything else (a dead model server) ends the question."""


def ask_library(
    question: str, meetings: Sequence[Candidate], ask: Ask, limits: Limits | None = None
) -> Iterator[LibraryStep]:
    """Yield the steps of every meeting's answer; closing the iterator stops between two steps.

    Args:
        question: In plain words.
        meetings: Which ones may be asked.
        ask: ``answer`` of any answerer.
        limits: Speakers by name, and a stretch of time; a meeting with nothing inside is left out.

    Raises:
        QuestionError: an empty question, or one too long to be a question.
        ModelServerError: the model's server failed.
    """
    question, limits = checked_question(question), limits or Limits()
    views: list[View] = []
    queries: dict[str, Scores] = {}
    for number, candidate in enumerate(meetings, 1):
        at = _place(candidate, number, len(meetings))
        yield at(Note(Event.LOOKING))
        try:
            view = look(question, candidate, limits, queries)
        except GrgaError as error:
            yield at(Note(Event.SKIPPED, str(error)))
            continue
        if isinstance(view, Note):
            yield at(view)
        else:
            views.append(view)
    best = most_promising(views)
    for number, view in enumerate(best, 1):
        yield from _asked(question, view, ask, _place(view.candidate, number, len(best)))


def _asked(question: str, view: View, ask: Ask, at: Callable[..., LibraryStep]) -> Iterator[LibraryStep]:
    yield at(Note(Event.ASKING))
    done: list[Step] = []
    try:
        loaded = view.candidate.load()
        with ExitStack() as stack:
            steps: Any = ask(question, loaded, view.scope)
            if hasattr(steps, "close"):
                stack.enter_context(closing(steps))
            for step in steps:
                done.append(step)
                if isinstance(step, Answer):
                    yield at(step, part=Part.of(loaded.meeting, AgentTrace(tuple(done[:-1]), step)))
                else:
                    yield at(step)
    except OF_ONE_MEETING as error:
        yield at(Note(Event.SKIPPED, str(error)))


def _place(candidate: Candidate, number: int, total: int) -> Callable[..., LibraryStep]:
    """Return what makes a step of this meeting."""

    def at(step: Step | Note, part: Part | None = None) -> LibraryStep:
        return LibraryStep(candidate.id, candidate.title, step, number, total, part)

    return at

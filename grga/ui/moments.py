"""Moments of meetings in a page: one numbering for all answers shown together, and what plays on a click.

``ask.js`` plays what carries ``data-from``; ``data-cite`` is the number that answer, evidence and timeline
share. The same moment has the same number wherever it is cited.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grga.agent.steps import Observation, Step
from grga.scopes import clock
from grga.types import Citation, Meeting, TimeSpan
from grga.ui.asking import Reply
from grga.ui.render import badges, data, escape, join
from grga.ui.texts import t

Numbers = Mapping[tuple[str, int], int]
"""(meeting id, utterance id) → number from 1."""

SHOWN_PER_TOOL = 8


def script() -> str:
    """Return the JavaScript of the Ask tab; it needs the timeline's."""
    return (Path(__file__).resolve().parent / "ask.js").read_text("utf-8")


def numbering(replies: Iterable[Reply]) -> dict[tuple[str, int], int]:
    """Return the numbers of all cited moments, in order of first mention."""
    numbers: dict[tuple[str, int], int] = {}
    for reply in replies:
        for citation in reply.answer.citations if reply.answer else ():
            numbers.setdefault((reply.meeting_id, citation.utterance), len(numbers) + 1)
    return numbers


def plays(meeting_id: str, span: TimeSpan, number: int | None = None) -> str:
    """Return the attributes of an element that plays ``span`` when clicked."""
    cite = f'data-cite="{number}" ' if number is not None else ""
    return f'{cite}data-meeting="{escape(meeting_id)}" data-from="{span.start:.3f}" data-to="{span.end:.3f}"'


def pill(number: int, meeting_id: str, citation: Citation) -> str:
    """Return the number of a citation, a button that plays it and shows its quote."""
    label = t(
        "Citation {number}, {name}, {time}",
        number=number,
        name=citation.speaker,
        time=clock(citation.span.start),
    )
    return (
        f'<button type="button" class="g-pill" {plays(meeting_id, citation.span, number)} '
        f'aria-label="{escape(label)}">{number}</button>'
    )


def found_by(steps: Sequence[Step]) -> set[int]:
    """Return what the tools put first; a search that ranks the whole meeting has not found all of it."""
    return {one.id for step in steps if isinstance(step, Observation) for one in step.found[:SHOWN_PER_TOOL]}


def marks_html(replies: Sequence[Reply], numbers: Numbers, turn: str = "") -> str:
    """Return what the timelines of all these meetings mark, and whose is to be seen: the first's.

    Args:
        replies: The answers shown together, finished or not.
        numbers: Of their cited moments.
        turn: Changes when another answer is shown, so that its first timeline comes back.
    """
    found: dict[str, set[int]] = {}
    meetings: dict[str, Meeting] = {}
    for reply in replies:
        if reply.meeting is not None and (reply.answer is None or reply.answer.found or len(replies) == 1):
            meetings.setdefault(reply.meeting_id, reply.meeting)
            found.setdefault(reply.meeting_id, set()).update(found_by(reply.steps))
    if not meetings:
        return ""
    first = escape(next(iter(meetings)))
    # Empty marks of the timeline's own kind make it keep a row for numbers.
    row = f'<grga-marks data-meeting="{first}"></grga-marks>'
    shown = f'<grga-show data-meeting="{first}" data-turn="{escape(turn)}"></grga-show>'
    return row + shown + join(_marks(one, numbers, found[id]) for id, one in meetings.items())


def _marks(meeting: Meeting, numbers: Numbers, found: Iterable[int]) -> str:
    lanes = badges(meeting)

    def moment(id: int) -> tuple[int, float, float, int]:
        spoken = meeting.utterances[id]
        return id, round(spoken.start, 2), round(spoken.end, 2), lanes[spoken.speaker].lane

    here = {id: number for (where, id), number in numbers.items() if where == meeting.id}
    known = range(len(meeting.utterances))
    value = {
        "cited": [(number, *moment(id)) for id, number in here.items() if id in known],
        "found": [moment(id) for id in sorted(set(found)) if id in known and id not in here],
    }
    return f'<grga-moments data-meeting="{escape(meeting.id)}" data-marks="{data(value)}"></grga-moments>'

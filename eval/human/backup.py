"""A journal of another home, or a backup of this one, taken over."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from eval.human.desk import Desk
from eval.human.events import EVENT, Event
from grga.errors import StudyError
from grga.journal import Journal, Replay


def take_over(desk: Desk, file: Path) -> Replay:
    """Apply the events in ``file`` that the desk lacks, and keep them in its own journal.

    Raises:
        StudyError: there is no such file.
    """
    if not file.is_file():
        raise StudyError(f"there is no file {file}")
    own = {event.id for event in map(_event, desk.log.journal.lines()) if event}
    problems = []
    for number, line in enumerate(Journal(file).lines(), start=1):
        event = _event(line)
        if event is None:
            problems.append(f"line {number} of {file} cannot be used: it is cut or damaged")
        elif event.id not in own:
            own.add(event.id)
            desk.log.journal.append(line.rstrip(b"\n"))
    found = desk.replay()
    return Replay(found.applied, (*problems, *found.problems))


def _event(line: bytes) -> Event | None:
    try:
        return EVENT.validate_json(line)
    except ValidationError:
        return None

"""The table of jobs, and what a job has to say when it ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlmodel import Field, SQLModel


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True)
class JobNote:
    """Something to know about a job that has ended well.

    ``kind`` "duplicate": the file was here already, ``text`` is the meeting's title. "failed": the
    meeting does without ``stage``, ``text`` says why. "note": ``text`` as it stands.
    """

    kind: Literal["duplicate", "failed", "note"]
    text: str
    stage: str = ""


@dataclass(frozen=True)
class Outcome:
    """What the work made: the meeting's id, and what there is to know about it."""

    meeting: str
    notes: tuple[JobNote, ...] = ()


_NOTES = TypeAdapter(tuple[JobNote, ...])


class Job(SQLModel, table=True):
    """One piece of background work.

    Attributes:
        title: What people call it: the name of the file as given, or of the meeting.
        folder: Name of its folder below ``home/uploads``, gone once it is done; empty without files.
        options: JSON object handed to the work function.
        stage: What is being done now, in the work function's words.
        percent: 0..100 over all stages; never falls while it runs.
        seconds_left: An estimate, None when there is nothing to estimate from.
        error: One sentence, only when failed.
        place: Position among the jobs of its visitor; a retried job goes to their end.
        meeting: Id of the meeting it made.
        visitor: Who handed it in; empty for nobody in particular.
        kind: "index", or "rerun" for one stage of a meeting that is there already.
        stages: JSON list of the stages it goes through, in order.
        notes: JSON list of :class:`JobNote`.
    """

    __tablename__ = "jobs"

    id: int | None = Field(default=None, primary_key=True)
    title: str
    folder: str
    options: str = "{}"
    state: JobState = Field(default=JobState.QUEUED, index=True)
    stage: str = ""
    percent: float = 0.0
    seconds_left: float | None = None
    error: str = ""
    place: float = 0.0
    created: datetime
    started: datetime | None = None
    finished: datetime | None = None
    meeting: str | None = None
    visitor: str = Field(default="", index=True)
    kind: str = "index"
    stages: str = "[]"
    notes: str = "[]"

    @property
    def unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in UNFINISHED

    def belongs_to(self, visitor: str | None) -> bool:
        """Return whether ``visitor`` may see and steer it; None stands for the server itself."""
        return visitor is None or self.visitor in ("", visitor)

    def given(self) -> dict[str, Any]:
        """Return the options."""
        options: dict[str, Any] = json.loads(self.options)
        return options

    def plan(self) -> tuple[str, ...]:
        """Return the stages it goes through."""
        return tuple(json.loads(self.stages))

    def said(self) -> tuple[JobNote, ...]:
        """Return the notes."""
        return _NOTES.validate_json(self.notes)


def dump_notes(notes: Sequence[JobNote]) -> str:
    """Return notes as the column holds them."""
    return _NOTES.dump_json(tuple(notes)).decode()

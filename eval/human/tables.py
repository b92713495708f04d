"""The tables of human studies, filled from events alone (:mod:`eval.human.apply`); made by migrations."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, UniqueConstraint
from sqlmodel import Field, SQLModel

from eval.human.study import TaskKind
from grga.columns import Choice, UtcTime


class StudyState(StrEnum):
    """Where a study stands."""

    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class StudyRow(SQLModel, table=True):
    """Where a study stands; ``criteria`` is how many scores an answer needs."""

    __tablename__ = "human_studies"

    key: str = Field(primary_key=True)
    title: str
    pilot: bool
    criteria: int
    state: StudyState = Field(default=StudyState.DRAFT, sa_type=Choice(StudyState))
    made: datetime = Field(sa_type=UtcTime)
    opened: datetime | None = Field(default=None, sa_type=UtcTime)
    closed: datetime | None = Field(default=None, sa_type=UtcTime)
    cleared_by: str = ""
    findings: list[str] = Field(default_factory=list, sa_type=JSON)
    unblinded: datetime | None = Field(default=None, sa_type=UtcTime)
    unblinded_by: str = ""


class ContentRow(SQLModel, table=True):
    """The fields of a :class:`eval.human.study.Study`. Apart from its state, which every click looks at."""

    __tablename__ = "human_contents"

    study: str = Field(primary_key=True, foreign_key="human_studies.key")
    content: dict[str, Any] = Field(sa_type=JSON)


class RaterRow(SQLModel, table=True):
    """A person with a link. ``row`` is set with the consent, ``finished`` with the last score."""

    __tablename__ = "human_raters"

    id: str = Field(primary_key=True)
    study: str = Field(foreign_key="human_studies.key", index=True)
    name: str
    salt: str
    invited: datetime = Field(sa_type=UtcTime)
    expires: datetime = Field(sa_type=UtcTime)
    revoked: bool = False
    consented: datetime | None = Field(default=None, sa_type=UtcTime)
    row: int | None = None
    finished: datetime | None = Field(default=None, sa_type=UtcTime)


class TaskRow(SQLModel, table=True):
    """One answer for one rater; ``done`` once every criterion has a score."""

    __tablename__ = "human_tasks"

    id: str = Field(primary_key=True)
    rater: str = Field(foreign_key="human_raters.id", index=True)
    position: int
    kind: TaskKind = Field(sa_type=Choice(TaskKind))
    item: str
    system: str | None = None
    shown: datetime | None = Field(default=None, sa_type=UtcTime)
    done: datetime | None = Field(default=None, sa_type=UtcTime)


class RatingRow(SQLModel, table=True):
    """The score that counts for one criterion of one task."""

    __tablename__ = "human_ratings"
    __table_args__ = (UniqueConstraint("task", "criterion"),)

    number: int | None = Field(default=None, primary_key=True)
    task: str = Field(foreign_key="human_tasks.id", index=True)
    criterion: str
    score: int
    at: datetime = Field(sa_type=UtcTime)
    changes: int = 0


class RatingHistoryRow(SQLModel, table=True):
    """Every score ever given, in order; never changed."""

    __tablename__ = "human_rating_history"

    number: int | None = Field(default=None, primary_key=True)
    task: str = Field(foreign_key="human_tasks.id", index=True)
    criterion: str
    score: int
    at: datetime = Field(sa_type=UtcTime)


class ListenRow(SQLModel, table=True):
    """A clip that was heard; ``number`` counts a task's clips from 1."""

    __tablename__ = "human_listens"

    id: int | None = Field(default=None, primary_key=True)
    task: str = Field(foreign_key="human_tasks.id", index=True)
    number: int
    seconds: float
    at: datetime = Field(sa_type=UtcTime)


class RefusalRow(SQLModel, table=True):
    """Something that was tried and not allowed."""

    __tablename__ = "human_refusals"

    id: int | None = Field(default=None, primary_key=True)
    study: str = Field(index=True)
    by: str = ""
    what: str
    reason: str
    at: datetime = Field(sa_type=UtcTime)


class AppliedEvent(SQLModel, table=True):
    """An event of the journal that the other tables contain."""

    __tablename__ = "human_events"

    id: str = Field(primary_key=True)

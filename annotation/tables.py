"""The tables. Rows are read and written by :mod:`annotation.queries` alone; made by ``migrations/``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from annotation.schema import Status
from annotation.verdicts import Reason, Role, VerdictKind
from grga.agent.steps import QuestionType
from grga.columns import Choice, UtcTime


class Item(SQLModel, table=True):
    """A :class:`~annotation.schema.QAItem` without evidence and history, which have their own tables.

    Attributes:
        number: In the order in which they were added.
        generator: The fields of :class:`~annotation.schema.Generator`.
        answer_key: The fields of :class:`~annotation.schema.AnswerKey`, for the proposed words.
        proposed: What stood here before anybody judged: question, answer, type, subtask, evidence.
        overlap: How many annotators it needs.
        checks: Results of the automatic checks; None before they ran.
    """

    __tablename__ = "annotation_items"

    number: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True, index=True)
    meeting: str = Field(index=True)
    type: QuestionType = Field(sa_type=Choice(QuestionType))
    subtask: str
    question: str
    answer: str
    answer_key: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    reasoning: str = ""
    hops: int = 0
    answerable: bool = True
    language: str | None = None
    generator: dict[str, Any] = Field(sa_type=JSON)
    status: Status = Field(sa_type=Choice(Status), index=True)
    verifier: str | None = None
    batch: str = Field(default="", index=True)
    gold: bool = False
    proposed: dict[str, Any] = Field(sa_type=JSON)
    overlap: int = 1
    checks: list[dict[str, Any]] | None = Field(default=None, sa_type=JSON(none_as_null=True))


class EvidenceRow(SQLModel, table=True):
    """One utterance of an item's evidence as it stands now; ``place`` counts from 0."""

    __tablename__ = "annotation_evidence"

    item: str = Field(primary_key=True, foreign_key="annotation_items.key")
    place: int = Field(primary_key=True)
    utt_id: int
    start: float
    end: float
    speaker: str
    text: str


class VerdictRow(SQLModel, table=True):
    """A :class:`~annotation.verdicts.Judgement`. Of its columns only ``undone`` ever changes."""

    __tablename__ = "annotation_verdicts"

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    item: str = Field(foreign_key="annotation_items.key", index=True)
    annotator: str = Field(index=True)
    role: Role = Field(sa_type=Choice(Role))
    at: datetime = Field(sa_type=UtcTime)
    kind: VerdictKind = Field(sa_type=Choice(VerdictKind))
    reason: Reason | None = Field(default=None, sa_type=Choice(Reason))
    note: str = ""
    question: str | None = None
    answer: str | None = None
    type: QuestionType | None = Field(default=None, sa_type=Choice(QuestionType))
    subtask: str | None = None
    marked: list[dict[str, Any]] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    iou: float | None = None
    seconds: float = 0.0
    undone: bool = False


class Lock(SQLModel, table=True):
    """Somebody is at work on an item until ``expires``; void afterwards."""

    __tablename__ = "annotation_locks"

    item: str = Field(primary_key=True, foreign_key="annotation_items.key")
    annotator: str = Field(primary_key=True)
    role: Role = Field(sa_type=Choice(Role))
    expires: datetime = Field(sa_type=UtcTime)


class Batch(SQLModel, table=True):
    """One run of a generator over a meeting.

    Attributes:
        plan: What was asked for: quotas, generator, prompt, seed, … in the generator's own words.
        state: "running", "stopped", "failed" or "done".
        finished: Names of the pieces of work that are done, so that a stopped run goes on.
        done, total: Pieces of work.
        error: One sentence, only when failed.
    """

    __tablename__ = "annotation_batches"

    name: str = Field(primary_key=True)
    meeting: str = Field(index=True)
    created: datetime = Field(sa_type=UtcTime)
    by: str = ""
    plan: dict[str, Any] = Field(sa_type=JSON)
    state: str = "running"
    finished: list[str] = Field(default_factory=list, sa_type=JSON)
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    tokens: int = 0
    price: float | None = None
    error: str = ""


class HistoryRow(SQLModel, table=True):
    """A :class:`~annotation.schema.HistoryEntry`. The database refuses to change or delete one."""

    __tablename__ = "annotation_history"

    number: int | None = Field(default=None, primary_key=True)
    item: str = Field(foreign_key="annotation_items.key", index=True)
    at: datetime = Field(sa_type=UtcTime)
    by: str
    action: str
    changes: dict[str, Any] = Field(sa_type=JSON)
    note: str = ""


class AppliedEvent(SQLModel, table=True):
    """An event of the journal that the other tables contain."""

    __tablename__ = "annotation_events"

    id: str = Field(primary_key=True)

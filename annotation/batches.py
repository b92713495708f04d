"""Batches of generated items, and when the next one may be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import col, func, select

from annotation.assignment import UNFINISHED
from annotation.tables import Batch, Failure, Item
from annotation.workspace import Workspace
from grga.agent.steps import QuestionType
from grga.errors import AnnotationError


@dataclass(frozen=True)
class Permission:
    """Whether something may be done; ``reason`` says in one sentence why or why not."""

    allowed: bool
    reason: str

    def __bool__(self) -> bool:
        return self.allowed


def may_generate(workspace: Workspace, meeting: str, batch: str = "") -> Permission:
    """Return whether ``batch`` may be generated from ``meeting``: all its earlier batches are verified.

    The batch itself may be unfinished, so that a stopped one can go on. Gold items do not count.
    """
    query = (
        select(Item.batch, func.count())
        .where(
            Item.meeting == meeting,
            Item.batch != batch,
            Item.batch != "",
            col(Item.gold).is_(False),
            col(Item.status).in_(UNFINISHED),
        )
        .group_by(Item.batch)
        .order_by(func.min(Item.number))
    )
    with workspace.reading() as session:
        found = session.exec(query).first()
    if found is None:
        return Permission(True, "every earlier batch of this meeting is verified")
    name, waiting = found
    are = "1 question is" if waiting == 1 else f"{waiting} questions are"
    return Permission(False, f"{are} not settled yet in the batch {name!r}: finish it before the next one")


def start_batch(
    workspace: Workspace, name: str, meeting: str, plan: Mapping[str, Any], *, by: str = "", total: int = 0
) -> Batch:
    """Return the batch ``name``, made or, with the same meeting and plan, found again to go on with.

    Raises:
        AnnotationError: it exists with another meeting or plan, or earlier batches are unfinished.
    """
    allowed = may_generate(workspace, meeting, name)
    with workspace.writing() as session:
        found = session.get(Batch, name)
        if found is None:
            if not allowed:
                raise AnnotationError(f"the batch {name!r} cannot be made yet: {allowed.reason}")
            found = Batch(
                name=name, meeting=meeting, plan=dict(plan), created=workspace.clock(), by=by, total=total
            )
        elif (found.meeting, found.plan) != (meeting, dict(plan)):
            raise AnnotationError(f"there is another batch {name!r} already", fix="choose another name")
        else:
            found.state, found.error = "running", ""
        session.add(found)
    return found


def update_batch(workspace: Workspace, name: str, **values: Any) -> Batch:
    """Set columns of a batch: state, done, total, seconds, tokens, price, error.

    Raises:
        AnnotationError: there is no such batch.
    """
    with workspace.writing() as session:
        found = session.get(Batch, name)
        if found is None:
            raise AnnotationError(f"there is no batch {name!r}")
        for column, value in values.items():
            setattr(found, column, value)
        session.add(found)
    return found


def batches(workspace: Workspace, meeting: str | None = None) -> list[Batch]:
    """Return the batches, newest first."""
    query = select(Batch).order_by(col(Batch.created).desc(), col(Batch.name))
    with workspace.reading() as session:
        return list(session.exec(query if meeting is None else query.where(Batch.meeting == meeting)))


def add_failure(
    workspace: Workspace,
    batch: str,
    error: str,
    *,
    type: QuestionType | None = None,
    subtask: str | None = None,
    place: str = "",
    reply: str = "",
) -> None:
    """Keep a reply that gave no item.

    Args:
        workspace: Where.
        batch: Its batch, which exists.
        error: One sentence for people.
        type: What was asked for.
        subtask: What was asked for.
        place: Which part of the meeting was shown.
        reply: What came back, as it came.
    """
    with workspace.writing() as session:
        session.add(
            Failure(
                batch=batch,
                at=workspace.clock(),
                type=type,
                subtask=subtask,
                place=place,
                error=error,
                reply=reply,
            )
        )


def failures(workspace: Workspace, batch: str) -> Sequence[Failure]:
    """Return what failed in a batch, oldest first."""
    query = select(Failure).where(Failure.batch == batch).order_by(col(Failure.number))
    with workspace.reading() as session:
        return list(session.exec(query))

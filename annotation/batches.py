"""Batches of generated items, and when the next one may be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import col, func, select

from annotation import queries
from annotation.assignment import UNFINISHED
from annotation.schema import QAItem
from annotation.tables import Batch, Item
from annotation.workflow import add_items
from annotation.workspace import Workspace
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
    """Set columns of a batch: state, finished, done, total, seconds, tokens, price, error.

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


class WorkspaceSink:
    """Takes the items of one batch as they are made; a :class:`~annotation.generation.sinks.Sink`.

    Args:
        workspace: Where they go.
        batch: Started by :func:`start_batch`.
        by: Who has them made, for the history.
        overlap: Annotators per item; by default what the workspace's rules say.
    """

    def __init__(
        self, workspace: Workspace, batch: Batch, *, by: str = "", overlap: int | None = None
    ) -> None:
        self._workspace, self._batch, self._overlap = workspace, batch, overlap
        self._by = by or batch.by or "generator"

    def add(self, item: QAItem) -> None:
        """Keep an item, unless it is there already."""
        with self._workspace.reading() as session:
            known = queries.keys(session, [item.key])
        if not known:
            named = item.model_copy(update={"batch": self._batch.name})
            add_items(self._workspace, [named], self._by, overlap=self._overlap)

    def finish(self, work: str) -> None:
        """Remember that a piece of work is done."""
        done = [*self.finished(), work]
        update_batch(self._workspace, self._batch.name, finished=done, done=len(done))

    def finished(self) -> list[str]:
        """Return the names of the work that is done."""
        with self._workspace.reading() as session:
            return list(session.get_one(Batch, self._batch.name).finished)

    def items(self) -> list[QAItem]:
        """Return everything that is known about the meeting, so that nothing is asked twice."""
        with self._workspace.reading() as session:
            return queries.items(session, meetings=[self._batch.meeting])

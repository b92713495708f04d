"""Which item comes next for whom: least annotated first, locks that expire, gold items in between."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from annotation.schema import Status
from annotation.tables import Item, Lock, VerdictRow
from annotation.verdicts import DECISIONS, Role, VerdictKind

OPEN = (Status.PROPOSED, Status.IN_REVIEW)
"""Items that wait for annotators."""
UNFINISHED = (*OPEN, Status.ADJUDICATION)
"""Items that wait for anybody."""
COUNTED = (*DECISIONS, VerdictKind.FLAG)
"""Verdicts that take one of an item's places."""


def within(query: Any, meeting: str | None, batch: str | None) -> Any:
    """Limit a query on items to a meeting and a batch."""
    if meeting is not None:
        query = query.where(Item.meeting == meeting)
    return query if batch is None else query.where(Item.batch == batch)


def standing() -> Any:
    """The condition that a verdict was not taken back."""
    return col(VerdictRow.undone).is_(False)


def held(
    session: Session, now: datetime, name: str, role: Role, meeting: str | None, batch: str | None
) -> str | None:
    """Return the key of the item that this person has open and that still waits, or None."""
    still = col(Item.status) == Status.ADJUDICATION
    if role is Role.ANNOTATOR:
        still = col(Item.status).in_(UNFINISHED) | col(Item.gold).is_(True)
    query = within(select(Item.key), meeting, batch).join(Lock, col(Lock.item) == col(Item.key)).where(still)
    query = query.where(Lock.annotator == name, Lock.role == role, col(Lock.expires) > now)
    found: str | None = session.exec(query.order_by(col(Lock.expires).desc())).first()
    return found


def holders(session: Session, now: datetime, key: str, role: Role, *, but: str) -> int:
    """Return how many people other than ``but`` have the item open."""
    query = select(func.count()).where(
        Lock.item == key, Lock.annotator != but, Lock.role == role, col(Lock.expires) > now
    )
    return session.exec(query).one()


def waiting(now: datetime, name: str, meeting: str | None, batch: str | None) -> Any:
    """Select the keys of the ordinary items that wait for this person, least annotated first."""
    given = (
        select(func.count())
        .where(
            VerdictRow.item == Item.key,
            VerdictRow.role == Role.ANNOTATOR,
            standing(),
            col(VerdictRow.kind).in_(COUNTED),
        )
        .correlate(Item)
        .scalar_subquery()
    )
    elsewhere = (
        select(func.count())
        .where(
            Lock.item == Item.key,
            Lock.annotator != name,
            Lock.role == Role.ANNOTATOR,
            col(Lock.expires) > now,
        )
        .correlate(Item)
        .scalar_subquery()
    )
    return (
        within(select(Item.key), meeting, batch)
        .where(
            col(Item.status).in_(OPEN),
            col(Item.gold).is_(False),
            col(Item.key).not_in(_judged_by(name)),
            given + elsewhere < Item.overlap,
        )
        .order_by(given + elsewhere, col(Item.number))
    )


def choose(
    session: Session, now: datetime, name: str, gold_every: int, meeting: str | None, batch: str | None
) -> str | None:
    """Return the key of this person's next item, or None. Gold comes only among ordinary items."""
    ordinary: str | None = session.exec(waiting(now, name, meeting, batch)).first()
    if ordinary is None or not _gold_is_due(session, name, gold_every):
        return ordinary
    query = within(select(Item.key), meeting, batch).where(
        col(Item.gold).is_(True), col(Item.key).not_in(_judged_by(name))
    )
    return session.exec(query.order_by(col(Item.number))).first() or ordinary


def oldest_dispute(
    session: Session, now: datetime, name: str, meeting: str | None, batch: str | None
) -> str | None:
    """Return the key of the oldest dispute that this person did not judge and nobody else has open."""
    others = select(Lock.item).where(
        col(Lock.expires) > now, Lock.role == Role.ADJUDICATOR, Lock.annotator != name
    )
    query = within(select(Item.key), meeting, batch).where(
        Item.status == Status.ADJUDICATION,
        col(Item.key).not_in(_judged_by(name)),
        col(Item.key).not_in(others),
    )
    found: str | None = session.exec(query.order_by(col(Item.number))).first()
    return found


def _judged_by(name: str) -> Any:
    return select(VerdictRow.item).where(VerdictRow.annotator == name, standing())


def _gold_is_due(session: Session, name: str, every: int) -> bool:
    """Whether this person's next item is the gold one among ``every``; its place differs each time."""
    if every < 1:
        return False
    query = select(func.count()).where(VerdictRow.annotator == name, standing())
    block, place = divmod(session.exec(query).one(), every)
    digest = hashlib.sha256(f"{name}:{block}".encode()).digest()
    return int.from_bytes(digest[:4]) % every == place

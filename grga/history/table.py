"""The table of asked questions in ``home``/grga.db, and who may do what with a row."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Engine
from sqlmodel import Field, Session, SQLModel, col, delete, select

from grga.db import writing
from grga.errors import HistoryError, unknown_name
from grga.history.records import Asked, AskedLine, Part, read_parts, write_parts
from grga.scopes import Limits
from grga.types import TimeSpan

REASONS = {
    "wrong": "The answer is wrong",
    "incomplete": "Something is missing",
    "moment": "The wrong moment is cited",
    "long": "It is too long",
    "other": "Something else",
}
"""Why somebody is (not) content with an answer: what is stored, and what people read."""
COMMENT_LENGTH = 500


class AskedRow(SQLModel, table=True):
    """One question of one visitor with its finished answers.

    ``meetings`` is a JSON object from id to title, ``without`` and ``reasons`` are JSON lists, ``scope``
    is a JSON object, ``parts`` is the text of :func:`grga.history.records.write_parts`.
    """

    __tablename__ = "asked"

    id: int | None = Field(default=None, primary_key=True)
    token: str = Field(unique=True, index=True)
    visitor: str = Field(index=True)
    created: datetime
    question: str
    system: str
    policy: str
    without: str = "[]"
    scope: str = "{}"
    meetings: str = "{}"
    verified: bool = False
    found: bool = False
    parts: str = "[]"
    rating: int | None = None
    reasons: str = "[]"
    comment: str = ""


class History:
    """Keeps finished answers. Each visitor sees a list of their own; whoever has a token reads that answer.

    Args:
        engine: From :func:`grga.db.open_database`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(
        self,
        visitor: str,
        question: str,
        parts: Sequence[Part],
        *,
        without: Collection[str] = (),
        scope: Limits | None = None,
    ) -> Asked:
        """Keep a finished answer, which names system and policy itself; the returned token opens it.

        Raises:
            ValueError: no part, or no visitor.
        """
        if not parts or not visitor:
            raise ValueError("an answer is kept for a visitor and with at least one part")
        first = parts[0].answer
        row = AskedRow(
            token=secrets.token_urlsafe(16),
            visitor=visitor,
            created=datetime.now(UTC),
            question=question,
            system=first.system,
            policy=first.policy,
            without=json.dumps(sorted(without)),
            scope=json.dumps(asdict(scope or Limits()), ensure_ascii=False),
            meetings=json.dumps({part.meeting_id: part.title for part in parts}, ensure_ascii=False),
            verified=any(part.answer.verified for part in parts),
            found=any(part.answer.found for part in parts),
            parts=write_parts(parts),
        )
        with writing(self._engine) as session:
            session.add(row)
        return _asked(row)

    def get(self, token: str) -> Asked:
        """Return an answer as it stood, whether or not its meetings are still there.

        Raises:
            HistoryError: no answer has this token.
        """
        with Session(self._engine) as session:
            return _asked(_row(session, token))

    def list(self, visitor: str, limit: int = 50) -> tuple[AskedLine, ...]:
        """Return what this visitor asked, the latest first."""
        columns: Any = (
            AskedRow.token,
            AskedRow.question,
            AskedRow.created,
            AskedRow.system,
            AskedRow.meetings,
            AskedRow.verified,
            AskedRow.found,
            AskedRow.rating,
        )
        chosen = select(*columns).where(col(AskedRow.visitor) == visitor)
        with Session(self._engine) as session:
            rows = session.exec(chosen.order_by(col(AskedRow.id).desc()).limit(limit)).all()
        return tuple(
            AskedLine(token, question, _utc(created), system, json.loads(meetings), verified, found, rating)
            for token, question, created, system, meetings, verified, found, rating in rows
        )

    def rate(
        self, token: str, visitor: str, rating: int | None, reasons: Collection[str] = (), comment: str = ""
    ) -> Asked:
        """Set what the visitor thinks of their answer: 1, -1, or None to take it back.

        Args:
            token: Of the answer.
            visitor: Who asked.
            rating: 1 for good, -1 for bad; None forgets reasons and comment too.
            reasons: Keys of :data:`REASONS`.
            comment: Free text of at most :data:`COMMENT_LENGTH` characters.

        Raises:
            HistoryError: no such answer, somebody else's, or a value that does not exist.
        """
        if rating not in (None, 1, -1):
            raise HistoryError("an answer is rated up or down", found=rating, expected="1, -1 or nothing")
        for reason in reasons:
            if reason not in REASONS:
                raise HistoryError(unknown_name("reason", reason, list(REASONS)), fix="choose one of these")
        comment = comment.strip()
        if len(comment) > COMMENT_LENGTH:
            raise HistoryError(
                "the comment is too long",
                found=f"{len(comment)} characters",
                expected=f"at most {COMMENT_LENGTH}",
                fix="say it in fewer words",
            )
        kept = rating is not None
        with writing(self._engine) as session:
            row = _own(session, token, visitor)
            row.rating = rating
            row.reasons = json.dumps([reason for reason in REASONS if kept and reason in reasons])
            row.comment = comment if kept else ""
        return _asked(row)

    def forget(self, token: str, visitor: str) -> None:
        """Delete one answer of this visitor; its link opens nothing any more.

        Raises:
            HistoryError: no such answer, or somebody else's.
        """
        with writing(self._engine) as session:
            session.delete(_own(session, token, visitor))

    def clear(self, visitor: str) -> int:
        """Delete everything this visitor asked; return how many answers that were."""
        with writing(self._engine) as session:
            return int(session.exec(delete(AskedRow).where(col(AskedRow.visitor) == visitor)).rowcount)


def _row(session: Session, token: str) -> AskedRow:
    row = session.exec(select(AskedRow).where(AskedRow.token == token)).first()
    if row is None:
        raise HistoryError("this answer is not kept", fix="its owner may have deleted it; ask again")
    return row


def _own(session: Session, token: str, visitor: str) -> AskedRow:
    row = _row(session, token)
    if row.visitor != visitor:
        raise HistoryError("this answer belongs to another visitor", fix="ask the question yourself")
    return row


def _asked(row: AskedRow) -> Asked:
    try:
        parts = read_parts(row.parts)
        limits = json.loads(row.scope)
        span = TimeSpan(**limits["span"]) if limits["span"] else None
        scope = Limits(tuple(limits["speakers"]), span)
    except (ValueError, KeyError, TypeError) as error:
        raise HistoryError("this answer can no longer be read", fix="ask again") from error
    return Asked(
        token=row.token,
        visitor=row.visitor,
        created=_utc(row.created),
        question=row.question,
        system=row.system,
        policy=row.policy,
        without=tuple(json.loads(row.without)),
        scope=scope,
        parts=parts,
        rating=row.rating,
        reasons=tuple(json.loads(row.reasons)),
        comment=row.comment,
    )


def _utc(moment: datetime) -> datetime:
    """Return the moment with its zone, which SQLite does not keep."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

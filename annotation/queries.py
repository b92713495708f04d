"""Rows in, records out. Every function works in the caller's transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, delete, select

from annotation.schema import AnswerKey, Content, Evidence, Generator, HistoryEntry, QAItem, Status
from annotation.tables import EvidenceRow, HistoryRow, Item, VerdictRow
from annotation.verdicts import Judgement, Role
from grga.agent.steps import QuestionType
from grga.errors import AnnotationError

_ITEM = frozenset(QAItem.model_fields) - {"evidence", "history", "generator", "answer_key"}
_JUDGEMENT = frozenset(Judgement.model_fields)

# --- reading ----------------------------------------------------------------------------------------


def item(session: Session, key: str) -> QAItem:
    """Return one item as it stands.

    Raises:
        AnnotationError: there is none with this key.
    """
    return _records(session, [row(session, key)])[0]


def items(
    session: Session,
    *,
    meetings: Collection[str] | None = None,
    batch: str | None = None,
    statuses: Collection[Status] | None = None,
    types: Collection[QuestionType] | None = None,
) -> list[QAItem]:
    """Return the items that fit every given filter, in the order in which they were added."""
    query = select(Item).order_by(col(Item.number))
    if meetings is not None:
        query = query.where(col(Item.meeting).in_(meetings))
    if batch is not None:
        query = query.where(Item.batch == batch)
    if statuses is not None:
        query = query.where(col(Item.status).in_(statuses))
    if types is not None:
        query = query.where(col(Item.type).in_(types))
    return _records(session, session.exec(query).all())


def row(session: Session, key: str) -> Item:
    """Return the row of one item.

    Raises:
        AnnotationError: there is none with this key.
    """
    found = session.exec(select(Item).where(Item.key == key)).first()
    if found is None:
        raise AnnotationError(f"there is no question {key!r}", fix="reload the page")
    return found


def verdict_row(session: Session, judgement: str) -> VerdictRow:
    """Return the row of one verdict.

    Raises:
        AnnotationError: there is none with this id.
    """
    found = session.exec(select(VerdictRow).where(VerdictRow.id == judgement)).first()
    if found is None:
        raise AnnotationError(f"there is no verdict {judgement!r}", fix="reload the page")
    return found


def keys(session: Session, among: Collection[str]) -> set[str]:
    """Return which of these keys are taken."""
    wanted = list(among)
    found: set[str] = set()
    for first in range(0, len(wanted), 500):  # SQLite limits the number of values in one statement
        part = wanted[first : first + 500]
        found.update(session.exec(select(Item.key).where(col(Item.key).in_(part))))
    return found


def proposed(session: Session, key: str) -> Content:
    """Return what an item said before anybody judged it."""
    return Content.model_validate(row(session, key).proposed)


def checks(session: Session, key: str) -> list[dict[str, Any]] | None:
    """Return the results of the automatic checks of one item; None before they ran."""
    return row(session, key).checks


def judgements(
    session: Session,
    *,
    item: str | None = None,
    annotator: str | None = None,
    role: Role | None = None,
    items: Collection[str] | None = None,
    undone: bool = False,
) -> list[Judgement]:
    """Return the verdicts that fit every given filter, oldest first; ``undone`` adds those taken back."""
    query = select(VerdictRow).order_by(col(VerdictRow.number))
    if item is not None:
        query = query.where(VerdictRow.item == item)
    if annotator is not None:
        query = query.where(VerdictRow.annotator == annotator)
    if role is not None:
        query = query.where(VerdictRow.role == role)
    if not undone:
        query = query.where(col(VerdictRow.undone).is_(False))
    found = [Judgement.model_validate(one.model_dump(include=set(_JUDGEMENT))) for one in session.exec(query)]
    return found if items is None else [one for one in found if one.item in items]


# --- writing ----------------------------------------------------------------------------------------


def insert_item(session: Session, record: QAItem, overlap: int) -> None:
    """Add an item with its evidence and the history that it brings."""
    session.add(
        Item(
            **record.model_dump(include=set(_ITEM)),
            **_nested(record),
            overlap=overlap,
        )
    )
    session.flush()
    _write_evidence(session, record.key, record.evidence)
    for entry in record.history:
        add_history(session, record.key, entry)


def replace_item(session: Session, record: QAItem) -> None:
    """Put ``record`` in the place of the item with its key; that item's history stays and is not extended."""
    found = row(session, record.key)
    for name, value in {**record.model_dump(include=set(_ITEM)), **_nested(record)}.items():
        setattr(found, name, value)
    session.add(found)
    _write_evidence(session, record.key, record.evidence)


def write_state(
    session: Session, found: Item, status: Status, verifier: str | None, content: Content
) -> None:
    """Let an item stand at ``status`` and say ``content``."""
    found.status, found.verifier = status, verifier
    found.question, found.answer = content.question, content.answer
    found.type, found.subtask = content.type, content.subtask
    session.add(found)
    _write_evidence(session, found.key, content.evidence)


def write_checks(session: Session, key: str, results: Sequence[Mapping[str, Any]]) -> None:
    """Keep the results of the automatic checks of one item."""
    found = row(session, key)
    found.checks = [dict(one) for one in results]
    session.add(found)


def add_history(session: Session, key: str, entry: HistoryEntry) -> None:
    """Append to an item's history."""
    values = entry.model_dump(mode="json", include={"changes"})["changes"]
    session.add(
        HistoryRow(item=key, at=entry.at, by=entry.by, action=entry.action, changes=values, note=entry.note)
    )
    session.flush()


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the fields of two JSON-able records that differ, with both values."""
    names = [*before, *(name for name in after if name not in before)]
    return {
        name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    }


def note(at: datetime, by: str, action: str, changes: Mapping[str, Any] = {}, text: str = "") -> HistoryEntry:
    """Return an entry for :func:`add_history`."""
    return HistoryEntry(at=at, by=by, action=action, changes=dict(changes), note=text)


# --- between the two --------------------------------------------------------------------------------


def _records(session: Session, rows: Sequence[Item]) -> list[QAItem]:
    wanted = [one.key for one in rows]
    evidence: dict[str, list[Evidence]] = defaultdict(list)
    history: dict[str, list[HistoryEntry]] = defaultdict(list)
    for part in (wanted[first : first + 500] for first in range(0, len(wanted), 500)):
        places = select(EvidenceRow).where(col(EvidenceRow.item).in_(part)).order_by(col(EvidenceRow.place))
        for piece in session.exec(places):
            evidence[piece.item].append(Evidence(**piece.model_dump(exclude={"item", "place"})))
        entries = select(HistoryRow).where(col(HistoryRow.item).in_(part)).order_by(col(HistoryRow.number))
        for entry in session.exec(entries):
            values = entry.model_dump(exclude={"item", "number"})
            history[entry.item].append(HistoryEntry.model_validate(values))
    return [
        QAItem(
            **one.model_dump(include=set(_ITEM)),
            evidence=tuple(evidence[one.key]),
            answer_key=_answer_key(one),
            generator=Generator.model_validate(one.generator),
            history=tuple(history[one.key]),
        )
        for one in rows
    ]


def _nested(record: QAItem) -> dict[str, Any]:
    return {
        "answer_key": record.answer_key and record.answer_key.model_dump(mode="json"),
        "generator": record.generator.model_dump(mode="json"),
        "proposed": record.content.model_dump(mode="json"),
    }


def _answer_key(found: Item) -> AnswerKey | None:
    """The answer for programs; none once a person has corrected the words that it belongs to."""
    words = found.proposed["question"], found.proposed["answer"]
    if found.answer_key is None or (found.question, found.answer) != words:
        return None
    return AnswerKey.model_validate(found.answer_key)


def _write_evidence(session: Session, key: str, evidence: Iterable[Evidence]) -> None:
    session.exec(delete(EvidenceRow).where(col(EvidenceRow.item) == key))
    for place, one in enumerate(evidence):
        session.add(EvidenceRow(item=key, place=place, **one.model_dump()))
    session.flush()

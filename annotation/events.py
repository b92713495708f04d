"""What each event of the journal does to the tables: the same when it happens and when it is replayed."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, delete

from annotation import queries
from annotation.consensus import corrected, decide
from annotation.journal import Event, GoldSet, ItemsAdded, Judged, Undone
from annotation.queries import changed, note
from annotation.schema import Content, HistoryEntry, QAItem, Status
from annotation.tables import AppliedEvent, Item, Lock, VerdictRow
from annotation.verdicts import Judgement, Role
from grga.errors import AnnotationError


def apply(session: Session, event: Event) -> None:
    """Write what ``event`` says into the tables.

    Raises:
        AnnotationError: it contradicts what is there.
    """
    match event:
        case ItemsAdded():
            _add_items(session, event)
        case Judged():
            _judge(session, event)
        case Undone():
            _undo(session, event)
        case GoldSet():
            _set_gold(session, event)
    session.add(AppliedEvent(id=event.id))
    session.flush()


def _add_items(session: Session, event: ItemsAdded) -> None:
    known = queries.keys(session, [one.key for one in event.items])
    for record in event.items:
        if record.key not in known:
            queries.insert_item(session, record, event.overlap)
            if not record.history:
                queries.add_history(session, record.key, note(event.at, event.by, "added"))
        elif event.update:
            _replace(session, event, record)
        else:
            raise AnnotationError(f"there is a question {record.key!r} already", fix="choose another key")


def _replace(session: Session, event: ItemsAdded, record: QAItem) -> None:
    """Take over what differs; the record's own history joins the one that is there."""
    before = queries.item(session, record.key)
    changes = changed(_plain(before), _plain(record))
    entries: list[HistoryEntry] = [entry for entry in record.history if entry not in before.history]
    if changes:
        queries.replace_item(session, record)
        entries.append(note(event.at, event.by, "replaced", changes))
    for entry in entries:
        queries.add_history(session, record.key, entry)


def _plain(record: QAItem) -> dict[str, Any]:
    return record.model_dump(mode="json", exclude={"history"})


def _judge(session: Session, event: Judged) -> None:
    given = event.judgement
    found = queries.row(session, given.item)
    if queries.judgements(session, item=given.item, annotator=given.annotator, role=given.role):
        raise AnnotationError(f"{given.annotator} has judged {given.item!r} already", fix="undo it first")
    session.add(VerdictRow(**_row(given)))
    session.exec(
        delete(Lock).where(col(Lock.item) == given.item).where(col(Lock.annotator) == given.annotator)
    )
    session.flush()
    shown = queries.item(session, given.item).content
    action = given.kind.value if given.role is Role.ANNOTATOR else f"adjudication: {given.kind}"
    wanted = changed(_plain_content(shown), _plain_content(corrected(shown, given)))
    text = ": ".join(part for part in (given.reason, given.note) if part)
    queries.add_history(session, given.item, note(event.at, event.by, action, wanted, text))
    _settle(session, event, found)


def _row(given: Judgement) -> dict[str, Any]:
    plain = given.model_dump(exclude={"number", "marked"})
    return {**plain, "marked": given.marked and [one.model_dump(mode="json") for one in given.marked]}


def _undo(session: Session, event: Undone) -> None:
    given = queries.verdict_row(session, event.judgement)
    if given.undone:
        raise AnnotationError("this verdict was taken back already", fix="reload the page")
    given.undone = True
    session.add(given)
    session.flush()
    queries.add_history(
        session, given.item, note(event.at, event.by, "undo", text=f"takes back {given.kind}")
    )
    _settle(session, event, queries.row(session, given.item))


def _settle(session: Session, event: Event, found: Item) -> None:
    """Let the item stand where its verdicts put it. A gold item is settled before anybody sees it."""
    if found.gold:
        return
    proposed = Content.model_validate(found.proposed)
    before = queries.item(session, found.key)
    decision = decide(proposed, queries.judgements(session, item=found.key), found.overlap)
    queries.write_state(session, found, decision.status, decision.verifier, decision.content)
    changes = changed(_plain(before), _plain(queries.item(session, found.key)))
    if changes:
        queries.add_history(session, found.key, note(event.at, event.by, "status", changes))


def _plain_content(content: Content) -> dict[str, Any]:
    return content.model_dump(mode="json")


def _set_gold(session: Session, event: GoldSet) -> None:
    """A gold item stands at the right decision, whatever anybody says about it."""
    found = queries.row(session, event.item)
    before = queries.item(session, event.item)
    found.gold = event.accept is not None
    if event.accept is not None:
        status = Status.ACCEPTED if event.accept else Status.REJECTED
        queries.write_state(session, found, status, found.verifier or event.by, before.content)
    changes = changed(_plain(before), _plain(queries.item(session, event.item)))
    queries.add_history(session, event.item, note(event.at, event.by, "gold", changes))
    _settle(session, event, found)

"""Who judges what next, what a verdict does, and who settles a dispute.

People are blind to each other: what an annotator gets shows neither other verdicts nor whether an
item is gold. Every function takes a :class:`~annotation.workspace.Workspace` and checks all it is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, func, select

from annotation import queries
from annotation.assignment import (
    COUNTED,
    UNFINISHED,
    choose,
    held,
    holders,
    oldest_dispute,
    standing,
    waiting,
    within,
)
from annotation.consensus import dispute
from annotation.journal import GoldSet, ItemsAdded, Judged, Undone
from annotation.marks import check_edit, resolve
from annotation.schema import Content, QAItem, Status
from annotation.spans import temporal_iou
from annotation.tables import Item, Lock, VerdictRow
from annotation.verdicts import DECISIONS, Judgement, Role, Verdict, VerdictKind
from annotation.workspace import Workspace, new_id, person
from grga.errors import AnnotationError


@dataclass(frozen=True)
class Task:
    """An item that somebody has in front of them.

    Attributes:
        item: For an annotator without anything that others did; for an adjudicator as it is.
        role: As what it is to be judged.
        expires: Until when nobody else gets the place.
        verdicts: For an adjudicator: what the annotators said.
        dispute: For an adjudicator: why the item needs one, as a clause.
    """

    item: QAItem
    role: Role
    expires: datetime
    verdicts: tuple[Judgement, ...] = ()
    dispute: str = ""


@dataclass(frozen=True)
class Progress:
    """How far the work is. ``yours`` counts an annotator's decisions, ``left`` what waits for them."""

    total: int
    proposed: int
    in_review: int
    adjudication: int
    accepted: int
    rejected: int
    failed: int
    yours: int
    left: int


# --- annotators -------------------------------------------------------------------------------------


def next_task(
    workspace: Workspace, annotator: str, *, meeting: str | None = None, batch: str | None = None
) -> Task | None:
    """Return what ``annotator`` is to judge next and keep it for them; None when nothing waits.

    What they had open comes back first. Otherwise it is the item with the fewest verdicts, and now
    and then a gold one.

    Raises:
        AnnotationError: the name cannot be used.
    """
    name = person(annotator)
    with workspace.writing() as session:
        now = workspace.clock()
        key = held(session, now, name, Role.ANNOTATOR, meeting, batch) or choose(
            session, now, name, workspace.rules.gold_every, meeting, batch
        )
        return None if key is None else _take(session, workspace, key, name, Role.ANNOTATOR)


def judge(workspace: Workspace, key: str, annotator: str, verdict: Verdict) -> Judgement:
    """Keep the verdict of an annotator; it is on disk when this returns.

    Raises:
        AnnotationError: no such item, it is settled or taken by others, judged by this person before,
            or a correction or a span that cannot be.
        StoreError: the meeting is not here to check the marked spans against.
    """
    name = person(annotator)

    def decide(session: Session) -> Judged:
        found = queries.row(session, key)
        _check_place(session, workspace, found, name)
        return _event(workspace, given)

    given = _judgement(workspace, key, name, Role.ANNOTATOR, verdict)
    workspace.record(decide)
    return given


def undo(workspace: Workspace, annotator: str) -> Task | None:
    """Take back the annotator's last verdict and return its item to be judged again; None without one.

    The history keeps both. What the verdict had settled is open again.

    Raises:
        AnnotationError: an adjudicator has settled the item meanwhile.
    """
    name = person(annotator)
    with workspace.reading() as session:
        given = queries.judgements(session, annotator=name)
    if not given:
        return None
    last = given[-1]

    def decide(session: Session) -> Undone:
        others = queries.judgements(session, item=last.item, role=Role.ADJUDICATOR)
        if last.role is Role.ANNOTATOR and any(one.decides for one in others):
            raise AnnotationError(
                "your last verdict can no longer be taken back: an adjudicator has settled the question"
            )
        return Undone(id=new_id(), at=workspace.clock(), by=name, judgement=last.id)

    workspace.record(decide)
    with workspace.writing() as session:
        return _take(session, workspace, last.item, name, last.role)


def release(workspace: Workspace, annotator: str) -> None:
    """Let others have what this person has open."""
    with workspace.writing() as session:
        session.exec(delete(Lock).where(col(Lock.annotator) == person(annotator)))


# --- adjudicators -----------------------------------------------------------------------------------


def next_dispute(
    workspace: Workspace, adjudicator: str, *, meeting: str | None = None, batch: str | None = None
) -> Task | None:
    """Return the oldest dispute that ``adjudicator`` may settle and keep it for them; None without one.

    Nobody settles what they have judged themselves.
    """
    name = person(adjudicator)
    with workspace.writing() as session:
        now = workspace.clock()
        key = held(session, now, name, Role.ADJUDICATOR, meeting, batch) or oldest_dispute(
            session, now, name, meeting, batch
        )
        return None if key is None else _take(session, workspace, key, name, Role.ADJUDICATOR)


def adjudicate(workspace: Workspace, key: str, adjudicator: str, verdict: Verdict) -> Judgement:
    """Settle a dispute; final, with ``adjudicator`` as the item's verifier.

    Raises:
        AnnotationError: as :func:`judge`; also for one of the item's annotators, for a flag, and for
            an item that needs no adjudicator.
    """
    name = person(adjudicator)
    if verdict.kind is VerdictKind.FLAG:
        raise AnnotationError("an adjudicator cannot flag a question", fix="accept, edit, reject or skip it")
    given = _judgement(workspace, key, name, Role.ADJUDICATOR, verdict)

    def decide(session: Session) -> Judged:
        found = queries.row(session, key)
        if any(one.kind in COUNTED for one in queries.judgements(session, item=key, annotator=name)):
            raise AnnotationError(
                f"{name} has judged {key!r} and cannot settle it", fix="let somebody else settle it"
            )
        if found.status != Status.ADJUDICATION:
            raise AnnotationError(f"the question {key!r} needs no adjudicator", found=str(found.status))
        if holders(session, workspace.clock(), key, Role.ADJUDICATOR, but=name):
            raise AnnotationError(
                f"somebody else has taken the question {key!r} to settle it", fix="take the next one"
            )
        return _event(workspace, given)

    workspace.record(decide)
    return given


# --- everybody --------------------------------------------------------------------------------------


def add_items(
    workspace: Workspace,
    items: Iterable[QAItem],
    by: str,
    *,
    overlap: int | None = None,
    update: bool = False,
) -> int:
    """Add items, all or none, and return how many.

    Args:
        items: With keys of their own; ``status`` FAILED keeps an item from annotators.
        by: Who adds them, for the history.
        overlap: Annotators per item; by default what the workspace's rules say.
        update: Let items with a known key replace what is there instead of refusing them.

    Raises:
        AnnotationError: a key is taken (without ``update``).
    """
    wanted = tuple(items)
    needed = workspace.rules.overlap if overlap is None else overlap
    if needed < 1:
        raise AnnotationError("a question needs at least one annotator", found=needed)
    if wanted:
        event = ItemsAdded(
            id=new_id(), at=workspace.clock(), by=by, items=wanted, overlap=needed, update=update
        )
        workspace.record(lambda session: event)
    return len(wanted)


def set_gold(workspace: Workspace, key: str, accept: bool | None, by: str) -> None:
    """Let an item measure annotators: ``accept`` is the right decision, its evidence the right one.

    It is offered to everybody, looks like any other, and stands at the right decision whatever they
    say. None makes it an ordinary item again, which stands where its verdicts put it.

    Raises:
        AnnotationError: there is no such item.
    """
    event = GoldSet(id=new_id(), at=workspace.clock(), by=person(by), item=key, accept=accept)
    workspace.record(lambda session: event)


def progress(
    workspace: Workspace, annotator: str = "", *, meeting: str | None = None, batch: str | None = None
) -> Progress:
    """Return how far the work on a meeting or a batch is, and an annotator's own share of it."""
    with workspace.reading() as session:
        counts = dict.fromkeys(Status, 0)
        query = within(select(Item.status, func.count()), meeting, batch).where(col(Item.gold).is_(False))
        counts.update({Status(status): n for status, n in session.exec(query.group_by(Item.status))})
        yours = left = 0
        if annotator:
            name = person(annotator)
            inside = within(select(Item.key), meeting, batch)
            mine = select(func.count()).where(
                VerdictRow.annotator == name,
                standing(),
                col(VerdictRow.kind).in_(DECISIONS),
                col(VerdictRow.item).in_(inside),
            )
            yours = session.exec(mine).one()
            left = len(session.exec(waiting(workspace.clock(), name, meeting, batch)).all())
    return Progress(
        total=sum(counts.values()),
        proposed=counts[Status.PROPOSED],
        in_review=counts[Status.IN_REVIEW],
        adjudication=counts[Status.ADJUDICATION],
        accepted=counts[Status.ACCEPTED],
        rejected=counts[Status.REJECTED],
        failed=counts[Status.FAILED],
        yours=yours,
        left=left,
    )


# --- helpers ----------------------------------------------------------------------------------------


def _take(session: Session, workspace: Workspace, key: str, name: str, role: Role) -> Task:
    expires = workspace.clock() + timedelta(seconds=workspace.rules.lock_seconds)
    session.merge(Lock(item=key, annotator=name, role=role, expires=expires))
    session.flush()
    item = queries.item(session, key)
    if role is Role.ADJUDICATOR:
        verdicts = queries.judgements(session, item=key, role=Role.ANNOTATOR)
        found = queries.row(session, key)
        why = dispute(Content.model_validate(found.proposed), verdicts, found.overlap)
        return Task(item, role, expires, tuple(verdicts), why)
    blind = {"history": (), "gold": False, "status": Status.PROPOSED, "verifier": None}
    return Task(item.model_copy(update=blind), role, expires)


def _judgement(workspace: Workspace, key: str, name: str, role: Role, verdict: Verdict) -> Judgement:
    """Return the verdict as it is kept, resolved against the item and its meeting."""
    with workspace.reading() as session:
        item = queries.item(session, key)
    shown = item.content  # as proposed; of a gold item, as settled
    kind = check_edit(shown, verdict)
    marked = None
    if verdict.marks is not None and kind is not VerdictKind.REJECT:
        marked = resolve(verdict.marks, workspace.meeting(item.meeting))
    judged = kind in (VerdictKind.ACCEPT, VerdictKind.EDIT)
    spans = shown.spans if marked is None else tuple(one.span for one in marked)
    return Judgement(
        **verdict.model_dump(exclude={"marks", "kind"}),
        id=new_id(),
        item=key,
        annotator=name,
        role=role,
        at=workspace.clock(),
        kind=kind,
        marked=marked,
        iou=temporal_iou(spans, shown.spans) if judged else None,
    )


def _event(workspace: Workspace, given: Judgement) -> Judged:
    return Judged(id=given.id, at=given.at, by=given.annotator, judgement=given)


def _check_place(session: Session, workspace: Workspace, found: Item, name: str) -> None:
    """See that this person may judge the item: it is open, and a place at it is theirs or free."""
    if found.gold:
        return
    mine = session.get(Lock, (found.key, name))
    holds = mine is not None and mine.role == Role.ANNOTATOR and mine.expires > workspace.clock()
    if found.status not in UNFINISHED or (found.status == Status.ADJUDICATION and not holds):
        raise AnnotationError(
            f"the question {found.key!r} is no longer open", found=str(found.status), fix="take the next one"
        )
    if holds:
        return
    given = queries.judgements(session, item=found.key, role=Role.ANNOTATOR)
    elsewhere = holders(session, workspace.clock(), found.key, Role.ANNOTATOR, but=name)
    taken = sum(one.kind in COUNTED for one in given) + elsewhere
    if taken >= found.overlap:
        raise AnnotationError(
            f"the question {found.key!r} was kept for you no longer and somebody else has taken it",
            fix="take the next one",
        )

"""What each event does to the tables: the same when it happens and when it is replayed."""

from __future__ import annotations

from sqlmodel import Session, col, func, select

from eval.human.events import (
    Consented,
    Event,
    Invited,
    Listened,
    Rated,
    Refused,
    Revoked,
    Shown,
    StudyClosed,
    StudyMade,
    StudyOpened,
    Unblinded,
)
from eval.human.order import rater_tasks
from eval.human.study import Study
from eval.human.tables import (
    AppliedEvent,
    ContentRow,
    ListenRow,
    RaterRow,
    RatingHistoryRow,
    RatingRow,
    RefusalRow,
    StudyRow,
    StudyState,
    TaskRow,
)
from grga.errors import StudyError


def apply(session: Session, event: Event) -> None:
    """Write what ``event`` says into the tables.

    Raises:
        StudyError: it speaks of a study, rater or task that is not there.
    """
    match event:
        case StudyMade():
            made = event.content
            session.add(
                StudyRow(
                    key=event.study,
                    title=made.title,
                    pilot=made.pilot,
                    criteria=len(made.criteria),
                    made=event.at,
                )
            )
            session.flush()
            session.add(ContentRow(study=event.study, content=made.model_dump(mode="json")))
        case StudyOpened():
            study = study_row(session, event.study)
            study.state, study.opened = StudyState.OPEN, event.at
            study.cleared_by, study.findings = event.by, list(event.findings)
        case StudyClosed():
            study = study_row(session, event.study)
            study.state, study.closed = StudyState.CLOSED, event.at
        case Unblinded():
            study = study_row(session, event.study)
            study.unblinded, study.unblinded_by = study.unblinded or event.at, study.unblinded_by or event.by
        case Invited():
            session.add(
                RaterRow(
                    id=event.rater,
                    study=event.study,
                    name=event.name,
                    salt=event.salt,
                    invited=event.at,
                    expires=event.expires,
                )
            )
        case Revoked():
            rater_row(session, event.rater).revoked = True
        case Consented():
            _consent(session, event)
        case Shown():
            task = task_row(session, event.task)
            task.shown = task.shown or event.at
        case Listened():
            session.add(ListenRow(task=event.task, number=event.number, seconds=event.seconds, at=event.at))
        case Rated():
            _rate(session, event)
        case Refused():
            session.add(
                RefusalRow(study=event.study, by=event.by, what=event.what, reason=event.reason, at=event.at)
            )
    session.add(AppliedEvent(id=event.id))
    session.flush()


def _consent(session: Session, event: Consented) -> None:
    rater = rater_row(session, event.rater)
    rater.consented, rater.row = event.at, event.row
    for task in rater_tasks(content(session, event.study), event.row, rater.salt):
        session.add(
            TaskRow(
                id=task.id,
                rater=rater.id,
                position=task.position,
                kind=task.kind,
                item=task.item,
                system=task.system,
            )
        )


def _rate(session: Session, event: Rated) -> None:
    task = task_row(session, event.task)
    same = select(RatingRow).where(RatingRow.task == event.task, RatingRow.criterion == event.criterion)
    rating = session.exec(same).one_or_none()
    if rating is None:
        rating = RatingRow(task=event.task, criterion=event.criterion, score=event.score, at=event.at)
    else:
        rating.score, rating.at, rating.changes = event.score, event.at, rating.changes + 1
    session.add(rating)
    session.add(RatingHistoryRow(task=event.task, criterion=event.criterion, score=event.score, at=event.at))
    session.flush()
    given = session.exec(select(func.count()).where(RatingRow.task == event.task)).one()
    if task.done is None and given == study_row(session, event.study).criteria:
        task.done = event.at
        session.flush()
        rater = rater_row(session, event.rater)
        left = select(func.count()).where(TaskRow.rater == rater.id, col(TaskRow.done).is_(None))
        if session.exec(left).one() == 0:
            rater.finished = event.at


def study_row(session: Session, key: str) -> StudyRow:
    """Return a study's row.

    Raises:
        StudyError: there is none.
    """
    row = session.get(StudyRow, key)
    if row is None:
        raise StudyError(f"there is no study {key!r}", fix="`python -m eval.human status` lists them")
    return row


def content(session: Session, key: str) -> Study:
    """Return what a study is made of.

    Raises:
        StudyError: there is no such study.
    """
    return Study.model_validate(session.get_one(ContentRow, study_row(session, key).key).content)


def rater_row(session: Session, rater: str) -> RaterRow:
    """Return a rater's row.

    Raises:
        StudyError: there is none.
    """
    row = session.get(RaterRow, rater)
    if row is None:
        raise StudyError("this link belongs to nobody", fix="ask for a new one")
    return row


def task_row(session: Session, task: str) -> TaskRow:
    """Return a task's row.

    Raises:
        StudyError: there is none.
    """
    row = session.get(TaskRow, task)
    if row is None:
        raise StudyError("there is no such answer to rate", fix="reload the page")
    return row

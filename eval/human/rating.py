"""What a rater may see and do. Every call begins with the token of a link and trusts nothing else.

Nothing here returns a system's name, an item's key or another rater's data: tasks and clips have
random ids of this rater's own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from eval.human import events
from eval.human.apply import rater_row, study_row
from eval.human.desk import Desk
from eval.human.order import clip_id, criteria_order, latin_square, next_row
from eval.human.study import SCORES, Criterion, KnownItem, Study, TaskKind
from eval.human.tables import ListenRow, RaterRow, RatingRow, StudyState, TaskRow
from eval.records import Clip
from grga.errors import StudyError
from grga.types import TimeSpan

HEARD_SHARE = 0.6
"""A clip counts as heard when this share of it, but no more than ``HEARD_SECONDS``, was played."""
HEARD_SECONDS = 4.0
LONGEST_LINK = 366
"""Days after which a link is refused whatever its study says."""


@dataclass(frozen=True)
class ClipView:
    """A cited moment as a rater sees it; ``heard`` unlocks criteria that must be listened to."""

    id: str
    number: int
    seconds: float
    speaker: str
    text: str
    heard: bool


@dataclass(frozen=True)
class CriterionView:
    """A criterion with the rater's present score; ``locked`` says what must be done first, "" when free."""

    name: str
    question: str
    anchors: tuple[str, ...]
    score: int | None
    locked: str


@dataclass(frozen=True)
class TaskView:
    """One answer to rate. ``feedback`` is given in training only, once every criterion has a score."""

    id: str
    position: int
    training: bool
    question: str
    text: str
    clips: tuple[ClipView, ...]
    criteria: tuple[CriterionView, ...]
    reference: str | None
    done: bool
    feedback: str = ""


@dataclass(frozen=True)
class RaterView:
    """Where a rater stands. ``task`` is None before the consent and when everything is rated."""

    title: str
    guidelines: str
    consent: str
    consented: bool
    open: bool
    done: int
    total: int
    task: TaskView | None


@dataclass(frozen=True)
class Saved:
    """The acknowledgement of a click: it is on disk."""

    at: datetime
    task_done: bool


@dataclass(frozen=True)
class _Place:
    """A rater who may act now."""

    rater: RaterRow
    study: Study


class RatingRoom:
    """The door for raters, on top of a :class:`~eval.human.desk.Desk`."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    # --- looking ---------------------------------------------------------------------------------

    def view(self, token: str, position: int | None = None) -> RaterView:
        """Return what the rater sees.

        Args:
            token: From the rater's link.
            position: Which task; None for the first one that is not done. A task further than that
                cannot be seen yet.

        Raises:
            StudyError: the link is forged, expired or revoked; the study has not been opened.
        """
        place = self._enter(token, closed_too=True)
        with self.desk.reading() as session:
            state = study_row(session, place.study.key).state
            of_rater = select(TaskRow).where(TaskRow.rater == place.rater.id).order_by(col(TaskRow.position))
            tasks = session.exec(of_rater).all()
            first = next((task.position for task in tasks if task.done is None), len(tasks))
            wanted = first if position is None else max(0, min(position, first))
            shown = tasks[wanted] if wanted < len(tasks) and state == StudyState.OPEN else None
            view = self._task(session, place, shown) if shown else None
        if shown is not None and shown.shown is None:
            self._note_shown(place, shown.id)
        return RaterView(
            title=place.study.title,
            guidelines=place.study.guidelines,
            consent=place.study.consent,
            consented=place.rater.consented is not None,
            open=state == StudyState.OPEN,
            done=sum(task.done is not None for task in tasks),
            total=len(tasks),
            task=view,
        )

    def clip(self, token: str, clip: str) -> tuple[str, TimeSpan]:
        """Return the meeting and the span of a clip that belongs to one of the rater's tasks.

        Raises:
            StudyError: the link is not valid, or it is no clip of this rater's.
        """
        place = self._enter(token)
        with self.desk.reading() as session:
            for task in session.exec(
                select(TaskRow).where(TaskRow.rater == place.rater.id, col(TaskRow.shown).is_not(None))
            ):
                for number, one in enumerate(_content(place.study, task).clips, start=1):
                    if clip_id(place.rater.salt, task.id, number) == clip:
                        return _content(place.study, task).meeting, TimeSpan(one.start, one.end)
        raise self._refused(place, "listen", StudyError("there is no such clip", fix="reload the page"))

    # --- acting ----------------------------------------------------------------------------------

    def consent(self, token: str) -> RaterView:
        """Take part: the rater's tasks are laid out, balanced on those who have finished.

        Raises:
            StudyError: the link is not valid, or the study is not open.
        """
        place = self._enter(token)
        if place.rater.consented is None:
            size = len(latin_square(len(place.study.systems)))

            def decide(session: Session) -> events.Event:
                others = select(RaterRow).where(
                    RaterRow.study == place.study.key, col(RaterRow.row).is_not(None)
                )
                completed: dict[int, int] = {}
                active: dict[int, int] = {}
                for other in session.exec(others):
                    assert other.row is not None
                    if other.finished:
                        completed[other.row] = completed.get(other.row, 0) + 1
                    elif not other.revoked:
                        active[other.row] = active.get(other.row, 0) + 1
                if rater_row(session, place.rater.id).consented is not None:
                    raise _AlreadyIn
                row = next_row(size, completed, active)
                return events.Consented(**self._head(place), rater=place.rater.id, row=row)

            with suppress(_AlreadyIn):  # a second click, or a second tab
                self.desk.log.record(decide)
        return self.view(token)

    def listen(self, token: str, task: str, clip: str, seconds: float) -> Saved:
        """Note that a clip was heard for so many seconds.

        Raises:
            StudyError: the link, task or clip is not the rater's, or the seconds make no sense.
        """
        place = self._enter(token)

        def decide(session: Session) -> events.Event:
            found = self._own_task(session, place, task)
            clips = _content(place.study, found).clips
            ids = [clip_id(place.rater.salt, found.id, number) for number in range(1, len(clips) + 1)]
            if clip not in ids:
                raise StudyError("there is no such clip", fix="reload the page")
            longest = clips[ids.index(clip)].end - clips[ids.index(clip)].start + 10.0
            if not 0 <= seconds <= longest:
                raise StudyError("this clip is not as long as that", found=f"{seconds} s")
            return events.Listened(
                **self._head(place),
                rater=place.rater.id,
                task=found.id,
                number=ids.index(clip) + 1,
                seconds=seconds,
            )

        return self._act(place, "listen", decide)

    def rate(self, token: str, task: str, criterion: str, score: int) -> Saved:
        """Give or change one score; it is on disk when this returns.

        Raises:
            StudyError: the link is not valid, the study is closed, the task is another rater's or
                comes later, there is no such criterion or score, or a clip must be heard first.
        """
        place = self._enter(token)

        def decide(session: Session) -> events.Event:
            found = self._own_task(session, place, task)
            if criterion not in {one.name for one in place.study.criteria}:
                raise StudyError(f"there is no criterion {criterion[:60]!r}", fix="reload the page")
            if isinstance(score, bool) or score not in SCORES:
                raise StudyError(f"the score {str(score)[:20]} cannot be given", expected="1, 2, 3, 4 or 5")
            lock = self._locks(session, place, found)[criterion]
            if lock:
                raise StudyError(f"{criterion} cannot be rated yet", fix=lock)
            same = select(RatingRow).where(RatingRow.task == found.id, RatingRow.criterion == criterion)
            known = session.exec(same).one_or_none()
            if known is not None and known.score == score:
                raise _GivenAlready(Saved(known.at, found.done is not None))
            return events.Rated(
                **self._head(place), rater=place.rater.id, task=found.id, criterion=criterion, score=score
            )

        try:
            return self._act(place, "rate", decide)
        except _GivenAlready as given:  # a page that heard no answer sends its click again
            return given.saved

    def own_ratings(self, token: str) -> list[tuple[int, str, str, int, datetime]]:
        """Return a rater's own scores: number of the answer, question, criterion, score, when.

        Raises:
            StudyError: the link is not valid.
        """
        place = self._enter(token, closed_too=True)
        with self.desk.reading() as session:
            rows = session.exec(
                select(TaskRow, RatingRow)
                .where(TaskRow.rater == place.rater.id, RatingRow.task == TaskRow.id)
                .order_by(col(TaskRow.position), col(RatingRow.number))
            )
            return [
                (
                    task.position + 1,
                    _content(place.study, task).question,
                    rating.criterion,
                    rating.score,
                    rating.at,
                )
                for task, rating in rows
            ]

    # --- who may ---------------------------------------------------------------------------------

    def _enter(self, token: str, *, closed_too: bool = False) -> _Place:
        """Return the rater and the study of a link, or keep the refusal and raise it."""
        try:
            rater_id = self.desk.links.rater(token, days=LONGEST_LINK)
            with self.desk.reading() as session:
                rater = rater_row(session, rater_id)
                row = study_row(session, rater.study)
            study = self.desk.study(rater.study)
        except StudyError as error:
            self.desk.refuse("", "", "open a link", str(error))
            raise
        place = _Place(rater, study)
        if rater.revoked:
            raise self._refused(place, "open a link", StudyError("this link was revoked", fix="ask why"))
        if rater.expires < self.desk.clock():
            expired = StudyError("this link has expired", fix="ask for a new one")
            raise self._refused(place, "open a link", expired)
        if row.state == StudyState.DRAFT:
            early = StudyError("this study has not begun yet", fix="come back later")
            raise self._refused(place, "open a link", early)
        if row.state == StudyState.CLOSED and not closed_too:
            closed = StudyError("this study is closed", fix="nothing is left to do: thank you")
            raise self._refused(place, "act in a closed study", closed)
        return place

    def _refused(self, place: _Place, what: str, error: StudyError) -> StudyError:
        self.desk.refuse(place.study.key, place.rater.id, what, str(error))
        return error

    def _act(self, place: _Place, what: str, decide: Callable[[Session], events.Event]) -> Saved:
        try:
            event = self.desk.log.record(decide)
        except StudyError as error:
            raise self._refused(place, what, error) from None
        with self.desk.reading() as session:
            task = session.get(TaskRow, event.task) if isinstance(event, events.Rated) else None
            return Saved(event.at, task is not None and task.done is not None)

    def _own_task(self, session: Session, place: _Place, task: str) -> TaskRow:
        """Return a task of this rater's that is not ahead of where the rater stands."""
        if study_row(session, place.study.key).state != StudyState.OPEN:
            raise StudyError("this study is closed", fix="nothing is left to do: thank you")
        found = session.get(TaskRow, task)
        if found is None or found.rater != place.rater.id:
            raise StudyError("this is not one of your answers to rate", fix="reload the page")
        first = session.exec(
            select(func.min(TaskRow.position)).where(
                TaskRow.rater == place.rater.id, col(TaskRow.done).is_(None)
            )
        ).one()
        if first is not None and found.position > first:
            raise StudyError("this answer comes later", fix="finish the one before it")
        return found

    def _locks(self, session: Session, place: _Place, task: TaskRow) -> dict[str, str]:
        """Return per criterion what must be done before it can be rated, "" for nothing."""
        given = set(session.exec(select(RatingRow.criterion).where(RatingRow.task == task.id)))
        clips = _content(place.study, task).clips
        heard = bool(_heard(session, task, clips)) or not clips
        locks = {}
        waiting = ""
        for name in criteria_order(place.study, place.rater.salt):
            lock = waiting
            if not lock and place.study.criterion(name).must_listen and not heard:
                lock = "listen to a cited moment first"
            locks[name] = "" if name in given else lock
            if place.study.one_at_a_time and name not in given and not waiting:
                waiting = f"rate {name} first"
        return locks

    # --- views -----------------------------------------------------------------------------------

    def _task(self, session: Session, place: _Place, task: TaskRow) -> TaskView:
        study, what = place.study, _content(place.study, task)
        heard = _heard(session, task, what.clips)
        scores = dict(
            session.exec(select(RatingRow.criterion, RatingRow.score).where(RatingRow.task == task.id)).all()
        )
        locks = self._locks(session, place, task)
        known = _known(study, task)
        shown: list[CriterionView] = []
        for name in criteria_order(study, place.rater.salt):
            criterion: Criterion = study.criterion(name)
            shown.append(
                CriterionView(name, criterion.question, criterion.anchors, scores.get(name), locks[name])
            )
        training = task.kind == TaskKind.TRAINING
        return TaskView(
            id=task.id,
            position=task.position,
            training=training,
            question=what.question,
            text=what.text,
            clips=tuple(
                ClipView(
                    id=clip_id(place.rater.salt, task.id, number),
                    number=number,
                    seconds=round(one.end - one.start, 1),
                    speaker=one.speaker,
                    text=one.text,
                    heard=number in heard,
                )
                for number, one in enumerate(what.clips, start=1)
            ),
            criteria=tuple(shown),
            reference=what.reference if study.show_reference else None,
            done=task.done is not None,
            feedback=_feedback(known, scores) if training and known and task.done else "",
        )

    def _note_shown(self, place: _Place, task: str) -> None:
        self.desk.log.record(
            lambda session: events.Shown(**self._head(place), rater=place.rater.id, task=task)
        )

    def _head(self, place: _Place) -> events.Head:
        return self.desk._head(place.study.key, place.rater.id)


class _AlreadyIn(Exception):
    """The rater has agreed before."""


class _GivenAlready(Exception):
    """The same score is there already."""

    def __init__(self, saved: Saved) -> None:
        super().__init__()
        self.saved = saved


# --- what a task shows ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Content:
    question: str
    text: str
    clips: tuple[Clip, ...]
    meeting: str
    reference: str | None = None


def _known(study: Study, task: TaskRow) -> KnownItem | None:
    return next((one for one in (*study.training, *study.checks) if one.key == task.item), None)


def _content(study: Study, task: TaskRow) -> _Content:
    known = _known(study, task)
    if known is not None:
        return _Content(known.question, known.text, known.clips, known.meeting)
    item = next(one for one in study.items if one.key == task.item)
    given = next(one for one in item.candidates if one.system == task.system)
    return _Content(item.question, given.text, given.clips, item.meeting, item.reference)


def _heard(session: Session, task: TaskRow, clips: tuple[Clip, ...]) -> set[int]:
    """Return the numbers of the clips that were played long enough, over all times they were played."""
    played: dict[int, float] = {}
    for row in session.exec(select(ListenRow).where(ListenRow.task == task.id)):
        played[row.number] = played.get(row.number, 0.0) + row.seconds
    return {
        number
        for number, one in enumerate(clips, start=1)
        if played.get(number, 0.0) >= min(HEARD_SHARE * (one.end - one.start), HEARD_SECONDS)
        and number in played
    }


def _feedback(known: KnownItem, scores: dict[str, int]) -> str:
    """Return, after training, where the scores differ from the expected ones, and why."""
    lines = []
    for name, (least, most) in known.expected.items():
        if not least <= scores.get(name, 0) <= most:
            right = f"{least}" if least == most else f"{least} to {most}"
            lines.append(f"{name}: you gave {scores.get(name)}, we expected {right}.")
    return " ".join([*lines, known.feedback]).strip() or "Your scores are what we expected."

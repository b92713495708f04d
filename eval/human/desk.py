"""The desk of whoever runs studies: make, open, invite, watch, close. Raters come to :mod:`eval.human.rating`."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Engine
from sqlmodel import Session, col, func, select

from eval.human import events
from eval.human.apply import apply, content, rater_row, study_row
from eval.human.blinding import Finding, normalised, scan
from eval.human.events import EVENT
from eval.human.links import Links, home_secret
from eval.human.study import Study
from eval.human.tables import AppliedEvent, RaterRow, RefusalRow, StudyRow, StudyState, TaskRow
from grga.db import migrate, open_database
from grga.errors import StudyError
from grga.journal import EventLog, Journal, Replay

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations"


@dataclass(frozen=True)
class StudyLine:
    """A study in a list. ``raters`` have been invited, ``finished`` of them have rated everything.

    ``unblinded`` says whether somebody has looked at which answers are whose.
    """

    key: str
    title: str
    state: StudyState
    pilot: bool
    made: datetime
    raters: int
    finished: int
    unblinded: bool


@dataclass(frozen=True)
class RaterLine:
    """How far a rater has come; nothing about scores."""

    id: str
    name: str
    state: str
    done: int
    total: int
    expires: datetime


@dataclass(frozen=True)
class Desk:
    """All studies of one home.

    Attributes:
        log: Where every event goes.
        links: Makes raters' links.
        clock: Returns the present moment, with a time zone.
    """

    log: EventLog[events.Event]
    links: Links
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    _read: dict[str, Study] = field(default_factory=dict)

    @classmethod
    def open(
        cls, home: Path, *, engine: Engine | None = None, clock: Callable[[], datetime] | None = None
    ) -> Desk:
        """Open the studies below ``home`` and bring the tables up to date with their journal.

        Args:
            home: The folder of meetings and database.
            engine: The database where it is open already, or another than the home's own.
            clock: For tests.

        Raises:
            StoreError: the database or the journal cannot be used.
        """
        engine = engine or open_database(home)
        migrate(engine, MIGRATIONS, "eval")
        log = EventLog(engine, Journal(home / "human" / "journal.jsonl"), EVENT, apply, _applied)
        desk = cls(log, Links(home_secret(home)), clock or (lambda: datetime.now(UTC)))
        desk.replay()
        return desk

    def replay(self) -> Replay:
        """Read back from the journal what the tables lack."""
        return self.log.replay()

    def reading(self) -> Session:
        """Return a session for looking only."""
        return Session(self.log.engine)

    # --- studies ---------------------------------------------------------------------------------

    def make(self, study: Study, by: str = "") -> Study:
        """Keep a study as a draft, its answers brought into one style, and return it so.

        Raises:
            StudyError: there is a study with this key.
        """
        made = normalised(study)

        def decide(session: Session) -> events.Event:
            if session.get(StudyRow, made.key) is not None:
                raise StudyError(f"there is a study {made.key!r} already", fix="choose another key")
            return events.StudyMade(**self._head(made.key, by), content=made)

        self.log.record(decide)
        return made

    def study(self, key: str) -> Study:
        """Return a study.

        Raises:
            StudyError: there is none with this key.
        """
        if key not in self._read:  # a study never changes, and every click needs it
            with self.reading() as session:
                self._read[key] = content(session, key)
        return self._read[key]

    def findings(self, key: str) -> tuple[Finding, ...]:
        """Return what may unblind raters, for a person to read before the study opens."""
        return scan(self.study(key))

    def open_study(self, key: str, by: str, *, cleared: bool = False) -> None:
        """Let raters come.

        Args:
            key: A draft.
            by: Who opens it.
            cleared: Whether this person has read the findings of the scan and lets them pass.

        Raises:
            StudyError: it is not a draft, or there are findings that nobody has cleared.
        """
        found = [f"{one.item or 'all answers'} ({one.system}): {one.problem}" for one in self.findings(key)]
        if found and not cleared:
            raise StudyError(
                f"{len(found)} things in the study {key!r} may tell raters whose answer they read",
                found=found[0],
                fix="read them, correct the answers or clear them",
            )

        def decide(session: Session) -> events.Event:
            _expect(study_row(session, key), StudyState.DRAFT)
            return events.StudyOpened(**self._head(key, by), findings=tuple(found))

        self.log.record(decide)

    def close(self, key: str, by: str) -> None:
        """Take no more scores.

        Raises:
            StudyError: it is not open.
        """

        def decide(session: Session) -> events.Event:
            _expect(study_row(session, key), StudyState.OPEN)
            return events.StudyClosed(**self._head(key, by))

        self.log.record(decide)

    def unblind(self, key: str, by: str) -> None:
        """Allow the analysis by system. Kept with name and time; the rules of exclusion stand already.

        Raises:
            StudyError: the study is still open or was never opened.
        """

        def decide(session: Session) -> events.Event:
            _expect(study_row(session, key), StudyState.CLOSED)
            return events.Unblinded(**self._head(key, by))

        self.log.record(decide)

    def studies(self) -> list[StudyLine]:
        """Return a line per study, newest first."""
        with self.reading() as session:
            raters = Counter(session.exec(select(RaterRow.study)))
            finished = Counter(
                session.exec(select(RaterRow.study).where(col(RaterRow.finished).is_not(None)))
            )
            rows = session.exec(select(StudyRow).order_by(col(StudyRow.made).desc()))
            return [
                StudyLine(
                    key=row.key,
                    title=row.title,
                    state=row.state,
                    pilot=row.pilot,
                    made=row.made,
                    raters=raters[row.key],
                    finished=finished[row.key],
                    unblinded=row.unblinded is not None,
                )
                for row in rows
            ]

    # --- raters ----------------------------------------------------------------------------------

    def invite(self, key: str, name: str, by: str = "") -> str:
        """Give a person a place in the study; return the token of their link.

        Raises:
            StudyError: no such study, it is closed, or the name is empty or taken.
        """
        plain = " ".join(name.split())
        study = self.study(key)

        def decide(session: Session) -> events.Event:
            if study_row(session, key).state == StudyState.CLOSED:
                raise StudyError(f"the study {key!r} is closed", fix="make a new one")
            same = select(RaterRow).where(RaterRow.study == key, RaterRow.name == plain)
            if not plain or len(plain) > 80 or session.exec(same).first():
                raise StudyError(f"the name {plain[:80]!r} is empty or taken", fix="choose another name")
            head = self._head(key, by)
            return events.Invited(
                **head,
                rater=uuid4().hex,
                name=plain,
                salt=secrets.token_urlsafe(16),
                expires=head["at"] + timedelta(days=study.link_days),
            )

        event = self.log.record(decide)
        assert isinstance(event, events.Invited)
        return self.links.token(event.rater)

    def link(self, rater: str) -> str:
        """Return the token of an invited rater's link again.

        Raises:
            StudyError: there is no such rater.
        """
        with self.reading() as session:
            return self.links.token(rater_row(session, rater).id)

    def revoke(self, rater: str, by: str = "") -> None:
        """Make a rater's link void; what was rated stays.

        Raises:
            StudyError: there is no such rater.
        """
        self.log.record(
            lambda session: events.Revoked(**self._head(rater_row(session, rater).study, by), rater=rater)
        )

    def raters(self, key: str) -> list[RaterLine]:
        """Return how far each rater has come, in order of invitation."""
        with self.reading() as session:
            study_row(session, key)
            of_study = select(RaterRow).where(RaterRow.study == key).order_by(col(RaterRow.invited))
            rows = session.exec(of_study).all()
            counts = {
                rater: (total, done)
                for rater, total, done in session.exec(
                    select(TaskRow.rater, func.count(), func.count(col(TaskRow.done))).group_by(TaskRow.rater)
                )
            }
            lines = []
            for row in rows:
                total, done = counts.get(row.id, (0, 0))
                lines.append(RaterLine(row.id, row.name, self._state(row), done, total, row.expires))
            return lines

    def refusals(self, key: str) -> list[tuple[datetime, str, str]]:
        """Return what was tried and refused in a study: when, what, why."""
        with self.reading() as session:
            rows = session.exec(
                select(RefusalRow).where(RefusalRow.study == key).order_by(col(RefusalRow.id))
            )
            return [(row.at, row.what, row.reason) for row in rows]

    def refuse(self, key: str, by: str, what: str, reason: str) -> None:
        """Keep what was tried and not allowed."""
        self.log.record(
            lambda session: events.Refused(**self._head(key, by), what=what[:200], reason=reason[:400])
        )

    # --- helpers ---------------------------------------------------------------------------------

    def _head(self, study: str, by: str) -> events.Head:
        return {"id": uuid4().hex, "at": self.clock(), "by": by, "study": study}

    def _state(self, row: RaterRow) -> str:
        if row.finished:
            return "finished"
        if row.revoked:
            return "revoked"
        if row.expires < self.clock():
            return "expired"
        return "rating" if row.consented else "invited"


def _applied(session: Session) -> set[str]:
    return set(session.exec(select(AppliedEvent.id)))


def _expect(row: StudyRow, state: StudyState) -> None:
    if row.state != state:
        raise StudyError(f"the study {row.key!r} is {row.state}", expected=f"a study that is {state}")

"""One home's annotation work: its tables, its journal, its clock and its meetings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Engine
from sqlmodel import Session, select

from annotation.events import apply
from annotation.journal import EVENT, Event
from annotation.tables import AppliedEvent
from grga.db import migrate, open_database, writing
from grga.errors import AnnotationError
from grga.journal import EventLog, Journal, Replay
from grga.store import Store
from grga.types import Meeting

MIGRATIONS = Path(__file__).with_name("migrations")


@dataclass(frozen=True)
class Rules:
    """How the work is shared out.

    Attributes:
        overlap: Annotators per item, for items added from now on.
        lock_seconds: How long an item is kept for who has it open.
        gold_every: One in so many items of an annotator is a gold one; 0 for none.
    """

    overlap: int = 2
    lock_seconds: float = 1800.0
    gold_every: int = 10


@dataclass(frozen=True)
class Workspace:
    """Everything the workflow works on.

    Attributes:
        log: Keeps every event, in the tables of ``migrations/`` and in the journal.
        meeting: Returns a meeting by id; raises StoreError when there is none.
        clock: Returns the present moment, with a time zone.
    """

    log: EventLog[Event]
    meeting: Callable[[str], Meeting]
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    rules: Rules = field(default_factory=Rules)

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        store: Store | None = None,
        engine: Engine | None = None,
        rules: Rules | None = None,
    ) -> Workspace:
        """Open the annotation work below ``home`` and bring its tables up to date with its journal.

        Args:
            home: The folder that holds the meetings and the database.
            store: The home's store, where there is one already.
            engine: The home's database, where it is open already.
            rules: How the work is shared out.

        Raises:
            StoreError: the database or the journal cannot be used.
        """
        store = store or Store(home)
        engine = engine or open_database(home)
        migrate(engine, MIGRATIONS, "annotation")
        workspace = cls(
            log=EventLog(engine, Journal(home / "annotation" / "journal.jsonl"), EVENT, apply, _applied),
            meeting=lambda name: store.folder(name).read_meeting(),
            rules=rules or Rules(),
        )
        workspace.replay()
        return workspace

    @property
    def engine(self) -> Engine:
        """The database."""
        return self.log.engine

    @property
    def journal(self) -> Journal:
        """The file from which the tables can be made again: a copy of it is a backup of all the work."""
        return self.log.journal

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give a session for looking only."""
        with Session(self.engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give a session that is alone in writing; for what the journal does not hold, such as locks."""
        with writing(self.engine) as session:
            yield session

    def record(self, decide: Callable[[Session], Event]) -> Event:
        """Let ``decide`` look, then keep the event it returns; see :meth:`grga.journal.EventLog.record`."""
        return self.log.record(decide)

    def replay(self) -> Replay:
        """Apply the events of the journal that the tables lack: all of them for a new database."""
        return self.log.replay()


def _applied(session: Session) -> set[str]:
    return set(session.exec(select(AppliedEvent.id)))


def new_id() -> str:
    """Return an id that nothing else has."""
    return uuid4().hex


def person(name: str) -> str:
    """Return the name of an annotator without needless space.

    Raises:
        AnnotationError: no name, a very long one, or one that cannot be printed.
    """
    plain = " ".join(name.split())
    if not plain or len(plain) > 60 or not plain.isprintable():
        raise AnnotationError("an annotator needs a name", expected="1 to 60 printable characters")
    return plain

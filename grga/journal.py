"""Work of people that must not be lost: every event is a line on disk before it is acknowledged.

An event is a small pydantic record with an ``id``. It is applied to tables, so that it can be looked
up, and appended to a JSONL file, so that the tables can be made again: one such file is a backup of
all human work of its kind.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from grga.db import writing
from grga.errors import GrgaError
from grga.manifest import saving_to

log = logging.getLogger("grga.journal")


class Identified(Protocol):
    """Anything with an id that nothing else has."""

    @property
    def id(self) -> str:
        """The id."""
        ...


E = TypeVar("E", bound=Identified)


class Journal:
    """A file of lines that only grows; appends of several processes never mix."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def append(self, line: bytes) -> None:
        """Write one line (without its line feed) and return when it is on disk.

        Raises:
            StoreError: the disk is full or not writable.
        """
        with saving_to(self.file.parent):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.file.with_suffix(".lock")), self.file.open("ab+", buffering=0) as out:
                rest = (b"\n" if _torn(out.fileno()) else b"") + line + b"\n"
                while rest:
                    rest = rest[out.write(rest) :]
                os.fsync(out.fileno())

    def lines(self) -> Iterator[bytes]:
        """Yield the lines as they are; the last one may be cut where a machine lost power."""
        if self.file.is_file():
            with self.file.open("rb") as lines:
                yield from (line for line in lines if line.strip())


def _torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


@dataclass(frozen=True)
class Replay:
    """What was read back from a journal: how many events the tables lacked, and what could not be used."""

    applied: int
    problems: tuple[str, ...] = ()


class EventLog(Generic[E]):
    """Events in their journal and in their tables, the two never apart for longer than a crash.

    Args:
        engine: A database whose tables ``apply`` writes to.
        journal: Where every event is written before it is acknowledged.
        events: Reads and writes an event as JSON.
        apply: Writes what an event says into the tables, its id included; the same when it happens
            and when it is replayed.
        applied: Returns the ids of the events that the tables contain.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        events: TypeAdapter[E],
        apply: Callable[[Session, E], None],
        applied: Callable[[Session], set[str]],
    ) -> None:
        self.engine = engine
        self.journal = journal
        self._events = events
        self._apply = apply
        self._applied = applied

    def record(self, decide: Callable[[Session], E]) -> E:
        """Let ``decide`` look, then keep the event that it returns.

        Nobody else writes in between, so what ``decide`` saw still holds. When this returns the event
        survives a crash: the database has it, or the next start reads it from the journal.
        """
        with writing(self.engine) as session:
            event = decide(session)
            self._apply(session, event)
            session.flush()
            self.journal.append(self._events.dump_json(event))
        return event

    def replay(self) -> Replay:
        """Apply the events of the journal that the tables lack: all of them for a new database."""
        applied, problems = 0, []
        with writing(self.engine) as session:
            known = self._applied(session)
            for number, line in enumerate(self.journal.lines(), start=1):
                try:
                    event = self._events.validate_json(line)
                    if event.id in known:
                        continue
                    with session.begin_nested():
                        self._apply(session, event)
                        session.flush()
                    known.add(event.id)
                    applied += 1
                except (ValidationError, GrgaError, SQLAlchemyError) as error:
                    reason = "it is cut or damaged" if isinstance(error, ValidationError) else str(error)
                    problems.append(f"line {number} of {self.journal.file} cannot be used: {reason}")
        for problem in problems:
            log.warning("%s", problem)
        return Replay(applied, tuple(problems))

"""``edits.jsonl``: one JSON line per edit, undo or redo, only ever appended."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from filelock import FileLock, Timeout
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from grga.edits.kinds import Edit, one_line
from grga.errors import StoreError
from grga.manifest import saving_to

FILE = "edits.jsonl"
_LOCK = ".edits.lock"
_PATIENCE = 15.0
_LONGEST_BY = 80


class NewSpeaker(BaseModel):
    """The speaker that an edit brought in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str


class Line(BaseModel):
    """One line: an ``edit``, or the number of the line that it takes back or brings back.

    ``on`` is the digest of the utterances that the edit was made on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    by: Annotated[str, AfterValidator(lambda name: one_line(name)[:_LONGEST_BY])] = ""
    edit: Edit | None = None
    on: str = ""
    new: NewSpeaker | None = None
    summary: str = ""
    undo: int | None = None
    redo: int | None = None


@dataclass(frozen=True)
class EditLog:
    """The file in one meeting's ``folder``. Lines are numbered from 1."""

    folder: Path

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock of this file, which is not that of indexing: an edit never waits for minutes.

        Raises:
            StoreError: somebody else held it for longer than any edit takes, or nothing can be written.
        """
        with saving_to(self.folder):
            lock = FileLock(self.folder / _LOCK, timeout=_PATIENCE)
            try:
                lock.acquire()
            except Timeout:
                raise StoreError(
                    f"the edits of meeting {self.folder.name!r} are being written by another process",
                    fix="try again",
                ) from None
        try:
            yield
        finally:
            lock.release()

    def read(self) -> tuple[Line, ...]:
        """Return all lines; a last one without its end was cut by a kill and never confirmed to anybody.

        Raises:
            StoreError: a line that is not one of ours.
        """
        try:
            content = (self.folder / FILE).read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StoreError(
                f"{FILE} of meeting {self.folder.name!r} cannot be read: {error.strerror}"
            ) from None
        lines = []
        for number, text in enumerate(content.split(b"\n")[:-1], start=1):
            try:
                lines.append(Line.model_validate_json(text))
            except ValidationError:
                raise StoreError(
                    f"line {number} of {FILE} of meeting {self.folder.name!r} is damaged",
                    fix="remove that line from the file",
                ) from None
        return tuple(lines)

    def append(self, line: Line) -> None:
        """Write one line to the disk; the caller holds :meth:`alone`.

        Raises:
            StoreError: nothing can be written.
        """
        content = line.model_dump_json(exclude_none=True).encode() + b"\n"
        with saving_to(self.folder), (self.folder / FILE).open("a+b", buffering=0) as stream:
            stream.seek(0)
            end = stream.read().rfind(b"\n") + 1
            stream.truncate(end)
            try:
                if stream.write(content) != len(content):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(stream.fileno())
            except OSError:
                stream.truncate(end)  # who is told that it failed must not find it done
                raise
        if end == 0:
            _keep_entry(self.folder)


def _keep_entry(folder: Path) -> None:
    """Bring to the disk that a new file is in ``folder``; some file systems have no such promise to give."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def undone(lines: Sequence[Line]) -> dict[int, Line]:
    """Return the numbers of the edits that are taken back now, each with the line that did it."""
    found: dict[int, Line] = {}
    for line in lines:
        if line.undo is not None:
            found[line.undo] = line
        elif line.redo is not None:
            found.pop(line.redo, None)
    return found


def redoable(lines: Sequence[Line]) -> list[int]:
    """Return the numbers of the edits taken back since the last new edit; the one to bring back first is last."""
    stack: list[int] = []
    for line in lines:
        if line.undo is not None:
            stack.append(line.undo)
        elif line.redo is not None:
            stack.remove(line.redo)
        else:
            stack.clear()
    return stack

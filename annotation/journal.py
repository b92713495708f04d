"""The journal: every event as one JSON line, on disk before it is acknowledged.

The database can be rebuilt from it, so a copy of this one file is a backup of all human work.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from annotation.schema import QAItem
from annotation.verdicts import Judgement
from grga.manifest import saving_to


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    at: datetime
    by: str


class ItemsAdded(_Event):
    """Items came in; ``update`` says that those with a known key replace what is there."""

    kind: Literal["items"] = "items"
    items: tuple[QAItem, ...]
    overlap: int = Field(ge=1)
    update: bool = False


class Judged(_Event):
    """Somebody gave a verdict."""

    kind: Literal["verdict"] = "verdict"
    judgement: Judgement


class Undone(_Event):
    """Somebody took back the verdict with the id ``judgement``."""

    kind: Literal["undo"] = "undo"
    judgement: str


class GoldSet(_Event):
    """An item began to measure annotators, with the right decision; None: it no longer does."""

    kind: Literal["gold"] = "gold"
    item: str
    accept: bool | None


Event = Annotated[ItemsAdded | Judged | Undone | GoldSet, Field(discriminator="kind")]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class Journal:
    """A file that only grows. Appends are made one at a time, by whoever holds the database's write lock."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def append(self, event: Event) -> None:
        """Write ``event`` and return when it is on disk.

        Raises:
            StoreError: the disk is full or not writable.
        """
        line = EVENT.dump_json(event) + b"\n"
        with saving_to(self.file.parent):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("ab+", buffering=0) as out:
                if self._torn(out.fileno()):
                    line = b"\n" + line
                while line:
                    line = line[out.write(line) :]
                os.fsync(out.fileno())

    def lines(self) -> Iterator[bytes]:
        """Yield the lines as they are; the last one may be cut where a machine lost power."""
        if self.file.is_file():
            with self.file.open("rb") as lines:
                yield from (line for line in lines if line.strip())

    @staticmethod
    def _torn(descriptor: int) -> bool:
        size = os.fstat(descriptor).st_size
        return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"

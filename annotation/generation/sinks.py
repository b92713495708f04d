"""Where generated items go, and what remembers how far a batch has come."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from annotation.schema import QAItem


class Sink(Protocol):
    """Takes items as they are made. A piece of work is finished only after all of its items were added.

    After a crash the work that was not finished is done again; an item that is there already (its key is)
    must then not be added twice.
    """

    def add(self, item: QAItem) -> None:
        """Keep an item."""
        ...

    def finish(self, work: str) -> None:
        """Remember that a piece of work is done."""
        ...

    def finished(self) -> Collection[str]:
        """Return the names of the work that is done."""
        ...

    def items(self) -> Sequence[QAItem]:
        """Return everything kept so far."""
        ...


class MemorySink:
    """Keeps everything in memory."""

    def __init__(self, items: Sequence[QAItem] = ()) -> None:
        self._items = {item.key: item for item in items}
        self._finished: set[str] = set()

    def add(self, item: QAItem) -> None:
        """Keep an item."""
        self._items.setdefault(item.key, item)

    def finish(self, work: str) -> None:
        """Remember that a piece of work is done."""
        self._finished.add(work)

    def finished(self) -> Collection[str]:
        """Return the names of the work that is done."""
        return self._finished

    def items(self) -> Sequence[QAItem]:
        """Return everything kept so far."""
        return list(self._items.values())


class FileSink(MemorySink):
    """Appends each item to a JSON Lines file at once; ``FILE.done`` holds the finished work beside it.

    A line that a crash has cut is not read, and is written anew when its work is done again.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file, self._done = file, file.with_name(f"{file.name}.done")
        for line in _whole_lines(file):
            super().add(QAItem.model_validate_json(line))
        for line in _whole_lines(self._done):
            super().finish(str(json.loads(line)))

    def add(self, item: QAItem) -> None:
        """Keep an item and write it down."""
        known = len(self._items)
        super().add(item)
        if len(self._items) > known:
            _append(self._file, item.model_dump_json())

    def finish(self, work: str) -> None:
        """Remember that a piece of work is done and write it down."""
        super().finish(work)
        _append(self._done, json.dumps(work))


def _whole_lines(file: Path) -> list[str]:
    """Return the lines of a file that end in a line feed, and cut off what a crash left after them."""
    if not file.is_file():
        return []
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        file.write_bytes(whole)
    return [line for line in whole.decode("utf-8").split("\n") if line.strip()]


def _append(file: Path, line: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(line + "\n")
        stream.flush()

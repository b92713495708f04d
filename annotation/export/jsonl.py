"""JSON Lines: one :class:`~annotation.schema.QAItem` per line, UTF-8."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from annotation.export.rows import Row, row
from annotation.schema import QAItem


def dump(items: Sequence[QAItem]) -> bytes:
    """Return the file."""
    return b"".join(item.model_dump_json().encode() + b"\n" for item in items)


def load(data: bytes) -> Iterator[Row]:
    """Yield the records; empty lines are none. Only a line feed ends a line, whatever text holds."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield row(number, partial(QAItem.model_validate_json, line))

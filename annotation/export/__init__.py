"""Items as files: one module per format, each with ``dump`` and ``load``.

``load`` yields a :class:`~annotation.export.rows.Row` per record, so that a broken one costs only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import PurePath

from annotation.export.rows import Row
from annotation.schema import QAItem
from grga.errors import AnnotationError, unknown_name

FORMATS = {
    "jsonl": "annotation.export.jsonl",
    "csv": "annotation.export.csv_format",
    "parquet": "annotation.export.parquet",
}
"""Each format's module; its name is also the file's ending."""


def dump(items: Sequence[QAItem], format: str) -> bytes:
    """Return the items as one file, in the order given.

    Raises:
        AnnotationError: no such format, or a library for it is missing.
    """
    writer: Callable[[Sequence[QAItem]], bytes] = import_module(_module(format)).dump
    return writer(items)


def load(data: bytes, format: str) -> Iterator[Row]:
    """Yield the records of a file.

    Raises:
        AnnotationError: no such format, or the file as a whole is not in it.
    """
    reader: Callable[[bytes], Iterator[Row]] = import_module(_module(format)).load
    return reader(data)


def format_of(name: str) -> str:
    """Return the format that a file's name ends in.

    Raises:
        AnnotationError: the ending is none of ``FORMATS``.
    """
    ending = PurePath(name).suffix.removeprefix(".").lower()
    _module(ending)
    return ending


def _module(format: str) -> str:
    if format not in FORMATS:
        raise AnnotationError(unknown_name("file format", format, list(FORMATS)))
    return FORMATS[format]

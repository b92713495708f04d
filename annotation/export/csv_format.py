"""CSV for spreadsheets: one column per field; what has parts is JSON inside its cell.

A cell that a spreadsheet would run as a formula gets an apostrophe in front, which reading removes.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from annotation.export.rows import Row, row
from annotation.schema import QAItem, Status
from grga.agent.steps import QuestionType
from grga.errors import AnnotationError

COLUMNS = tuple(QAItem.model_fields)
_TEXT = {
    name
    for name, field in QAItem.model_fields.items()
    if field.annotation in (str, str | None, QuestionType, Status)
}
_REQUIRED = {name for name, field in QAItem.model_fields.items() if field.is_required()}
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NEUTRALISED = re.compile(r"'+[=+\-@\t\r]")


def dump(items: Sequence[QAItem]) -> bytes:
    """Return the file, with the mark by which Excel knows UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for item in items:
        values = item.model_dump(mode="json")
        writer.writerow([_cell(name, values[name]) for name in COLUMNS])
    return out.getvalue().encode("utf-8-sig")


def load(data: bytes) -> Iterator[Row]:
    """Yield the records, each with the line it begins at.

    Raises:
        AnnotationError: not UTF-8, or the header lacks a needed column or has an unknown one.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AnnotationError("the CSV file is not UTF-8", fix="save it as CSV UTF-8") from None
    csv.field_size_limit(sys.maxsize)  # a long history is one cell
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise AnnotationError(f"the CSV file cannot be read: {error}") from None
    _check_header(header)
    return _records(reader, header)


def _check_header(header: Sequence[str]) -> None:
    missing, unknown = sorted(_REQUIRED - set(header)), sorted(set(header) - set(COLUMNS))
    if missing or unknown or len(set(header)) < len(header):
        raise AnnotationError(
            "the CSV file does not have the columns of a question",
            found=f"missing {', '.join(missing) or 'none'}; unknown {', '.join(unknown) or 'none'}",
            expected=f"each of {', '.join(COLUMNS)} at most once",
        )


def _records(reader: Any, header: Sequence[str]) -> Iterator[Row]:
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(number, problem=str(error))
            continue
        if len(cells) == len(header):
            yield row(number, partial(_item, dict(zip(header, cells, strict=True))))
        elif cells:
            yield Row(number, problem=f"{len(cells)} cells instead of {len(header)}")


def _item(cells: Mapping[str, str]) -> QAItem:
    values = {name: _value(name, cell) for name, cell in cells.items() if cell != ""}
    return QAItem.model_validate_json(json.dumps(values))


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    text = value if name in _TEXT else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if _FORMULA.match(text) else text


def _value(name: str, cell: str) -> Any:
    text = cell[1:] if _NEUTRALISED.match(cell) else cell
    if name in _TEXT:
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(f"{name}: not a value that can be read") from None

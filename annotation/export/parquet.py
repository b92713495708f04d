"""Parquet, for programs: evidence and generator are nested columns, the rest that has parts is JSON text."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from annotation.export.rows import Row, row
from annotation.schema import QAItem
from grga.errors import AnnotationError

if TYPE_CHECKING:
    import pyarrow as pa

_JSON = ("answer_key", "history")


def dump(items: Sequence[QAItem]) -> bytes:
    """Return the file."""
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(table(items), out)
    return out.getvalue()


def load(data: bytes) -> Iterator[Row]:
    """Yield the records; columns that are no fields of a question, such as clips, are not looked at.

    Raises:
        AnnotationError: the file is not Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(data))
        known = [name for name in file.schema_arrow.names if name in QAItem.model_fields]
        records = file.read(columns=known).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise AnnotationError(f"this is not a Parquet file: {str(error).splitlines()[0]}") from None
    return (row(number, partial(_item, record)) for number, record in enumerate(records, start=1))


def table(items: Sequence[QAItem]) -> pa.Table:
    """Return the items as an Arrow table.

    Raises:
        AnnotationError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise AnnotationError(
            "Parquet needs the package pyarrow", fix="install GRGA with pip install 'grga[full]'"
        ) from None
    text, whole, real, yes = pa.string(), pa.int64(), pa.float64(), pa.bool_()
    evidence = {"utt_id": whole, "start": real, "end": real, "speaker": text, "text": text}
    generator = {"name": text, "prompt": text, "seed": whole, "seconds": real, "tokens": whole, "price": real}
    kinds = {
        "hops": whole,
        "answerable": yes,
        "gold": yes,
        "evidence": pa.list_(pa.struct(evidence)),
        "generator": pa.struct(generator),
    }
    schema = pa.schema([(name, kinds.get(name, text)) for name in QAItem.model_fields])
    return pa.Table.from_pylist([_record(item) for item in items], schema)


def _record(item: QAItem) -> dict[str, Any]:
    values = item.model_dump(mode="json")
    return values | {name: json.dumps(values[name], ensure_ascii=False) for name in _JSON}


def _item(record: Mapping[str, Any]) -> QAItem:
    values = {name: value for name, value in record.items() if value is not None}
    return QAItem.model_validate_json(
        json.dumps(values | {name: json.loads(values[name]) for name in _JSON if name in values})
    )

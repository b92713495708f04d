"""QMSum (Zhong et al., NAACL 2021): questions about AMI, ICSI and committee meetings, with evidence.

Read from ``product_timed.jsonl.gz`` (one meeting per line, turns and evidence with seconds) or from a
folder of such files, one JSON per meeting. "Specific" questions have evidence spans and are the items.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eval.corpora import Size, Source
from eval.items import EvalItem, Span
from grga.config import Config
from grga.errors import EvaluationError
from grga.ingest import import_transcript
from grga.store import Store


class QMSum:
    """QMSum with times."""

    name = "QMSum"

    def __init__(self, path: Path) -> None:
        self._records: dict[str, tuple[Path, dict[str, Any]]] = {}
        for file, record in _read(path):
            if "meeting" not in record or "specific_queries" not in record:
                raise EvaluationError(
                    f"{file.name} is not timed QMSum", expected="objects with meeting and specific_queries"
                )
            self._records[record["meeting"]] = file, record
        if not self._records:
            raise EvaluationError(f"there is no QMSum meeting at {path}", fix="see docs/corpora.md")

    def sources(self) -> Iterator[Source]:
        """Return every meeting, by name."""
        for name in sorted(self._records):
            yield Source(name, partial(self._index, name), partial(self._size, name))

    def _index(self, name: str, store: Store, config: Config) -> str:
        # One meeting in a file of its own, so that not all are read again for each.
        _, record = self._records[name]
        with TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.json"
            file.write_text(json.dumps(record), encoding="utf-8")
            return import_transcript(file, store, config, title=name).meeting

    def _size(self, name: str) -> Size:
        turns = self._records[name][1]["turns"]
        return Size(max(turn["end"] for turn in turns), len(turns))

    def items(self, meetings: dict[str, str]) -> list[EvalItem]:
        """Return the specific questions whose evidence has times."""
        return [
            EvalItem(
                key=query["id"],
                corpus=self.name,
                meeting=id,
                question=query["query"],
                reference=query["answer"],
                gold=tuple(Span(start=start, end=end) for start, end in query["time_spans"]),
            )
            for name, id in meetings.items()
            for query in self._records[name][1]["specific_queries"]
            if query.get("time_spans")
        ]


def _read(path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    for file in files:
        try:
            content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
            lines = (
                content.decode("utf-8").splitlines() if ".jsonl" in file.name else [content.decode("utf-8")]
            )
            for line in lines:
                if line.strip():
                    yield file, json.loads(line)
        except (OSError, EOFError, ValueError) as error:
            raise EvaluationError(
                f"the corpus file {file} cannot be read: {error}", fix="see docs/corpora.md"
            ) from None

"""LongAudioQA as ``python -m annotation export`` writes it: JSONL of questions about meetings of a home.

``path`` is the JSONL file; the meetings are those of the store that is asked, by their ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from annotation.schema import QAItem, Status
from eval.corpora import Source
from eval.items import EvalItem
from grga.config import Config
from grga.errors import EvaluationError
from grga.store import Store


class LongAudioQA:
    """Questions of our own making; rejected and failed ones are left out."""

    name = "LongAudioQA"

    def __init__(self, path: Path) -> None:
        self._items = read_questions(path)

    def sources(self) -> Iterator[Source]:
        """Return the meetings that are asked about; they must be in the store."""
        for meeting in sorted({item.meeting for item in self._items}):
            yield Source(meeting, partial(_indexed, meeting))

    def items(self, meetings: dict[str, str]) -> list[EvalItem]:
        """Return the questions in the file's order."""
        return [
            EvalItem.of(item, self.name, meetings[item.meeting])
            for item in self._items
            if item.meeting in meetings
        ]


def read_questions(path: Path) -> list[QAItem]:
    """Return the questions of a file, without rejected and failed ones.

    Raises:
        EvaluationError: it cannot be read, or a line is no question; the sentence names the line.
    """
    items = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"the questions at {path} cannot be read: {error}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                item = QAItem.model_validate_json(line)
            except ValidationError as error:
                reason = error.errors()[0]["msg"]
                raise EvaluationError(f"line {number} of {path} is no question: {reason}") from None
            if item.status not in (Status.REJECTED, Status.FAILED):
                items.append(item)
    return items


def _indexed(meeting: str, store: Store, config: Config) -> str:
    folder = store.folder(meeting)
    if not folder.exists() or not folder.read_manifest().finished:
        raise EvaluationError(
            f"the meeting {meeting!r} is not in {store.home}", fix="index it, or give its home with --home"
        )
    return meeting

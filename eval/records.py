"""Answers as they are stored: one JSON line each, read by scorers and by human studies.

An answer is stored before it is judged, so judging again never runs a model again.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from grga.agent.steps import QuestionType
from grga.errors import StudyError
from grga.types import Answer


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Clip(_Record):
    """A cited moment: what ``[1]``, ``[2]``, … in the answer's text point to; seconds."""

    start: float = Field(ge=0, allow_inf_nan=False)
    end: float = Field(ge=0, allow_inf_nan=False)
    speaker: str = ""
    text: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> Clip:
        if self.end < self.start:
            raise ValueError(f"the clip ends ({self.end} s) before it starts ({self.start} s)")
        return self


class AnswerRecord(_Record):
    """One system's answer to one question.

    Attributes:
        item: Key of the question; the same for every system that was asked it.
        corpus, type: The strata it belongs to.
        meeting: Id of the meeting, whose recording can be heard.
        reference: The right answer, where it is known.
        system: Whose answer it is.
        text: The answer; ``[n]`` counts from 1 into ``clips``.
        clips: The cited moments.
    """

    item: str = Field(min_length=1, max_length=120)
    corpus: str = Field("meetings", min_length=1, max_length=60)
    meeting: str = ""
    type: QuestionType | None = None
    question: str = Field(min_length=1, max_length=2000)
    reference: str | None = None
    system: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=1, max_length=20_000)
    clips: tuple[Clip, ...] = ()

    @classmethod
    def of(cls, answer: Answer, *, item: str, system: str | None = None, **known: Any) -> AnswerRecord:
        """Return a stored answer as a record.

        Args:
            answer: Of any system.
            item: Key of its question.
            system: The name it is judged under; None takes the answer's own.
            known: Other fields.
        """
        numbers = {one.utterance: n for n, one in enumerate(answer.citations, start=1)}
        sentences = [
            sentence.text + "".join(f" [{numbers[id]}]" for id in sentence.citations if id in numbers)
            for sentence in answer.sentences
        ]
        clips = tuple(
            Clip(start=one.span.start, end=one.span.end, speaker=one.speaker, text=one.text)
            for one in answer.citations
        )
        values = {"question": answer.question, "system": system or answer.system, "item": item, **known}
        return cls(text=" ".join(sentences), clips=clips, **values)


def read_records(file: Path) -> list[AnswerRecord]:
    """Read answers from JSONL or, by the name's ending, from CSV.

    CSV has one column per field; ``clips`` holds a JSON list of objects with start and end, in seconds.

    Raises:
        StudyError: the file cannot be read, or a line is no answer; the sentence names the line.
    """
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"the answers in {file.name} cannot be read", found=str(error)) from None
    found = []
    for number, values in _lines(text, table=file.suffix.lower() == ".csv"):
        try:
            if isinstance(values, json.JSONDecodeError):
                raise values
            found.append(AnswerRecord.model_validate(values))
        except (ValidationError, json.JSONDecodeError) as error:
            raise StudyError(
                f"line {number} of {file.name} is not an answer",
                found=_problem(error),
                fix=f"give it the fields {', '.join(AnswerRecord.model_fields)}",
            ) from None
    return found


def _lines(text: str, *, table: bool) -> Iterator[tuple[int, Any]]:
    if not table:
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    yield number, json.loads(line)
                except json.JSONDecodeError as error:
                    yield number, error
        return
    rows = csv.DictReader(text.splitlines(keepends=True))
    for row in rows:
        values: dict[str, Any] = {name: value for name, value in row.items() if name and value}
        try:
            values["clips"] = json.loads(values.get("clips", "[]"))
        except json.JSONDecodeError as error:
            yield rows.line_num, error
            continue
        yield rows.line_num, values


def _problem(error: ValidationError | json.JSONDecodeError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON at column {error.colno}"
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def write_records(records: Iterable[AnswerRecord], file: Path) -> None:
    """Write answers as JSONL, one per line."""
    file.write_text("".join(record.model_dump_json() + "\n" for record in records), encoding="utf-8")

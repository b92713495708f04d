"""From what somebody filled in to a study: every value is checked here, and refused in one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.human.answers import sample, study_items
from eval.human.study import Criterion, KnownItem, Study, checked
from eval.records import AnswerRecord, read_records
from grga.errors import StudyError

KNOWN_FIELDS = ("training", "checks")
LARGEST = 32 * 1024**2
_RANGE = re.compile(r"\s*(?P<name>.+?)\s*[:=]?\s+(?P<least>[1-5])(?:\s*[-–]\s*(?P<most>[1-5]))?\s*")


def read_answers(files: Sequence[str] | None) -> list[AnswerRecord]:
    """Return the answers of uploaded files.

    Raises:
        StudyError: there is no file, one is too large, or one is no list of answers.
    """
    if not files:
        raise StudyError(
            "there are no answers yet", fix="upload a JSONL or CSV file of every system's answers"
        )
    found: list[AnswerRecord] = []
    for path in map(Path, files):
        if path.stat().st_size > LARGEST:
            raise StudyError(f"{path.name} is too large", expected=f"at most {LARGEST // 1024**2} MB")
        found += read_records(path)
    return found


def read_known(file: str | None) -> dict[str, list[Any]]:
    """Return training items and attention checks of an uploaded JSON object, empty lists without one.

    Raises:
        StudyError: it is not such an object.
    """
    if not file:
        return {name: [] for name in KNOWN_FIELDS}
    try:
        values = json.loads(Path(file).read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise StudyError(f"{Path(file).name} cannot be read as JSON", found=str(error)) from None
    fits = isinstance(values, dict) and all(isinstance(values.get(name, []), list) for name in KNOWN_FIELDS)
    if not fits or not set(values) <= set(KNOWN_FIELDS):
        raise StudyError(
            f"{Path(file).name} holds something else", expected="an object with the lists training and checks"
        )
    return {name: values.get(name, []) for name in KNOWN_FIELDS}


def read_expected(written: str) -> dict[str, tuple[int, int]]:
    """Return the right scores that were written one per line, as "Correctness 1-2".

    Raises:
        StudyError: a line is written otherwise, or there is none.
    """
    found = {}
    for line in filter(str.strip, written.splitlines()):
        match = _RANGE.fullmatch(line)
        if match is None:
            raise StudyError(f"{line.strip()[:60]!r} says no scores", expected='lines like "Correctness 1-2"')
        found[match["name"]] = int(match["least"]), int(match["most"] or match["least"])
    if not found:
        raise StudyError("the right scores are missing", expected='lines like "Correctness 1-2"')
    return found


def read_criteria(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return criteria from rows of name, question, must listen and five anchors; rows without a name are left out.

    Raises:
        StudyError: a criterion lacks its question or one of its anchors.
    """
    found = []
    for name, question, listen, *anchors in rows:
        if not str(name or "").strip():
            continue
        if not str(question or "").strip() or not all(str(one or "").strip() for one in anchors):
            raise StudyError(
                f"the criterion {name!r} lacks words", fix="give it a question and all five anchors"
            )
        found.append({"name": name, "question": question, "anchors": anchors, "must_listen": bool(listen)})
    if not found:
        raise StudyError("there is no criterion", fix="name at least one")
    return found


def rows(criteria: Sequence[Criterion], number: int) -> list[list[Any]]:
    """Return ``number`` rows as :func:`read_criteria` takes them, the last ones empty."""
    full: list[list[Any]] = [[one.name, one.question, one.must_listen, *one.anchors] for one in criteria]
    return [*full, *(["", "", False, "", "", "", "", ""] for _ in range(number - len(full)))]


def known_item(kind: str, place: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return one training item or attention check as it is filled in.

    Raises:
        StudyError: something is missing.
    """
    question, answer = str(values["question"]).strip(), str(values["answer"]).strip()
    if not question or not answer:
        raise StudyError("a question and an answer are needed")
    item = KnownItem(
        key=f"{kind}-{place}",
        question=question,
        text=answer,
        expected=read_expected(str(values["expected"])),
        feedback=str(values["feedback"]).strip(),
    )
    return item.model_dump(mode="json")


def make(
    records: Sequence[AnswerRecord], values: Mapping[str, Any], *, questions: int, taken: Collection[str]
) -> Study:
    """Return the study of these answers.

    Args:
        records: Every system's answers.
        values: The other fields of a :class:`~eval.human.study.Study`; ``key`` is made from the title.
        questions: How many to take, evenly over type and corpus; 0 for all.
        taken: Keys that other studies have.

    Raises:
        StudyError: it cannot be made.
    """
    if not str(values.get("title", "")).strip():
        raise StudyError("the study has no title", fix="give it one; raters read it at the top")
    items = study_items(records)
    if len(items[0].candidates) < 2:
        raise StudyError(
            "these are the answers of one system", fix="add those of another to the same questions"
        )
    if questions:
        items = sample(items, questions, int(values.get("seed", 0)))
    return checked({**values, "key": free_key(str(values["title"]), taken), "items": items})


def free_key(title: str, taken: Collection[str]) -> str:
    """Return a key like "tea-study" that no other study has."""
    plain = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:50].strip("-") or "study"
    return next(
        key for n in range(1, len(taken) + 2) if (key := plain if n == 1 else f"{plain}-{n}") not in taken
    )

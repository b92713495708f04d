"""Items leave as files and come back the same."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import queries
from annotation.export import dump, format_of, load
from annotation.export.csv_format import COLUMNS, _cell, _value
from annotation.importing import Duplicates, ImportReport, import_items
from annotation.schema import QAItem, Status
from annotation.verdicts import read_verdict
from annotation.workflow import judge, set_gold
from grga.errors import AnnotationError

Desk = Any  # of conftest.py, which tests cannot import

NASTY = 'a,"b"\r\nc\rd\u2028e\x85f 会议 🎧 <b>${x}</b>\\'


def filled(desk: Desk) -> Desk:
    """Return the desk with items in every state, with every field in use."""
    desk.add("m1-1", "m1-2", "m1-3", overlap=1, batch="b1", language="en", reasoning=NASTY, hops=2)
    desk.add("m1-4", question="=HYPERLINK(1)", answer="'=1+1", answer_key={"count": 3, "speakers": ["S1"]})
    desk.add("m1-5", answerable=False, evidence=(), answer="-", status=Status.FAILED)
    edit = {"kind": "edit", "answer": NASTY, "marks": [{"utt_id": 3, "start": 20.125, "end": 30}]}
    judge(desk.workspace, "m1-1", "ana", read_verdict(edit))
    judge(desk.workspace, "m1-2", "ben", read_verdict({"kind": "reject", "reason": "other", "note": NASTY}))
    set_gold(desk.workspace, "m1-3", False, "lead")
    return desk


def everything(desk: Desk) -> list[QAItem]:
    with desk.workspace.reading() as session:
        return queries.items(session)


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_export_import_export_gives_the_same_file(
    desk: Desk, open_desk: Callable[..., Desk], tmp_path: Path, format: str
) -> None:
    first = dump(everything(filled(desk)), format)
    other = open_desk(tmp_path / "other")
    report = import_items(other.workspace, first, format, "lead")
    assert (report.added, report.problems) == (5, ())
    assert everything(other) == everything(desk)
    assert dump(everything(other), format) == first
    assert dump(everything(other), "jsonl") == dump(everything(desk), "jsonl")


def test_a_file_that_was_imported_before_changes_nothing(desk: Desk) -> None:
    before = everything(filled(desk))
    report = import_items(desk.workspace, dump(before, "jsonl"), "jsonl", "lead")
    assert report == ImportReport(added=0, updated=0, unchanged=5)
    assert everything(desk) == before


def test_broken_lines_are_told_by_number_and_cost_only_themselves(desk: Desk) -> None:
    good = [desk.item(f"m1-{number}").model_dump_json() for number in range(3)]
    no_key = json.dumps({name: value for name, value in json.loads(good[0]).items() if name != "key"})
    lines = [good[0], "{", "", good[1], no_key, good[0], good[2]]
    report = import_items(desk.workspace, "\n".join(lines).encode(), "jsonl", "lead")
    assert report.added == 3
    assert [problem.split(":")[0] for problem in report.problems] == ["line 2", "line 5", "line 6"]
    assert report.problems[1:] == (
        "line 5: key: Field required",
        "line 6: the key 'm1-0' is in line 1 already",
    )
    assert [one.history[0].action for one in everything(desk)] == ["added"] * 3


def test_known_keys_are_refused_or_replaced_by_choice(desk: Desk) -> None:
    desk.add("m1-1")
    changed = dump([desk.stands().model_copy(update={"answer": "Another."})], "jsonl")

    refused = import_items(desk.workspace, changed, "jsonl", "lead")
    assert refused.problems == (
        "line 1: there is another question 'm1-1' already: import it with “update” to replace that one",
    )
    assert desk.stands().answer == "Two hundred euros."

    replaced = import_items(desk.workspace, changed, "jsonl", "lead", duplicates=Duplicates.UPDATE)
    assert (replaced.updated, replaced.problems) == (1, ())
    assert desk.stands().answer == "Another."
    assert [entry.action for entry in desk.stands().history] == ["added", "replaced"]
    assert desk.stands().history[1].changes == {"answer": ("Two hundred euros.", "Another.")}


def test_meetings_that_are_not_here_are_told(desk: Desk) -> None:
    data = dump([desk.item("x-1", meeting="x9")], "jsonl")
    assert import_items(desk.workspace, data, "jsonl", "lead").notes == (
        "the meeting 'x9' is not here: its questions cannot be heard until it is imported too",
    )


# --- CSV --------------------------------------------------------------------------------------------


def test_no_cell_is_a_formula(desk: Desk) -> None:
    risky = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1")
    items = [desk.item(f"m1-{n}", question=text, answer=text) for n, text in enumerate(risky)]
    rows = list(csv.DictReader(io.StringIO(dump(items, "csv").decode("utf-8-sig"), newline="")))
    assert [row["question"] for row in rows] == [f"'{text}" for text in risky]


@given(st.text(st.sampled_from("'=+-@\t\ra"), max_size=6))
def test_what_is_neutralised_comes_back(text: str) -> None:
    cell = _cell("reasoning", text)
    assert cell[:1] not in set("=+-@\t\r")
    assert _value("reasoning", cell) == text


def test_csv_rows_are_told_by_the_line_they_begin_at(desk: Desk) -> None:
    good = dump([desk.item("m1-1", answer="two\nlines"), desk.item("m1-2")], "csv").decode("utf-8-sig")
    broken = good.replace("m1-2", "m1 2", 1)
    rows = list(load((broken + "only,two\r\n").encode(), "csv"))
    assert [row.number for row in rows] == [2, 4, 5]
    assert rows[0].item is not None
    assert rows[1].problem.startswith("key: String should match pattern")
    assert rows[2].problem == f"2 cells instead of {len(COLUMNS)}"


@pytest.mark.parametrize(
    ("data", "format", "sentence"),
    [
        (b"question,answer\r\n", "csv", "missing generator, key, meeting, subtask, type; unknown none"),
        (b"\xff\xfe", "csv", "the CSV file is not UTF-8: save it as CSV UTF-8"),
        (b"PK", "parquet", "this is not a Parquet file"),
        (b"", "xml", "unknown file format 'xml' (known: csv, jsonl, parquet)"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_one_sentence(
    desk: Desk, data: bytes, format: str, sentence: str
) -> None:
    with pytest.raises(AnnotationError) as caught:
        import_items(desk.workspace, data, format, "lead")
    assert sentence in str(caught.value)


def test_the_ending_of_a_name_tells_the_format() -> None:
    assert format_of("Questions.JSONL") == "jsonl"
    with pytest.raises(AnnotationError, match="unknown file format 'txt'"):
        format_of("questions.txt")

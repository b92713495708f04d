"""What somebody fills in becomes a study, or is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.human.study import CRITERIA
from eval.records import AnswerRecord
from eval.ui import study_form
from grga.errors import StudyError


def answers(*systems: str, questions: int = 4) -> list[AnswerRecord]:
    return [
        AnswerRecord(item=f"q{number}", question=f"What, number {number}?", system=system, text="So it was.")
        for number in range(questions)
        for system in systems
    ]


def make(
    records: list[AnswerRecord], *, questions: int = 0, taken: tuple[str, ...] = (), **values: Any
) -> Any:
    return study_form.make(records, {"title": "Tea", **values}, questions=questions, taken=taken)


def test_a_title_and_two_systems_answers_are_enough() -> None:
    study = make(answers("blue", "green"))
    assert (study.key, study.title, study.systems) == ("tea", "Tea", ("blue", "green"))
    assert [one.name for one in study.criteria] == ["Correctness", "Groundedness", "Coherence"]
    assert len(study.items) == 4


def test_fewer_questions_are_drawn_with_the_seed() -> None:
    drawn = [
        [item.key for item in make(answers("a", "b"), questions=2, seed=seed).items] for seed in (1, 1, 4)
    ]
    assert drawn[0] == drawn[1]
    assert len(drawn[2]) == 2


@pytest.mark.parametrize(
    ("records", "values", "sentence"),
    [
        (answers("blue"), {}, "answers of one system"),
        (answers("blue", "green"), {"title": "  "}, "no title"),
        (answers("blue", "green"), {"questions": 9}, "9 questions cannot be taken"),
        (answers("blue", "green"), {"link_days": 0}, "link_days"),
        (answers("blue", "green"), {"exclusion": {"least_share": 7}}, "least_share"),
    ],
)
def test_what_makes_no_study_is_refused(
    records: list[AnswerRecord], values: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(StudyError, match=sentence):
        make(records, **values)


@pytest.mark.parametrize(
    ("title", "taken", "key"),
    [("Tea & Biscuits", (), "tea-biscuits"), ("Tea", ("tea", "tea-2"), "tea-3"), ("茶", (), "study")],
)
def test_a_study_gets_a_key_that_no_other_has(title: str, taken: tuple[str, ...], key: str) -> None:
    assert study_form.free_key(title, taken) == key


def test_right_scores_are_written_one_criterion_per_line() -> None:
    assert study_form.read_expected("Correctness 1-2\n\nHow it reads: 5\n") == {
        "Correctness": (1, 2),
        "How it reads": (5, 5),
    }


@pytest.mark.parametrize("written", ["", "Correctness", "Correctness 6", "Correctness 1-9"])
def test_other_scores_are_refused(written: str) -> None:
    with pytest.raises(StudyError, match="Correctness 1-2"):
        study_form.read_expected(written)


def test_criteria_are_edited_in_rows_and_an_empty_row_is_none() -> None:
    rows = study_form.rows(CRITERIA, 4)
    assert [len(row) for row in rows] == [8] * 4
    criteria = study_form.read_criteria(rows)
    assert make(answers("blue", "green"), criteria=criteria).criteria == CRITERIA


def test_a_criterion_without_all_its_anchors_is_refused() -> None:
    with pytest.raises(StudyError, match="lacks words"):
        study_form.read_criteria([["Wit", "Is it witty?", False, "no", "", "", "", "yes"]])


def test_known_items_come_from_a_file(tmp_path: Path) -> None:
    item = study_form.known_item(
        "training",
        1,
        {"question": "Who?", "answer": "Nobody.", "expected": "Correctness 1", "feedback": "Ann."},
    )
    file = tmp_path / "known.json"
    file.write_text(json.dumps({"training": [item]}), "utf-8")
    study = make(answers("blue", "green"), **study_form.read_known(str(file)))
    assert study.training[0].expected == {"Correctness": (1, 1)}


@pytest.mark.parametrize("content", ["[]", '{"systems": []}', '{"training": 1}', "no"])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "known.json"
    file.write_text(content, "utf-8")
    with pytest.raises(StudyError, match=r"known\.json"):
        study_form.read_known(str(file))


def test_an_upload_is_needed() -> None:
    with pytest.raises(StudyError, match="no answers yet"):
        study_form.read_answers(None)

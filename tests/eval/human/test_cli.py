"""The command line, from answers in files to the table: what a researcher types."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.human.cli import app
from eval.human.desk import Desk
from eval.human.rating import RatingRoom
from eval.records import AnswerRecord, Clip, read_records, write_records
from grga.errors import StudyError

Run = Callable[..., str]


def answers(system: str, questions: int = 4) -> list[AnswerRecord]:
    return [
        AnswerRecord(
            item=f"q{number}",
            corpus="AMI" if number % 2 else "AliMeeting",
            meeting="m1",
            question=f"What of number {number}?",
            system=system,
            text=f"{'Ann' if system == 'GRGA' else 'Somebody'} spoke of {number} [1].",
            clips=(Clip(start=1.0, end=2.0),),
        )
        for number in range(questions)
    ]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Type a command on a home of its own; return what it prints."""

    def typed(*words: str) -> str:
        app([*words, "--home", str(tmp_path / "home")], standalone_mode=False)
        return capsys.readouterr().out

    return typed


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Answers of one system as JSONL, of another as CSV."""
    jsonl, table = tmp_path / "grga.jsonl", tmp_path / "qwen.csv"
    write_records(answers("GRGA"), jsonl)
    with table.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["item", "corpus", "meeting", "question", "system", "text", "clips"])
        for one in answers("Qwen3-Omni"):
            clips = json.dumps([{"start": 1.0, "end": 2.0}])
            writer.writerow([one.item, one.corpus, one.meeting, one.question, one.system, one.text, clips])
    return ["--answers", str(jsonl), "--answers", str(table)]


def test_from_files_to_the_papers_table(run: Run, files: list[str], tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"exclusion": {"least_seconds": 0}, "guidelines": "Listen first."}))
    made = run("create", "pilot-1", *files, "--known", str(known), "--title", "A pilot", "--pilot")
    assert made.startswith("pilot-1: 4 questions, systems GRGA, Qwen3-Omni; a draft\n")
    run("open", "pilot-1", "--cleared", "--by", "Olga")
    printed = run("links", "pilot-1", "Rita", "Ravi", "--address", "https://rate.example/")
    tokens = [line.split("?rate=")[1] for line in printed.splitlines()]
    assert [line.split("\t")[0] for line in printed.splitlines()] == ["Rita", "Ravi"]

    room = RatingRoom(Desk.open(tmp_path / "home"))
    for token in tokens:
        view = room.consent(token)
        assert view.guidelines == "Listen first."
        while view.task is not None:
            room.listen(token, view.task.id, view.task.clips[0].id, 1.0)
            for criterion in view.task.criteria:
                room.rate(token, view.task.id, criterion.name, 4 if view.task.text.startswith("Ann") else 2)
            view = room.view(token)

    assert "2 of 2 raters finished" in run("status")
    assert [line.split("\t")[1:4] for line in run("status", "pilot-1").splitlines()] == [
        ["Rita", "finished", "8 of 8"],
        ["Ravi", "finished", "8 of 8"],
    ]
    run("close", "pilot-1")
    report = run("analyse", "pilot-1", "--unblind", "--out", str(tmp_path / "report"))
    assert "| AMI, GRGA | 4.00 [4.00, 4.00]" in report
    assert "| All, Qwen3-Omni | 2.00 [2.00, 2.00]" in report
    assert "| AMI, GRGA (reported by the paper) | 2.25 | 3.25 | 4.35 | 3.28 | 0.78 |" in report
    assert "Pilot, not for publication" in report
    names = {file.name for file in (tmp_path / "report").iterdir()}
    assert {"report.md", "means.tex", "means.csv", "means.png", "means.svg", "raters.csv"} <= names
    assert r"\toprule" in (tmp_path / "report" / "means.tex").read_text()
    raw = list(csv.DictReader(run("export", "pilot-1").splitlines()))
    assert len(raw) == 2 * 8 * 3


def test_a_backup_of_another_home_is_taken_over_once(run: Run, files: list[str], tmp_path: Path) -> None:
    run("create", "tea", *files)
    journal = tmp_path / "home" / "human" / "journal.jsonl"
    other = tmp_path / "other"
    app(["import", str(journal), "--home", str(other)], standalone_mode=False)
    assert [line.key for line in Desk.open(other).studies()] == ["tea"]
    assert run("import", str(journal)).endswith("0 events taken over\n")


def test_sampling_is_even_over_type_and_corpus(run: Run, files: list[str], tmp_path: Path) -> None:
    run("create", "even", *files, "--questions", "2", "--seed", "3")
    items = Desk.open(tmp_path / "home").study("even").items
    assert {item.corpus for item in items} == {"AMI", "AliMeeting"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "no JSON"),
        ('{"item": "q1", "question": "?", "system": "a"}', "text: Field required"),
        ('{"item": "q1", "question": "?", "system": "a", "text": "b", "colour": 1}', "colour"),
    ],
)
def test_a_line_that_is_no_answer_is_named(tmp_path: Path, line: str, sentence: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(answers("a", 1)[0].model_dump_json() + "\n\n" + line + "\n")
    with pytest.raises(StudyError, match=f"line 3 of answers.jsonl is not an answer.*{sentence}"):
        read_records(file)


def test_systems_must_have_answered_the_same_questions(run: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_records(answers("a", 1), one)
    write_records([answers("b", 2)[1]], two)
    with pytest.raises(StudyError, match="no question has an answer of every system"):
        run("create", "tea", "--answers", str(one), "--answers", str(two))

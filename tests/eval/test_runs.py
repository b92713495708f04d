"""A run on disk: records as they were, lines that a kill has cut, a manifest that is whole or not there."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from eval.items import EvalItem, Span
from eval.runs import Cited, Manifest, Run, RunRecord, code_versions
from grga.errors import EvaluationError
from grga.types import Answer, Citation, Sentence, TimeSpan


def record(key: str = "q1", **values: object) -> RunRecord:
    asked = EvalItem(
        key=key, corpus="made up", meeting="m1", question="How much?", gold=(Span(start=1, end=2),)
    )
    cited = Cited(utterance=7, speaker="Ann", start=1, end=2, text="Two euros — 两块。")
    known = {
        "sentences": (("It is two euros.", (7,)), ("So it is said.", ())),
        "cited": (cited,),
        "found": True,
        "retrieved": (7, 3),
    }
    return RunRecord.model_validate({"item": asked, "system": "grga", **known, **values})


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    run = Run(tmp_path / "new" / "run")
    assert list(run.records()) == []
    run.append([record("q1"), record("q2")])
    run.append([record("q3", error="the model is gone")])
    assert list(run.records()) == [record("q1"), record("q2"), record("q3", error="the model is gone")]
    assert record().place == ("q1", "grga")
    assert record().text == "It is two euros. So it is said."


@pytest.mark.parametrize("lost", [1, 40])
def test_a_cut_last_line_is_left_out_and_written_over(tmp_path: Path, lost: int) -> None:
    run = Run(tmp_path)
    run.append([record("q1"), record("q2")])
    run.answers_file.write_bytes(run.answers_file.read_bytes()[:-lost])
    assert list(run.records()) == [record("q1")]
    run.append([record("q3")])
    assert list(run.records()) == [record("q1"), record("q3")]


def test_a_damaged_line_elsewhere_is_named(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.append([record("q1"), record("q2")])
    lines = run.answers_file.read_bytes().splitlines(keepends=True)
    run.answers_file.write_bytes(b"".join([lines[0], b'{"item": 1}\n', lines[1]]))
    with pytest.raises(EvaluationError, match=r"line 2 of .*answers\.jsonl is damaged"):
        list(run.records())


def test_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="there is no run in"):
        Run(tmp_path).manifest()
    (tmp_path / "run.json").write_text('{"version": 1')
    with pytest.raises(EvaluationError, match="there is no run in"):
        Run(tmp_path).manifest()


def test_a_manifest_tells_what_was_run(tmp_path: Path) -> None:
    code = code_versions()
    assert {"grga", "python", "revision", "numpy"} <= set(code)
    manifest = Manifest(
        corpus="made up",
        path="/data",
        systems=("grga",),
        meetings={"M": "m1"},
        items=1,
        seed=3,
        limit=None,
        settings={"agent": {"tau": 4.0}},
        code=code,
        began=datetime(2026, 1, 1, tzinfo=UTC),
    )
    Run(tmp_path).write_manifest(manifest)
    assert Run(tmp_path).manifest() == manifest
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_an_answer_is_the_same_for_people_and_for_programs() -> None:
    shown = record().for_people()
    assert shown.text == "It is two euros. [1] So it is said."
    assert [(clip.start, clip.end, clip.speaker) for clip in shown.clips] == [(1, 2, "Ann")]
    answer = record().to_answer()
    assert isinstance(answer, Answer)
    assert answer.sentences[0] == Sentence("It is two euros.", (7,))
    assert answer.citations == (Citation(7, "Ann", TimeSpan(1, 2), "Two euros — 两块。", "m1"),)
    with pytest.raises(ValidationError):
        record(sentences=(), cited=(), error="the model is gone").for_people()

"""The command line as scripts use it: one JSON object, exit codes, one sentence on errors."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grga.cli import app, main

ROOT = Path(__file__).resolve().parents[2]

VTT = """\
WEBVTT

00:01.000 --> 00:05.000
<v Rosa>We promised the neighbours that there are no hidden costs.

00:06.000 --> 00:09.000
<v Imran>The caterer now wants a handling fee of fifty pounds.

00:09.500 --> 00:12.000
<v Rosa>Then we refuse the handling fee, because we promised no hidden costs.
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one imported meeting."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "fees.vtt").write_text(VTT)
    result = CliRunner().invoke(app, ["import", str(folder / "fees.vtt"), "--home", str(folder), "--json"])
    assert result.exit_code == 0, result.stderr
    return folder


def call(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_import_prints_one_object(home: Path) -> None:
    record = json.loads(call("import", str(home / "fees.vtt"), "--home", str(home), "--json"))
    assert record["meeting"].startswith("fees-")
    assert (record["utterances"], record["speakers"], record["duration"]) == (3, 2, 12.0)
    assert {"utterances", "graph", "embeddings", "index"} <= set(record["stages"])
    assert record["warnings"] == []


def test_one_stage_runs_again_alone(home: Path) -> None:
    record = json.loads(call("reindex", "fees", "--stage", "graph", "--home", str(home), "--json"))
    assert set(record["stages"]) - set(record["reused"]) == {"graph"}
    wrong = CliRunner().invoke(app, ["reindex", "fees", "--stage", "asr", "--home", str(home)])
    assert "has no stage 'asr' (expected acoustics, profiles" in str(wrong.exception)


def test_meetings_lists_what_is_there(home: Path) -> None:
    [line] = json.loads(call("meetings", "--home", str(home), "--json"))
    assert (line["title"], line["utterances"], line["finished"]) == ("fees", 3, True)
    assert "fees" in call("meetings", "--home", str(home))


def test_show_prints_the_transcript_in_several_formats(home: Path) -> None:
    record = json.loads(call("show", "fees", "--format", "json", "--home", str(home)))
    first = record["utterances"][0]
    assert (first["id"], first["speaker"], first["start"], first["end"]) == (0, "Rosa", 1.0, 5.0)
    assert first["text"] == "We promised the neighbours that there are no hidden costs."
    assert "00:00:06,000 --> 00:00:09,000" in call("show", "fees", "--format", "srt", "--home", str(home))


def test_ask_answers_with_citations_trace_and_cost(home: Path) -> None:
    question = "Who mentioned the handling fee first?"
    record = json.loads(call("ask", "fees", question, "--home", str(home), "--json"))
    assert record["question"] == question
    assert "Imran" in record["answer"]
    assert 1 in [citation["utterance"] for citation in record["citations"]]
    cited = next(c for c in record["citations"] if c["utterance"] == 1)
    assert (cited["speaker"], cited["start"], cited["end"]) == ("Imran", 6.0, 9.0)
    assert record["cost"]["llm_calls"] == 0
    assert record["cost"]["tool_calls"] >= 1
    assert record["cost"]["seconds"] > 0
    assert {step["step"] for step in record["trace"]} >= {"decomposition", "plan", "observation", "draft"}
    assert 1 <= record["reflection_score"] <= 5


def test_ask_can_be_limited_to_a_speaker(home: Path) -> None:
    options = ["--home", str(home), "--json", "--scope", "speaker=Imran"]
    record = json.loads(call("ask", "fees", "What was said about the fee?", *options))
    assert {citation["speaker"] for citation in record["citations"]} <= {"Imran"}


def test_the_baseline_has_the_same_shape(home: Path) -> None:
    options = ["--home", str(home), "--json", "--system", "text_rag"]
    record = json.loads(call("ask", "fees", "What does the caterer want?", *options))
    assert record["system"] == "text_rag"
    assert record["citations"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ask", "nothing", "Who?"], "there is no meeting 'nothing'"),
        (["show", "fees", "--format", "wav"], "wav"),
        (["ask", "fees", "Who?", "--without", "magic"], "magic"),
        (["ask", "fees", "Who?", "--system", "oracle"], "oracle"),
        (["ask", "fees", "Who?", "--scope", "speaker=Bob"], "nobody in this meeting is called 'Bob'"),
        (["index", "none.wav"], "there is no file none.wav"),
        (["import", "none.srt"], "none.srt"),
        (["show", "fees", "--output", "/nowhere/fees.txt"], "/nowhere/fees.txt cannot be written"),
        (["delete", "fees"], "deleting needs the whole id"),
        (["edit", "fees", "7", "x"], "'7' names no line of this meeting (expected 0 to 2)"),
        (["edit", "fees", "0-1", "x"], "'0-1' is more than one line"),
        (["edit", "fees", "9:00", "x"], "nobody speaks at 9:00 or after"),
        (["edit", "fees", "last", "x"], "'last' is not a time"),
        (["reassign", "fees", "2-1", "new"], "'2-1' names no line of this meeting"),
        (["merge", "fees", "Rosa", "Bob"], "nobody in this meeting is called 'Bob'"),
        (["retitle", "fees", " "], "the title is empty"),
    ],
)
def test_what_a_person_can_correct_is_one_sentence_and_exit_code_1(
    home: Path,
    arguments: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["grga", *arguments, "--home", str(home)])
    with pytest.raises(SystemExit) as exit_info:
        main()
    assert exit_info.value.code == 1
    [line] = [line for line in capsys.readouterr().err.splitlines() if line]
    assert line.startswith("grga: ")
    assert sentence in line


def test_a_wrong_call_is_exit_code_2() -> None:
    command = [sys.executable, "-m", "grga", "ask"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "Missing argument" in result.stderr


def test_rename_changes_what_is_shown(home: Path) -> None:
    call("rename", "fees", "S2", "Imran K.", "--home", str(home))
    assert "Imran K." in call("show", "fees", "--home", str(home))
    call("rename", "fees", "S2", "Imran", "--home", str(home))


@pytest.fixture
def copy(home: Path, tmp_path: Path) -> Path:
    """A home whose meeting may be changed."""
    shutil.copytree(home / "meetings", tmp_path / "meetings")
    return tmp_path


def test_a_meeting_is_corrected_line_by_line_and_everything_follows(copy: Path) -> None:
    def do(*arguments: str) -> str:
        return call(*arguments, "--home", str(copy))

    assert do("edit", "fees", "0:06", "The caterer now wants a gratuity.", "--by", "ann").startswith(
        "Line 1 (0:06)"
    )
    assert do("reassign", "fees", "0,2", "new") == 'Lines 0, 2 (0:01): now "Speaker 3", who is new\n'
    assert do("rename", "fees", "speaker 3", "Mei") == '"Speaker 3" → "Mei"\n'
    assert do("merge", "fees", "mei", "Imran") == '"Mei" merged into "Imran" (2 lines)\n'
    assert do("retitle", "fees", "Catering") == 'Title: "fees" → "Catering"\n'
    assert do("tag", "Catering", "money", "food") == "Tags: money, food\n"
    assert do("show", "Catering").splitlines()[1].endswith("] Imran: The caterer now wants a gratuity.")
    assert {
        line["speaker"] for line in json.loads(do("show", "Catering", "--format", "json"))["utterances"]
    } == {"Imran"}
    assert do("meetings").endswith("  Catering  #money  #food\n")
    [line] = json.loads(do("meetings", "--json"))
    assert (line["title"], line["tags"], line["names"], line["speakers"]) == (
        "Catering",
        ["money", "food"],
        ["Imran"],
        1,
    )
    record = json.loads(do("ask", "Catering", "What does the caterer want?", "--json"))
    assert "gratuity" in " ".join(citation["text"] for citation in record["citations"])


def test_edits_are_taken_back_and_brought_back(copy: Path) -> None:
    def do(*arguments: str) -> str:
        return call(*arguments, "--home", str(copy))

    before = do("show", "fees")
    earlier = len(json.loads(do("history", "fees", "--json")))
    do("edit", "fees", "1", "Nothing.", "--by", "ann")
    after = do("show", "fees")
    assert do("undo", "fees", "--by", "bob").startswith("taken back: Line 1 (0:06)")
    assert do("show", "fees") == before
    assert do("history", "fees").splitlines()[-1].endswith("(taken back by bob)")
    assert do("redo", "fees").startswith("brought back: Line 1 (0:06)")
    assert do("show", "fees") == after
    assert do("redo", "fees") == "nothing to bring back\n"
    records = json.loads(do("history", "fees", "--json"))[earlier:]
    assert [(one["by"], one["undone"], one["edit"]["text"]) for one in records] == [
        ("ann", False, "Nothing.")
    ]

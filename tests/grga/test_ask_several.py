"""``ask`` over several meetings: answers by meeting, one numbering, one JSON object."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from grga.cli import app
from grga.errors import GrgaError, QuestionError

FEES = """\
WEBVTT

00:01.000 --> 00:05.000
<v Rosa>We promised the neighbours that there are no hidden costs.

00:06.000 --> 00:09.000
<v Imran>The caterer now wants a handling fee of fifty pounds.
"""
GARDEN = """\
WEBVTT

00:01.000 --> 00:04.000
<v Ann>The tomatoes grow along the wall.

00:05.000 --> 00:09.000
<v Rosa>The rain barrel leaks, so we water them by hand.
"""
QUESTION = "How much is the handling fee?"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def added(home: Path, name: str, transcript: str) -> None:
    (home / f"{name}.vtt").write_text(transcript)
    result = run("import", str(home / f"{name}.vtt"), "--home", str(home))
    assert result.exit_code == 0, result.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two imported meetings."""
    folder = tmp_path_factory.mktemp("home")
    added(folder, "garden", GARDEN)
    added(folder, "fees", FEES)
    return folder


def asked(home: Path, *arguments: str) -> dict[str, Any]:
    result = run("ask", *arguments, "--home", str(home), "--json")
    assert result.exit_code == 0, result.stderr
    record: dict[str, Any] = json.loads(result.stdout)
    return record


def titles(record: dict[str, Any], key: str = "parts") -> list[str]:
    return [one["title"] for one in record[key]]


def test_all_meetings_answer_each_with_its_own_citations(home: Path) -> None:
    record = asked(home, "--all", QUESTION)
    assert (record["question"], record["found"]) == (QUESTION, True)
    assert titles(record)[0] == "fees"
    assert sorted(titles(record)) == ["fees", "garden"]
    first = record["parts"][0]
    assert first["meeting"].startswith("fees-")
    assert "fifty pounds" in first["answer"]
    assert 1 in [citation["utterance"] for citation in first["citations"]]
    assert first["trace"][0]["step"] == "decomposition"
    assert record["cost"]["tool_calls"] == sum(part["cost"]["tool_calls"] for part in record["parts"])
    assert record["left_out"] == []


@pytest.mark.parametrize(
    "arguments",
    [["fees", QUESTION, "--meeting", "garden"], ["--meeting", "garden", "--meeting", "fees", QUESTION]],
)
def test_several_meetings_can_be_named(home: Path, arguments: Sequence[str]) -> None:
    assert sorted(titles(asked(home, *arguments))) == ["fees", "garden"]


@pytest.mark.parametrize(
    "arguments", [["--meeting", "fees", QUESTION], ["fees", QUESTION, "--meeting", "fees"]]
)
def test_one_meeting_named_in_any_way_answers_as_one(home: Path, arguments: Sequence[str]) -> None:
    record = asked(home, *arguments)
    assert "parts" not in record
    assert "fifty pounds" in record["answer"]


def test_the_printed_answer_numbers_on_and_names_the_meeting(home: Path) -> None:
    result = run("ask", "--all", "Summarise the meeting.", "--home", str(home))
    assert result.exit_code == 0, result.stderr
    cited = re.findall(r"^  \[(\d+)\] (\w+), \d:\d\d–\d:\d\d \w+: ", result.stdout, re.MULTILINE)
    assert [int(number) for number, _ in cited] == list(range(1, len(cited) + 1))
    assert {meeting for _, meeting in cited} == {"fees", "garden"}
    assert re.search(r"^found in 2 of 2 meetings · \d+\.\d\d s$", result.stdout, re.MULTILINE)
    assert re.findall(r"asking (\d) of 2", result.stderr) == ["1", "2"]


def test_meetings_that_say_nothing_about_it_share_a_line(home: Path) -> None:
    result = run("ask", "--all", "Where do the tomatoes grow?", "--home", str(home))
    assert result.exit_code == 0, result.stderr
    assert "The tomatoes grow along the wall." in result.stdout
    assert "nothing about it in: fees\n" in result.stdout


def test_a_speaker_limits_the_question_to_meetings_where_somebody_has_that_name(home: Path) -> None:
    record = asked(home, "--all", QUESTION, "--scope", "speaker=Imran")
    assert titles(record) == ["fees"]
    [left_out] = record["left_out"]
    assert (left_out["title"], left_out["event"]) == ("garden", "left_out")
    assert left_out["reason"] == "nobody in this meeting is called Imran"

    nobody = run("ask", "--all", QUESTION, "--scope", "speaker=Bob", "--home", str(home))
    assert isinstance(nobody.exception, QuestionError)
    assert nobody.stdout.count("not asked: ") == 2


def test_a_damaged_meeting_is_skipped_with_the_reason(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "meetings", tmp_path / "meetings")
    next((tmp_path / "meetings").glob("garden-*/graph.json")).write_text("{")
    record = asked(tmp_path, "--all", QUESTION)
    assert titles(record) == ["fees"]
    [left_out] = record["left_out"]
    assert (left_out["title"], left_out["event"]) == ("garden", "skipped")
    assert "graph.json" in left_out["reason"]


def test_a_home_without_meetings_says_so(tmp_path: Path) -> None:
    result = run("ask", "--all", QUESTION, "--home", str(tmp_path))
    assert isinstance(result.exception, GrgaError)
    assert "no meeting could be asked" in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([QUESTION], "say which meeting and which question"),
        (["fees", "How", "much?"], "put the question in quotation marks"),
        (["fees", QUESTION, "--all"], "--all asks every meeting"),
        ([], "Missing argument"),
    ],
)
def test_a_call_that_means_nothing_is_exit_code_2(
    home: Path, arguments: Sequence[str], sentence: str
) -> None:
    result = run("ask", *arguments, "--home", str(home))
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.replace("│", " ").split())

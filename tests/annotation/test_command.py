"""The command line, on the bundled sample meeting."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from annotation.cli import app
from annotation.schema import Evidence, Generator, QAItem
from annotation.terminal import verify_in_terminal
from annotation.workspace import Workspace
from grga import samples
from grga.agent.steps import QuestionType
from grga.errors import GrgaError
from grga.store import Store

Desk = Any  # of conftest.py, which tests cannot import


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample meetings and three questions about one of them, in questions.jsonl."""
    home = tmp_path_factory.mktemp("home")
    store = Store(home)
    meeting = store.folder(samples.install(store)[0]).read_meeting()
    items = [
        QAItem(
            key=f"s-{number}",
            meeting=meeting.id,
            type=QuestionType.FACTUAL,
            subtask="entity retrieval",
            question=f"What is said in utterance {number}?",
            answer=meeting.utterances[number].text,
            evidence=(Evidence.of(meeting, number),),
            generator=Generator(name="human"),
        )
        for number in range(3)
    ]
    lines = "".join(f"{item.model_dump_json()}\n" for item in items)
    (home / "questions.jsonl").write_text(lines, encoding="utf-8")
    return home


def run(home: Path, *words: str, input: str = "") -> Result:
    return CliRunner().invoke(app, [*words, "--home", str(home)], input=input)


@pytest.fixture(scope="module")
def judged(home: Path) -> Path:
    """The same after an import and two annotators' work in the terminal."""
    result = run(home, "import", str(home / "questions.jsonl"), "--by", "lead")
    assert (result.exit_code, result.stdout) == (0, "3 added, 0 replaced, 0 there already\n"), result.stderr
    assert run(home, "verify", "--by", "ana", input="a\na\nr trivial\n").exit_code == 0
    assert run(home, "verify", "--by", "ben", input="a\nr trivial too short\nr trivial\n").exit_code == 0
    assert run(home, "verify", "--by", "judy", "--adjudicate", input="a\n").exit_code == 0
    return home


def test_agreement_is_printed_and_can_be_read(judged: Path) -> None:
    assert "Cohen's kappa of ana and ben    0.400" in run(judged, "agreement").stdout
    found = json.loads(run(judged, "agreement", "--json").stdout)
    assert found["annotators"] == ["ana", "ben"]
    assert found["measures"][0]["value"] == pytest.approx(0.4)


def test_the_report_is_printed_and_can_be_read(judged: Path) -> None:
    assert run(judged, "report").stdout.splitlines()[1].split()[:8] == [
        "human",
        "–",
        "factual",
        "3",
        "2",
        "1",
        "0",
        "0",
    ]
    (group,) = json.loads(run(judged, "report", "--json").stdout)["groups"]
    assert group["acceptance"] == pytest.approx(2 / 3)


def test_export_import_export_gives_the_same_bytes(judged: Path, tmp_path: Path) -> None:
    assert run(judged, "export", str(tmp_path / "a.jsonl")).stdout.startswith("3 questions written")
    run(tmp_path / "other", "import", str(tmp_path / "a.jsonl"))
    run(tmp_path / "other", "export", str(tmp_path / "b.jsonl"))
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    run(judged, "export", str(tmp_path / "c.csv"), "--status", "rejected")
    assert (tmp_path / "c.csv").read_text("utf-8-sig").count("s-2") == 1
    assert "s-0" not in (tmp_path / "c.csv").read_text("utf-8-sig")


def test_a_data_set_is_a_folder_with_sound(judged: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    result = run(judged, "export", str(tmp_path / "out"), "--dataset", "--json")
    assert json.loads(result.stdout)["questions"] == 2
    rows = pq.read_table(tmp_path / "out" / "data" / "train.parquet").to_pylist()
    assert [row["key"] for row in rows] == ["s-0", "s-1"]
    assert all(row["clips"][0]["bytes"].startswith(b"fLaC") for row in rows)
    assert "(2 of 2 questions)" in (tmp_path / "out" / "README.md").read_text("utf-8")


def test_broken_lines_end_with_code_1_and_their_numbers(judged: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text("{}\n", encoding="utf-8")
    result = run(judged, "import", str(tmp_path / "broken.jsonl"))
    assert result.exit_code == 1
    assert result.stderr.startswith("line 1: key: Field required")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("import", "nothing.jsonl"), "nothing.jsonl cannot be read"),
        (("export", "questions.txt"), "unknown file format 'txt'"),
        (("export", "out", "--push", "me/data"), "only a data set can be sent to the hub: add --dataset"),
        (("report", "--meeting", "nowhere"), "there is no meeting 'nowhere'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(judged: Path, words: tuple[str, ...], sentence: str) -> None:
    error = run(judged, *words).exception
    assert isinstance(error, GrgaError)
    assert sentence in str(error)


def test_the_verbs_are_all_there() -> None:
    text = CliRunner().invoke(app, ["--help"]).stdout
    for verb in ("generate", "check", "verify", "agreement", "export", "import", "report"):
        assert verb in text


# --- the terminal -----------------------------------------------------------------------------------


def in_terminal(workspace: Workspace, *typed: str, **options: Any) -> list[str]:
    """Return what is shown to ana, who types these lines a second apart."""
    lines, shown = iter(typed), []
    ticks: Iterator[float] = iter(range(1000))

    def read(prompt: str) -> str:
        for line in lines:
            return line
        raise EOFError

    verify_in_terminal(workspace, "ana", read=read, show=shown.append, seconds=lambda: next(ticks), **options)
    return shown


def test_the_terminal_shows_an_item_and_takes_a_verdict(desk: Desk) -> None:
    desk.add("m1-1", overlap=1)
    shown = in_terminal(desk.workspace, "e 200 euros.")
    assert shown[2:5] == [
        "[factual · attribute association] How high is the service fee? (m1-1)",
        "  Two hundred euros.",
        "    0:20–0:30 Tom: There is a new service fee of two hundred euros.",
    ]
    assert shown[-1] == "nothing waits for you"
    assert (desk.stands().answer, desk.judgements()[0].seconds) == ("200 euros.", 1)


def test_the_terminal_explains_what_it_does_not_understand(desk: Desk) -> None:
    desk.add("m1-1", overlap=1)
    shown = in_terminal(desk.workspace, "x", "r boring", "u", "r wrong-type", "q")
    assert shown.count(shown[0]) == 2
    assert "the verdict cannot be taken: reason: Input should be" in "\n".join(shown)
    assert "there is nothing to undo" in shown
    assert desk.judgements()[0].reason == "wrong type"


def test_leaving_the_terminal_frees_the_item(desk: Desk) -> None:
    desk.add("m1-1", overlap=1)
    in_terminal(desk.workspace)
    from annotation.workflow import next_task

    assert next_task(desk.workspace, "ben") is not None

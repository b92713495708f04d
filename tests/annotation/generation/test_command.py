"""``python -m annotation generate`` and ``check``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.schema import QAItem
from grga.store import IndexedMeeting, Store

ROOT = Path(__file__).resolve().parents[3]


def annotation(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "annotation", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_generate_check_and_ask_for_more(store: Store, lantern: IndexedMeeting, tmp_path: Path) -> None:
    out, home = tmp_path / "questions.jsonl", ["--home", str(store.home)]
    command = ["generate", "--meeting", lantern.meeting.id, "--type", "temporal", "--count", "5", *home]
    done = annotation(*command, "--out", str(out))
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split()[1:] for line in done.stderr.splitlines() if line}
    assert rows["temporal"] == ["5", "5", "0"]
    assert rows["all"] == ["5", "5", "0"]
    first = [QAItem.model_validate_json(line) for line in out.read_text("utf-8").splitlines()]
    assert [item.type for item in first] == ["temporal"] * 5

    assert annotation(*command, "--out", str(out)).returncode == 0
    both = out.read_text("utf-8").splitlines()
    assert len({json.loads(line)["question"] for line in both}) == 10

    checked = annotation("check", str(out), *home)
    assert (checked.returncode, "10" in checked.stderr) == (0, True)
    assert annotation("import", str(out), *home).returncode == 0
    stored = annotation("check", "--meeting", lantern.meeting.id, *home)
    assert (stored.returncode, "temporal" in stored.stderr) == (0, True)
    assert [line.split()[1:] for line in stored.stderr.splitlines() if line.startswith("all")] == [
        ["10", "10", "0"]
    ]
    spoiled = json.loads(both[0]) | {"question": "Who says “I flew to the moon last week”?"}
    out.write_text(json.dumps(spoiled, ensure_ascii=False) + "\n", encoding="utf-8")
    checked = annotation("check", str(out), *home)
    assert checked.returncode == 1
    assert "quotes are said: nobody says “I flew to the moon last week”" in checked.stderr


@pytest.mark.slow
def test_a_model_writes(store: Store, lantern: IndexedMeeting, serve: Callable[..., Any]) -> None:
    question = {
        "subtask": "entity retrieval",
        "question": "Who must write to the farmer?",
        "answer": "Grace.",
        "evidence": list(range(0, 60, 3)),
        "reasoning": "She says so.",
    }
    server = serve({"questions": [{"questions": [question]}, ""]})
    options = ["--policy", "llm", "--base-url", server.address, "--model", "m", "--home", str(store.home)]
    done = annotation(
        "generate", "--meeting", lantern.meeting.id, "--type", "factual", "--count", "3", *options
    )
    assert done.returncode == 0, done.stderr
    items = [QAItem.model_validate_json(line) for line in done.stdout.splitlines()]
    assert items[0].question == question["question"]
    assert {item.status for item in items[1:]} == {"failed"}
    assert "1 made" in done.stderr
    assert "failed: the model m gave no usable questions twice (found it was empty)" in done.stderr


def test_what_is_wrong_is_one_sentence(store: Store, tmp_path: Path) -> None:
    done = annotation("generate", "--meeting", "nobody", "--home", str(store.home))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "there is no meeting 'nobody'" in done.stderr
    (tmp_path / "x.jsonl").write_text('{"key": "a b"}\n')
    done = annotation("check", str(tmp_path / "x.jsonl"), "--home", str(store.home))
    assert (done.returncode, "line 1 of x.jsonl is not a question" in done.stderr) == (1, True)

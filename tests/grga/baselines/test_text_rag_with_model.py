"""Text RAG with a model: it writes the answer from what was retrieved, and from nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.config import LlmConfig
from grga.ingest import index_in_memory
from grga.llm import connect
from grga.store import IndexedMeeting
from grga.types import Meeting, Speaker, TimeSpan, Utterance

Serve = Callable[..., Any]
TALK = ("We begin.", "The fee is fifty pounds.", "Lunch was fine.", "The fee is refused.")


class FeeEncoder:
    """One direction for the fee, another for everything else."""

    name, dimension, min_similarity = "fee", 2, 0.5

    def encode_query(self, text: str) -> np.ndarray:
        return np.array([1, 0] if "fee" in text else [0, 1], dtype=np.float32)

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        return np.stack([self.encode_query(text) for text in texts])


@pytest.fixture(scope="module")
def meeting() -> IndexedMeeting:
    utterances = tuple(
        Utterance(n, "S1", TimeSpan(n * 5.0, n * 5.0 + 4), text) for n, text in enumerate(TALK)
    )
    return index_in_memory(
        Meeting("m", "M", 20.0, utterances, (Speaker("S1", "Rosa"),)), encoder=FeeEncoder()
    )


def ask(server: Any, meeting: IndexedMeeting, home: Path, question: str) -> AgentTrace:
    client = connect(LlmConfig(base_url=server.address, model="m", retries=0), home)
    system = make_answerer("text_rag", policy="llm", client=client)
    return AgentTrace.collect(system.answer(question, meeting))


def test_the_model_answers_from_what_was_retrieved(
    serve: Serve, meeting: IndexedMeeting, tmp_path: Path
) -> None:
    server = serve({"answer": [{"found": True, "sentences": ["It is fifty pounds [utt 1][utt 2]."]}]})
    answer = ask(server, meeting, tmp_path, "How much is the fee?").answer
    assert answer.text == "It is fifty pounds."
    assert [one.utterance for one in answer.citations] == [1]
    assert (answer.dropped_citations, answer.policy, answer.system) == (1, "m", "text_rag")
    assert (answer.cost.llm_calls, answer.cost.tool_calls) == (1, 1)
    assert set(answer.cost.phases) == {"execute", "synthesize"}
    [prompt] = server.prompts("answer")
    assert [n for n in range(4) if f"[utt {n}]" in prompt] == [1, 3]


def test_without_anything_near_the_model_is_not_asked(
    serve: Serve, meeting: IndexedMeeting, tmp_path: Path
) -> None:
    class Far(FeeEncoder):
        min_similarity = 2.0

    server = serve({"answer": [{"found": True, "sentences": ["Anything."]}]})
    answer = ask(server, replace(meeting, encoder=Far()), tmp_path, "How much is the fee?").answer
    assert (answer.found, answer.text) == (False, "This meeting does not say.")
    assert server.requests() == []

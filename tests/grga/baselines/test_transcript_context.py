"""Transcript as context: one call, checked citations, and honesty about what did not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, Draft
from grga.config import LlmConfig
from grga.errors import ConfigError
from grga.ingest import index_in_memory
from grga.llm import connect
from grga.store import IndexedMeeting
from grga.types import Meeting, Scope, Speaker, TimeSpan, Utterance

Serve = Callable[..., Any]


class NoEncoder:
    """Nothing here searches by meaning."""

    name, dimension, min_similarity = "none", 2, 0.0

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))

    def encode_query(self, text: str) -> np.ndarray:
        return np.array([1, 0], dtype=np.float32)


@pytest.fixture(scope="module")
def meeting() -> IndexedMeeting:
    words = "and so we went on about the fee of the caterer for a while"
    utterances = tuple(
        Utterance(n, f"S{n % 2}", TimeSpan(n * 4.0, n * 4.0 + 3), f"Point {n}: {words}.") for n in range(200)
    )
    speakers = (Speaker("S0", "Rosa"), Speaker("S1", "Imran"))
    return index_in_memory(Meeting("m", "M", 800.0, utterances, speakers), encoder=NoEncoder())


def ask(server: Any, meeting: IndexedMeeting, home: Path, scope: Scope | None = None, **settings: Any) -> Any:
    values = {"base_url": server.address, "model": "m", "retries": 0, **settings}
    client = connect(LlmConfig.model_validate(values), home)
    system = make_answerer("transcript_context", client=client)
    return AgentTrace.collect(system.answer("How many points?", meeting, scope or Scope()))


def test_one_call_with_everything_that_was_said(
    serve: Serve, meeting: IndexedMeeting, tmp_path: Path
) -> None:
    server = serve({"answer": [{"found": True, "sentences": ["Two hundred [utt 199][utt 200]."]}]})
    answer = ask(server, meeting, tmp_path, context_tokens=32_768).answer
    assert answer.text == "Two hundred."
    assert [one.utterance for one in answer.citations] == [199]
    assert answer.citations[0].span == TimeSpan(796.0, 799.0)
    assert (answer.dropped_citations, answer.verified, answer.reflection_score) == (1, False, None)
    assert (answer.cost.llm_calls, answer.system) == (1, "transcript_context")
    assert server.prompts("answer")[0].count("[utt ") == 200


def test_what_does_not_fit_is_left_out_and_said(
    serve: Serve, meeting: IndexedMeeting, tmp_path: Path
) -> None:
    too_long = {"fault": "status", "code": 400, "message": "maximum context length is 4096 tokens"}
    reply = {"found": True, "sentences": ["Some [utt 0][utt 199]."]}
    server = serve({"answer": [too_long, reply]})
    trace = ask(server, meeting, tmp_path, context_tokens=8_192)
    first, second = (prompt.count("[utt ") for prompt in server.prompts("answer"))
    assert 0.7 * first < second < 0.8 * first < 0.8 * 200
    [draft] = [step for step in trace.steps if isinstance(step, Draft)]
    assert draft.notes[0] == f"the last {200 - second} of 200 utterances (from {4 * second} s) did not fit"
    assert draft.cited == (0,)  # 199 was not read
    assert draft.dropped == 1


def test_only_the_scope_is_read(serve: Serve, meeting: IndexedMeeting, tmp_path: Path) -> None:
    server = serve({"answer": [{"found": False, "sentences": []}]})
    scope = Scope(speakers=frozenset({"S1"}), span=TimeSpan(0, 40))
    answer = ask(server, meeting, tmp_path, scope).answer
    assert (answer.found, answer.text) == (False, "This meeting does not say.")
    assert server.prompts("answer")[0].count("[utt ") == 5


def test_it_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="'transcript_context' needs a model server"):
        make_answerer("transcript_context")

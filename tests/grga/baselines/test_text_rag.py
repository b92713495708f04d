"""Text RAG: the nearest units, in order of time, all of them cited."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, Observation
from grga.baselines.text_rag import TextRag, unit
from grga.errors import QuestionError
from grga.ingest import index_in_memory
from grga.store import IndexedMeeting
from grga.types import Meeting, Scope, Speaker, TimeSpan, Utterance

TEXTS = ("red apples", "green pears", "red cherries", "red wine", "blue sky")


class ColourEncoder:
    """Red, green or blue: one axis each; counts how often it is asked to encode passages."""

    name, dimension, min_similarity = "colours", 3, 0.5

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.seen.extend(texts)
        colours = ("red", "green", "blue")
        return np.array([[float(colour in text) for colour in colours] for text in texts], np.float32)

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        vector: npt.NDArray[np.float32] = self.encode_passages([text])[0]
        return vector


@pytest.fixture
def fruit() -> IndexedMeeting:
    utterances = tuple(Utterance(i, "S1", TimeSpan(i, i + 0.5), text) for i, text in enumerate(TEXTS))
    return index_in_memory(
        Meeting("f", "f", 5.0, utterances, (Speaker("S1", "Ann"),)), encoder=ColourEncoder()
    )


def test_a_unit_carries_time_and_speaker(fruit: IndexedMeeting) -> None:
    assert unit(fruit.meeting.utterances[2], fruit.meeting) == "[2.00 - 2.50] Ann: red cherries"


def test_all_retrieved_units_are_cited_in_order_of_time(fruit: IndexedMeeting) -> None:
    trace = AgentTrace.collect(make_answerer("text_rag").answer("what is red?", fruit))
    answer = trace.answer
    assert [one.utterance for one in answer.citations] == [0, 2, 3]
    assert answer.sentences[1].text == "[0:02–0:02] Ann: red cherries"
    assert (answer.system, answer.found, answer.verified, answer.reflection_score) == (
        "text_rag",
        True,
        False,
        None,
    )
    assert sum(isinstance(step, Observation) for step in trace.steps) == 1


def test_top_k_limits_and_lambda_cuts(fruit: IndexedMeeting) -> None:
    *_, answer = TextRag(top_k=2).answer("red", fruit)
    assert len(answer.citations) == 2  # type: ignore[union-attr]
    *_, everything = TextRag(min_similarity=-1.0).answer("red", fruit)
    assert len(everything.citations) == 5  # type: ignore[union-attr]


def test_nothing_similar_is_an_honest_no(fruit: IndexedMeeting) -> None:
    *_, answer = TextRag().answer("yellow", fruit)
    assert (answer.found, answer.text) == (False, "This meeting does not say.")  # type: ignore[union-attr]


def test_the_scope_is_kept(fruit: IndexedMeeting) -> None:
    *_, answer = TextRag().answer("red", fruit, Scope(span=TimeSpan(2, 5)))
    assert [one.utterance for one in answer.citations] == [2, 3]  # type: ignore[union-attr]


def test_units_are_encoded_once_per_meeting(fruit: IndexedMeeting) -> None:
    rag = TextRag()
    list(rag.answer("red", fruit))
    before = len(fruit.encoder.seen)  # type: ignore[attr-defined]
    list(rag.answer("green", fruit))
    assert len(fruit.encoder.seen) == before + 1  # type: ignore[attr-defined]


def test_it_has_no_tools_to_switch_off() -> None:
    with pytest.raises(QuestionError, match="text_rag has no tools to switch off"):
        make_answerer("text_rag", without=["keyword_search"])

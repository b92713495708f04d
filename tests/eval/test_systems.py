from __future__ import annotations

import pytest

from eval.systems import ABLATIONS, parse, parse_all
from grga import samples
from grga.config import AgentConfig
from grga.errors import EvaluationError
from grga.store import IndexedMeeting, Store
from grga.types import EdgeType


@pytest.fixture(scope="module")
def meeting(tmp_path_factory: pytest.TempPathFactory) -> IndexedMeeting:
    """The bundled English sample."""
    store = Store(tmp_path_factory.mktemp("home"))
    ids = samples.install(store)
    return store.load(next(id for id in ids if "Lantern" in id))


def test_the_papers_seven_and_every_type_of_edge() -> None:
    assert len(ABLATIONS) == 7 + len(EdgeType)
    assert [one.name for one in parse_all(["grga", "grga-reply_to edges", "grga-audio_access", "grga"])] == [
        "grga",
        "grga without reply_to edges",
        "grga without audio access",
    ]
    assert len(parse_all(["grga-all"])) == len(ABLATIONS)


@pytest.mark.parametrize("wrong", ["grgaa", "text_rag-reflection", "grga-brain"])
def test_an_unknown_name_answers_with_the_known_ones(wrong: str) -> None:
    with pytest.raises(EvaluationError, match="known: "):
        parse(wrong)


@pytest.mark.parametrize("name", ABLATIONS)
def test_every_ablation_answers(name: str, meeting: IndexedMeeting) -> None:
    system = parse(f"grga-{name}")
    steps = list(
        system.build(AgentConfig()).answer(
            "What price did Henry first name for the hall?", system.sees(meeting)
        )
    )
    assert steps[-1].question.startswith("What price")


@pytest.mark.parametrize("type", EdgeType)
def test_a_graph_without_one_relation_keeps_the_others(type: EdgeType, meeting: IndexedMeeting) -> None:
    lacking = parse(f"grga-{type} edges").sees(meeting).graph
    counts = meeting.graph.counts()
    assert lacking.counts() == {**counts, type: 0}
    some = range(len(meeting.meeting.utterances))
    assert not any(reached for id in some for reached in lacking.neighbours([id], relations=[type]))
    assert any(reached for id in some for reached in meeting.graph.neighbours([id], relations=[type]))

"""Walking the graph."""

from __future__ import annotations

import json

import pytest

from grga.graph.graph import DECAY, TRUST, UtteranceGraph
from grga.types import Edge, EdgeType

A, B = "A", "B"


@pytest.fixture
def graph() -> UtteranceGraph:
    """A says 0, 2, 4; B says 1, 3. One reply 0 -> 1, one reference back 4 -> 1."""
    return UtteranceGraph(
        [A, B, A, B, A],
        [
            Edge(0, 1, EdgeType.REPLY_TO, 0.8, "reply"),
            Edge(4, 1, EdgeType.SEMANTIC, 0.5, "that idea"),
            Edge(0, 2, EdgeType.SAME_SPEAKER, 1.0, A),
            Edge(2, 4, EdgeType.SAME_SPEAKER, 1.0, A),
            Edge(1, 3, EdgeType.SAME_SPEAKER, 1.0, B),
        ],
    )


def test_edges_are_walked_in_both_directions_and_say_why(graph: UtteranceGraph) -> None:
    found = graph.neighbours([1], relations=[EdgeType.REPLY_TO, EdgeType.SEMANTIC])
    assert {reached.id: reached.edge.label for reached in found} == {0: "reply", 4: "that idea"}


def test_a_score_is_decay_times_trust_times_weight(graph: UtteranceGraph) -> None:
    reply = DECAY * TRUST[EdgeType.REPLY_TO] * 0.8
    reference = DECAY * TRUST[EdgeType.SEMANTIC] * 0.5
    found = graph.neighbours([0], depth=2, relations=[EdgeType.REPLY_TO, EdgeType.SEMANTIC])
    assert [(reached.id, reached.depth) for reached in found] == [(1, 1), (4, 2)]
    assert [reached.score for reached in found] == pytest.approx([reply, reply * reference])


def test_one_step_does_not_reach_two(graph: UtteranceGraph) -> None:
    assert [reached.id for reached in graph.neighbours([0], relations=[EdgeType.REPLY_TO])] == [1]


def test_the_start_is_never_a_result(graph: UtteranceGraph) -> None:
    assert {reached.id for reached in graph.neighbours([0, 1], depth=3)} == {2, 3, 4}


def test_the_better_of_two_paths_counts() -> None:
    graph = UtteranceGraph(
        [A, B, B],
        [
            Edge(0, 2, EdgeType.TEMPORAL, 0.1),
            Edge(0, 1, EdgeType.SEMANTIC, 1.0),
            Edge(1, 2, EdgeType.SEMANTIC, 1.0),
        ],
    )
    reached = {found.id: found for found in graph.neighbours([0], depth=2)}[2]
    assert (reached.depth, reached.edge.source) == (2, 1)
    assert reached.score == pytest.approx(DECAY**2)


@pytest.mark.parametrize("seed", range(5))
def test_same_speaker_walks_as_if_all_pairs_were_linked(seed: int) -> None:
    import random

    chooser = random.Random(seed)
    speakers = [chooser.choice("ABC") for _ in range(60)]
    latest: dict[str, int] = {}
    chain = []
    for index, speaker in enumerate(speakers):
        if speaker in latest:
            chain.append(Edge(latest[speaker], index, EdgeType.SAME_SPEAKER, 1.0, speaker))
        latest[speaker] = index
    graph = UtteranceGraph(speakers, chain)
    for index in range(60):
        found = graph.neighbours([index], relations=[EdgeType.SAME_SPEAKER], same_speaker=None)
        everyone = {other for other in range(60) if speakers[other] == speakers[index]} - {index}
        assert {reached.id for reached in found} == everyone
        assert all(reached.depth == 1 for reached in found)


def test_same_speaker_gives_the_nearest_turns_first(graph: UtteranceGraph) -> None:
    graph = UtteranceGraph([A] * 9)
    found = graph.neighbours([4], relations=[EdgeType.SAME_SPEAKER], same_speaker=4)
    assert sorted(reached.id for reached in found) == [2, 3, 5, 6]
    assert [reached.id for reached in found][:2] == [3, 5]


def test_counts_name_every_type(graph: UtteranceGraph) -> None:
    assert graph.counts() == {
        EdgeType.TEMPORAL: 0,
        EdgeType.REPLY_TO: 1,
        EdgeType.SAME_SPEAKER: 3,
        EdgeType.ENTITY: 0,
        EdgeType.SEMANTIC: 1,
    }


def test_edges_of_one_type(graph: UtteranceGraph) -> None:
    assert list(graph.edges(EdgeType.SEMANTIC)) == [Edge(4, 1, EdgeType.SEMANTIC, 0.5, "that idea")]


def test_of_two_equal_edges_the_heavier_stays(graph: UtteranceGraph) -> None:
    graph.add_edges([Edge(0, 1, EdgeType.REPLY_TO, 0.3, "weak"), Edge(4, 1, EdgeType.SEMANTIC, 0.9, "it")])
    assert list(graph.edges(EdgeType.REPLY_TO)) == [Edge(0, 1, EdgeType.REPLY_TO, 0.8, "reply")]
    assert list(graph.edges(EdgeType.SEMANTIC)) == [Edge(4, 1, EdgeType.SEMANTIC, 0.9, "it")]


def test_json_there_and_back_loses_nothing(graph: UtteranceGraph) -> None:
    again = UtteranceGraph.from_dict(json.loads(json.dumps(graph.to_dict())))
    assert list(again.edges()) == list(graph.edges())
    assert again.to_dict() == graph.to_dict()
    assert again.neighbours([0], depth=3) == graph.neighbours([0], depth=3)


def test_unknown_utterances_are_refused(graph: UtteranceGraph) -> None:
    with pytest.raises(ValueError, match="no utterance 5"):
        graph.neighbours([5])
    with pytest.raises(ValueError, match="leaves the 5 utterances"):
        graph.add_edges([Edge(0, 9, EdgeType.TEMPORAL)])


def test_an_empty_meeting_has_an_empty_graph() -> None:
    graph = UtteranceGraph([])
    assert len(graph) == 0
    assert graph.neighbours([]) == []
    assert UtteranceGraph.from_dict(graph.to_dict()).to_dict() == {"speakers": [], "edges": []}

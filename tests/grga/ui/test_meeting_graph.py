"""The part of the graph that is drawn around a line."""

from __future__ import annotations

import pytest

from grga.graph.graph import UtteranceGraph
from grga.types import Edge, EdgeType, Meeting, Speaker, TimeSpan, Utterance
from grga.ui.graph_view import graph_model


@pytest.fixture
def graph(meeting: Meeting) -> UtteranceGraph:
    edges = [
        Edge(0, 1, EdgeType.TEMPORAL, 0.9),
        Edge(1, 0, EdgeType.REPLY_TO, 0.7, "question"),
        Edge(0, 2, EdgeType.ENTITY, 0.6, "offer"),
        Edge(2, 3, EdgeType.SEMANTIC, 0.5),
    ]
    return UtteranceGraph([one.speaker for one in meeting.utterances], edges)


def test_one_step_shows_what_touches_the_line(meeting: Meeting, graph: UtteranceGraph) -> None:
    drawn = graph_model(meeting, graph, [1])
    assert [(node["id"], node["speaker"]) for node in drawn["nodes"]] == [(0, 0), (1, 1)]
    assert sorted(edge[2] for edge in drawn["edges"]) == ["reply_to", "temporal"]
    assert [0, 1, "temporal", 0.9, ""] in drawn["edges"]
    assert drawn["more"] == 0


def test_two_steps_lead_further_and_kinds_can_be_left_out(meeting: Meeting, graph: UtteranceGraph) -> None:
    assert [node["id"] for node in graph_model(meeting, graph, [1], depth=2)["nodes"]] == [0, 1, 2]
    words_only = graph_model(meeting, graph, [1], depth=2, types=[EdgeType.REPLY_TO])
    assert [node["id"] for node in words_only["nodes"]] == [0, 1]
    assert {edge[2] for edge in words_only["edges"]} == {"reply_to"}


def test_a_speakers_own_turns_are_linked_without_their_id(meeting: Meeting, graph: UtteranceGraph) -> None:
    drawn = graph_model(meeting, graph, [2], types=[EdgeType.SAME_SPEAKER])
    assert drawn["edges"] == [[0, 2, "same_speaker", 1.0, ""]]


def test_the_evidence_of_an_answer_stands_in_the_middle(meeting: Meeting, graph: UtteranceGraph) -> None:
    assert graph_model(meeting, graph, [3, 0])["around"] == [3, 0]


def test_what_finds_no_room_is_counted() -> None:
    spoken = tuple(Utterance(id, "S1", TimeSpan(id, id + 1), "x" * 300) for id in range(60))
    meeting = Meeting("long", "Long", 60.0, spoken, (Speaker("S1", "Ann"),))
    star = UtteranceGraph(["S1"] * 60, [Edge(0, id, EdgeType.SEMANTIC, 0.5) for id in range(1, 60)])
    drawn = graph_model(meeting, star, [0], types=[EdgeType.SEMANTIC])
    assert len(drawn["nodes"]) == 40
    assert drawn["more"] == 20
    assert len(drawn["nodes"][1]["text"]) < 250


def test_a_line_that_does_not_exist_is_refused(meeting: Meeting, graph: UtteranceGraph) -> None:
    with pytest.raises(ValueError, match="no utterance 99"):
        graph_model(meeting, graph, [99])

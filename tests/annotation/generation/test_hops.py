"""Hops: the least number of edges that hold the evidence together."""

from __future__ import annotations

import pytest

from annotation.generation.hops import hop_count
from grga.graph.graph import UtteranceGraph
from grga.types import Edge, EdgeType

#   0(A) 1(B) 2(C) 3(D) 4(E) 5(A) 6(F): time links neighbours, 0 and 6 share an entity.
GRAPH = UtteranceGraph(
    ["A", "B", "C", "D", "E", "A", "F"],
    [Edge(id, id + 1, EdgeType.TEMPORAL) for id in range(6)]
    + [Edge(0, 6, EdgeType.ENTITY, 0.3), Edge(0, 5, EdgeType.SAME_SPEAKER)],
)


@pytest.mark.parametrize(
    ("evidence", "hops"),
    [
        ((3,), 0),
        ((3, 3), 0),
        ((1, 2), 1),
        ((0, 6), 1),  # by the shared entity, whatever its weight
        ((0, 5), 1),  # one speaker: as if all pairs were linked
        ((1, 5), 2),  # to the speaker's other turn, and on in time
        ((1, 2, 3), 2),
        ((1, 6), 2),
        ((0, 3, 6), 4),  # 0-6 by the entity, and three steps in time to 3
    ],
)
def test_hops_by_hand(evidence: tuple[int, ...], hops: int) -> None:
    assert hop_count(GRAPH, evidence) == hops


def test_all_turns_of_one_speaker_take_one_edge_each() -> None:
    graph = UtteranceGraph(["A", "B"] * 10, [Edge(id, id + 1, EdgeType.TEMPORAL) for id in range(19)])
    assert hop_count(graph, range(0, 20, 2)) == 9


def test_parts_that_no_edge_links_are_linked_by_time() -> None:
    assert hop_count(UtteranceGraph(["A", "B", "C"]), (0, 2)) == 2


def test_an_utterance_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no utterance 7: this meeting has 7"):
        hop_count(GRAPH, (0, 7))

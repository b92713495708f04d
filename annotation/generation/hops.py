"""How many steps in the graph it takes to hold the evidence of an answer together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from grga.graph.graph import UtteranceGraph
from grga.types import EdgeType


def hop_count(graph: UtteranceGraph, evidence: Sequence[int]) -> int:
    """Return the number of edges that connect the evidence; 0 for a single utterance.

    Edges of all five types count alike and in both directions; any two utterances of one speaker are one
    edge apart. For two utterances this is the shortest path. For more, it is the minimum spanning tree over
    the shortest paths between them: at most twice the smallest connecting tree (Kou, Markowsky and Berman,
    1981), and exact when all are neighbours. Every utterance is reached, for all are linked in time.

    Raises:
        ValueError: an utterance that the graph does not have.
    """
    import networkx as nx

    ids = sorted(set(evidence))
    for id in ids:
        if not 0 <= id < len(graph):
            raise ValueError(f"no utterance {id}: this meeting has {len(graph)}")
    walkable = _walkable(graph)
    distances = nx.Graph()
    for place, id in enumerate(ids):
        reached = nx.single_source_dijkstra_path_length(walkable, id)
        distances.add_weighted_edges_from((id, other, reached[other]) for other in ids[place + 1 :])
    tree = nx.minimum_spanning_tree(distances)
    total: float = tree.size(weight="weight")
    return round(total)


@lru_cache(maxsize=4)
def _walkable(graph: UtteranceGraph) -> Any:
    """Return the graph undirected; a speaker is a node half an edge away from each of their utterances.

    Two utterances of one speaker are so one edge apart without storing every pair.
    """
    import networkx as nx

    walkable = nx.Graph()
    walkable.add_nodes_from(range(len(graph)))
    # Time links all: also across a cut in the stored edges nothing is out of reach.
    walkable.add_weighted_edges_from((id, id + 1, 1.0) for id in range(len(graph) - 1))
    walkable.add_weighted_edges_from(
        (edge.source, edge.target, 1.0) for edge in graph.edges() if edge.type is not EdgeType.SAME_SPEAKER
    )
    for id, speaker in graph.networkx.nodes(data="speaker"):
        walkable.add_edge(id, ("speaker", speaker), weight=0.5)
    return walkable

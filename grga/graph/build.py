"""Build the graph of a meeting from its utterances."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from grga.graph.edges import BUILDERS, EdgeBuilder
from grga.graph.graph import UtteranceGraph
from grga.graph.prepared import Prepared
from grga.registry import load
from grga.types import EdgeType, Utterance

REPLY_WINDOW = 5.0


def build_graph(
    utterances: Sequence[Utterance],
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    reply_window: float = REPLY_WINDOW,
) -> UtteranceGraph:
    """Return the graph with all five relations; time and size grow linearly with the meeting.

    Args:
        utterances: In time order, ids 0..n-1.
        vectors: Their unit vectors (n, d); without them coreference rests on words and nearness alone.
        reply_window: The paper's delta t in seconds.

    Raises:
        ValueError: ids that are not 0..n-1, or not one vector per utterance.
    """
    graph = UtteranceGraph([utterance.speaker for utterance in utterances])
    _add(graph, tuple(BUILDERS), utterances, vectors, reply_window)
    return graph


def rebuild_graph(
    stored: UtteranceGraph,
    utterances: Sequence[Utterance],
    types: Collection[EdgeType],
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    reply_window: float = REPLY_WINDOW,
) -> UtteranceGraph:
    """Return ``stored`` with the relations of these ``types`` built again from changed ``utterances``.

    Args:
        stored: The graph of the same utterances with other texts or speakers.
        utterances, vectors, reply_window: As for :func:`build_graph`.
        types: What the changes touch; edges of other types are taken over.
    """
    graph = UtteranceGraph([utterance.speaker for utterance in utterances])
    graph.add_edges(edge for edge in stored.edges() if edge.type not in types)
    _add(graph, [name for name in BUILDERS if EdgeType(name) in types], utterances, vectors, reply_window)
    return graph


def _add(
    graph: UtteranceGraph,
    names: Sequence[str],
    utterances: Sequence[Utterance],
    vectors: npt.NDArray[np.float32] | None,
    reply_window: float,
) -> None:
    if any(utterance.id != row for row, utterance in enumerate(utterances)):
        raise ValueError("utterance ids must be 0..n-1 in order")
    prepared = Prepared(utterances, vectors)
    for name in names:
        options = {"window": reply_window} if name == "reply_to" else {}
        builder: EdgeBuilder = load("edge type", name, BUILDERS)(**options)
        graph.add_edges(builder.build(prepared))

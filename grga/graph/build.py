"""Build the graph of a meeting from its utterances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from grga.graph.edges import BUILDERS, EdgeBuilder
from grga.graph.graph import UtteranceGraph
from grga.graph.prepared import Prepared
from grga.registry import load
from grga.types import Utterance

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
    if any(utterance.id != row for row, utterance in enumerate(utterances)):
        raise ValueError("utterance ids must be 0..n-1 in order")
    prepared = Prepared(utterances, vectors)
    graph = UtteranceGraph([utterance.speaker for utterance in utterances])
    for name in BUILDERS:
        options = {"window": reply_window} if name == "reply_to" else {}
        builder: EdgeBuilder = load("edge type", name, BUILDERS)(**options)
        graph.add_edges(builder.build(prepared))
    return graph

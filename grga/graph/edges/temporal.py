"""``temporal``: each utterance to the next."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from grga.graph.prepared import Prepared
from grga.types import Edge, EdgeType


@dataclass(frozen=True)
class TemporalEdges:
    """v_i -> v_(i+1); the weight halves for every ``half_life`` seconds of silence between them."""

    half_life: float = 30.0

    def build(self, prepared: Prepared) -> list[Edge]:
        """Return one edge per pair of neighbours."""
        spoken = prepared.utterances
        edges = []
        for earlier, later in pairwise(spoken):
            silence = max(0.0, later.start - earlier.end)
            edges.append(Edge(earlier.id, later.id, EdgeType.TEMPORAL, 0.5 ** (silence / self.half_life)))
        return edges

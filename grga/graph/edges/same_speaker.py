"""``same_speaker``: one chain per speaker."""

from __future__ import annotations

from dataclasses import dataclass

from grga.graph.prepared import Prepared
from grga.types import Edge, EdgeType


@dataclass(frozen=True)
class SameSpeakerEdges:
    """Each turn to the same speaker's next turn; the graph walks a chain as if all pairs were linked."""

    def build(self, prepared: Prepared) -> list[Edge]:
        """Return the links of all chains; the label is the speaker."""
        latest: dict[str, int] = {}
        edges = []
        for utterance in prepared.utterances:
            speaker = utterance.speaker
            if speaker in latest:
                edges.append(Edge(latest[speaker], utterance.id, EdgeType.SAME_SPEAKER, 1.0, speaker))
            latest[speaker] = utterance.id
        return edges

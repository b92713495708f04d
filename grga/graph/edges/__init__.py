"""Edge builders: one per relation. Each takes the prepared utterances and returns edges."""

from typing import Protocol

from grga.graph.prepared import Prepared
from grga.types import Edge

BUILDERS = {
    "temporal": "grga.graph.edges.temporal:TemporalEdges",
    "reply_to": "grga.graph.edges.reply_to:ReplyEdges",
    "same_speaker": "grga.graph.edges.same_speaker:SameSpeakerEdges",
    "entity": "grga.graph.edges.entity:EntityEdges",
    "semantic": "grga.graph.edges.semantic:SemanticEdges",
}


class EdgeBuilder(Protocol):
    """Finds one relation. Its thresholds are its fields; its edges grow linearly with the meeting."""

    def build(self, prepared: Prepared) -> list[Edge]:
        """Return the edges of this relation."""
        ...

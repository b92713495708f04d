"""``reply_to``: one speaker takes up another within a few seconds."""

from __future__ import annotations

from dataclasses import dataclass

from grga.graph.prepared import Prepared
from grga.types import Edge, EdgeType, Utterance


@dataclass(frozen=True)
class ReplyEdges:
    """v_i -> v_j: other speaker, v_j starts less than ``window`` seconds after v_i ends, or before that.

    Each v_j replies to the latest turn of at most ``max_sources`` other speakers, so there are at most
    ``max_sources`` edges per utterance however much people interrupt. A later start weighs less; so does
    a mere "mm-hmm". The label is "interruption" when v_j starts before v_i has ended, else "reply".
    """

    window: float = 5.0
    max_sources: int = 3
    backchannel_weight: float = 0.4

    def build(self, prepared: Prepared) -> list[Edge]:
        """Return the edges, in order of the reply."""
        latest: dict[str, Utterance] = {}  # the last turn of each speaker, oldest first
        edges: list[Edge] = []
        for reply in prepared.utterances:
            sources: list[Utterance] = []
            for speaker, turn in reversed(latest.items()):
                if len(sources) == self.max_sources:
                    break
                if speaker != reply.speaker and reply.start - turn.end < self.window:
                    sources.append(turn)
            edges.extend(self._edge(turn, reply, prepared.backchannel[reply.id]) for turn in sources)
            latest.pop(reply.speaker, None)
            latest[reply.speaker] = reply
        return edges

    def _edge(self, turn: Utterance, reply: Utterance, backchannel: bool) -> Edge:
        gap = reply.start - turn.end
        weight = 1.0 - 0.5 * max(0.0, gap) / self.window
        if backchannel:
            weight *= self.backchannel_weight
        return Edge(turn.id, reply.id, EdgeType.REPLY_TO, weight, "interruption" if gap < 0 else "reply")

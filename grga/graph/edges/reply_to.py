"""``reply_to``: one speaker takes up another within a few seconds."""

from __future__ import annotations

from dataclasses import dataclass

from grga.graph.prepared import Prepared
from grga.types import Edge, EdgeType, Utterance

# How many turns that have ended within the window, or not yet, are looked at.
_REMEMBERED = 40
# Words recognised while two talk stay with whoever began, so who cuts in has words only when the other ends.
_CUT_IN = 0.3


@dataclass(frozen=True)
class ReplyEdges:
    """v_i -> v_j: other speaker, v_j starts less than ``window`` seconds after v_i ends, or before that.

    Each v_j is linked to the ``max_sources`` such turns that ended last, so edges grow with the number of
    utterances however much people interrupt. The weight falls as the pause grows; it is smaller for a mere
    "mm-hmm" (times ``backchannel_weight``) and for a turn whose speaker has spoken again in between (times
    ``superseded_weight``). The label is "interruption" when v_j starts before v_i has ended, or within 0.3 s
    after when its speaker already talked during v_i (``second_speaker``); else "reply".
    """

    window: float = 5.0
    max_sources: int = 5
    backchannel_weight: float = 0.4
    superseded_weight: float = 0.5

    def build(self, prepared: Prepared) -> list[Edge]:
        """Return the edges, in order of the reply."""
        recent: list[Utterance] = []
        edges: list[Edge] = []
        for reply in prepared.utterances:
            recent = [turn for turn in recent if reply.start - turn.end < self.window][-_REMEMBERED:]
            sources = [turn for turn in recent if turn.speaker != reply.speaker]
            sources.sort(key=lambda turn: (-turn.end, turn.id))
            latest = {turn.speaker: turn.id for turn in recent}
            for turn in sources[: self.max_sources]:
                factor = self.backchannel_weight if prepared.backchannel[reply.id] else 1.0
                if latest[turn.speaker] != turn.id:
                    factor *= self.superseded_weight
                edges.append(self._edge(turn, reply, factor))
            recent.append(reply)
        return edges

    def _edge(self, turn: Utterance, reply: Utterance, factor: float) -> Edge:
        gap = reply.start - turn.end
        weight = factor * (1.0 - 0.5 * max(0.0, gap) / self.window)
        cuts_in = gap < 0 or (gap < _CUT_IN and turn.second_speaker == reply.speaker)
        return Edge(turn.id, reply.id, EdgeType.REPLY_TO, weight, "interruption" if cuts_in else "reply")

"""The graph of one meeting: utterances joined by five relations."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from grga.types import Edge, EdgeType

DECAY = 0.7
"""What one more step away costs."""

TRUST = {
    EdgeType.TEMPORAL: 0.6,
    EdgeType.REPLY_TO: 0.9,
    EdgeType.SAME_SPEAKER: 0.4,
    EdgeType.ENTITY: 0.8,
    EdgeType.SEMANTIC: 1.0,
}
"""How much a relation of each type says about what belongs together."""

SAME_SPEAKER_CAP = 12


class Reached(NamedTuple):
    """An utterance reached by walking: ``score`` in 0..1, ``depth`` steps away, by ``edge`` at last."""

    id: int
    score: float
    depth: int
    edge: Edge


class UtteranceGraph:
    """A ``networkx.MultiDiGraph`` whose nodes are utterance ids; at most one edge per pair and type.

    ``same_speaker`` edges are stored as one chain per speaker (their number grows with the meeting, not
    with its square); walking treats every two utterances of a speaker as linked.

    Args:
        speakers: The speaker id of every utterance, in id order.
        edges: The relations between them.
    """

    def __init__(self, speakers: Sequence[str], edges: Iterable[Edge] = ()) -> None:
        import networkx as nx

        self._graph: Any = nx.MultiDiGraph()
        self._speakers = tuple(speakers)
        self._turns: dict[str, list[int]] = {}
        for utterance, speaker in enumerate(self._speakers):
            self._graph.add_node(utterance, speaker=speaker)
            self._turns.setdefault(speaker, []).append(utterance)
        self.add_edges(edges)

    def __len__(self) -> int:
        return len(self._speakers)

    @property
    def networkx(self) -> Any:
        """The graph itself; nodes carry ``speaker``, edges (keyed by type) ``weight`` and ``label``."""
        return self._graph

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Add relations; of two with the same ends and type the heavier one stays.

        Raises:
            ValueError: an edge to or from an utterance that does not exist.
        """
        for edge in edges:
            if not (0 <= edge.source < len(self) and 0 <= edge.target < len(self)):
                raise ValueError(f"{edge} leaves the {len(self)} utterances of this meeting")
            known = self._graph.get_edge_data(edge.source, edge.target, edge.type)
            if known is None or known["weight"] < edge.weight:
                self._graph.add_edge(
                    edge.source, edge.target, key=edge.type, weight=edge.weight, label=edge.label
                )

    def edges(self, type: EdgeType | None = None) -> Iterator[Edge]:
        """Return the stored edges, all or of one type, in order of their source."""
        for source, target, key, data in self._graph.edges(keys=True, data=True):
            if type is None or key == type:
                yield Edge(source, target, key, data["weight"], data["label"])

    def counts(self) -> dict[EdgeType, int]:
        """Return how many edges of each type are stored (every type is there, if need be with 0)."""
        counted = Counter(key for _, _, key in self._graph.edges(keys=True))
        return {type: counted[type] for type in EdgeType}

    def without(self, type: EdgeType) -> UtteranceGraph:
        """Return a graph of the same utterances that lacks one relation, for measuring what it is worth."""
        # The relation between utterances of one speaker is read from the speakers, not from stored edges.
        alone = type is EdgeType.SAME_SPEAKER
        speakers = [str(utterance) for utterance in range(len(self))] if alone else self._speakers
        return UtteranceGraph(speakers, (edge for edge in self.edges() if edge.type is not type))

    def around(
        self,
        utterance: int,
        relations: Collection[EdgeType] | None = None,
        *,
        same_speaker: int | None = SAME_SPEAKER_CAP,
    ) -> Iterator[tuple[int, Edge]]:
        """Return ``(other end, edge)`` for every relation of one utterance, in either direction.

        ``same_speaker`` limits that relation to the nearest so many turns; None means all of them.
        """
        wanted = frozenset(EdgeType if relations is None else relations)
        for source, target, key, data in self._graph.out_edges(utterance, keys=True, data=True):
            if key in wanted and key != EdgeType.SAME_SPEAKER:
                yield target, Edge(source, target, key, data["weight"], data["label"])
        for source, target, key, data in self._graph.in_edges(utterance, keys=True, data=True):
            if key in wanted and key != EdgeType.SAME_SPEAKER:
                yield source, Edge(source, target, key, data["weight"], data["label"])
        if EdgeType.SAME_SPEAKER in wanted:
            yield from self._same_speaker(utterance, same_speaker)

    def neighbours(
        self,
        ids: Iterable[int],
        *,
        depth: int = 1,
        relations: Collection[EdgeType] | None = None,
        same_speaker: int | None = SAME_SPEAKER_CAP,
    ) -> list[Reached]:
        """Return what can be reached from ``ids`` in at most ``depth`` steps, best first.

        A path's score is the product over its steps of ``DECAY``, the type's ``TRUST`` and the edge's
        weight; an utterance keeps its best path. The starting ids are not among the results.

        Raises:
            ValueError: an id that is no utterance of this meeting.
        """
        start = dict.fromkeys(ids, 1.0)
        for utterance in start:
            if not 0 <= utterance < len(self):
                raise ValueError(f"no utterance {utterance}: this meeting has {len(self)}")
        best: dict[int, Reached] = {}
        frontier: dict[int, float] = start
        for step in range(1, depth + 1):
            improved: dict[int, float] = {}
            for utterance, score in frontier.items():
                for other, edge in self.around(utterance, relations, same_speaker=same_speaker):
                    reach = score * DECAY * TRUST[edge.type] * edge.weight
                    if other in start or (other in best and best[other].score >= reach):
                        continue
                    best[other] = Reached(other, reach, step, edge)
                    improved[other] = reach
            frontier = improved
        return sorted(best.values(), key=lambda found: (-found.score, found.id))

    def to_dict(self) -> dict[str, Any]:
        """Return the graph as JSON-able data; :meth:`from_dict` gives back an equal graph."""
        return {
            "speakers": list(self._speakers),
            "edges": [[e.source, e.target, e.type.value, e.weight, e.label] for e in self.edges()],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> UtteranceGraph:
        """Return the graph that :meth:`to_dict` wrote."""
        edges = (Edge(s, t, EdgeType(type), weight, label) for s, t, type, weight, label in data["edges"])
        return cls(data["speakers"], edges)

    def _same_speaker(self, utterance: int, cap: int | None) -> Iterator[tuple[int, Edge]]:
        """Yield the speaker's other turns, nearest first; the weight falls with turns in between."""
        speaker = self._speakers[utterance]
        turns = self._turns[speaker]
        before = bisect_left(turns, utterance) - 1
        after = before + 2
        left = len(turns) - 1 if cap is None else cap
        while left > 0 and (before >= 0 or after < len(turns)):
            earlier = utterance - turns[before] if before >= 0 else math.inf
            later = turns[after] - utterance if after < len(turns) else math.inf
            if earlier <= later:
                other, between = turns[before], bisect_left(turns, utterance) - before
                before -= 1
            else:
                other, between = turns[after], after - bisect_left(turns, utterance)
                after += 1
            ends = (other, utterance) if other < utterance else (utterance, other)
            yield other, Edge(*ends, EdgeType.SAME_SPEAKER, 1 / between, speaker)
            left -= 1

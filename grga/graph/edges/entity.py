"""``entity``: utterances that share a name or a rare word, or take each other up by a discourse cue."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grga.graph.edges.discourse import relation
from grga.graph.prepared import Prepared
from grga.types import Edge, EdgeType

Pairs = dict[tuple[int, int], tuple[float, list[str]]]
"""(earlier, later) -> weight and what they share."""


@dataclass(frozen=True)
class EntityEdges:
    """Earlier mention -> later mention, labelled with what they share.

    Attributes:
        max_terms: How many of its words, the rarest, an utterance is linked by.
        max_links: To how many earlier mentions of a word it is linked (the latest ones).
        hub_share: A word in more than this share of the utterances is what the meeting is about: it links
            everything with everything and so says nothing.
        hub_floor, hub_ceiling: Fewer mentions never make such a hub (short meetings), more always do.
        discourse_weight: Weight of an edge that rests on a cue ("answers", "disagrees") alone.
        discourse_window: How many utterances back a cue may point.
    """

    max_terms: int = 5
    max_links: int = 2
    hub_share: float = 0.06
    hub_floor: int = 15
    hub_ceiling: int = 60
    discourse_weight: float = 0.5
    discourse_window: int = 4

    def build(self, prepared: Prepared) -> list[Edge]:
        """Return at most ``max_terms * max_links + 1`` edges per utterance, one per pair."""
        shared = self._shared([self._mentions(prepared, one.id) for one in prepared.utterances])
        for pair, label in self._cues(prepared).items():
            weight, words = shared.get(pair, (0.0, []))
            shared[pair] = (1 - (1 - weight) * (1 - self.discourse_weight), [label, *words])
        return _edges(shared)

    def link(self, mentions: Sequence[Mapping[str, str]]) -> list[Edge]:
        """Return the edges of given mentions: per utterance, key -> shown form of what it speaks of."""
        return _edges(self._shared(mentions))

    def _shared(self, mentions: Sequence[Mapping[str, str]]) -> Pairs:
        """Return for each linked pair the weight (independent words add up to at most 1) and the words."""
        frequency = Counter(term for terms in mentions for term in terms)
        total = len(mentions)
        hub = min(max(self.hub_floor, self.hub_share * total), self.hub_ceiling)
        earlier: dict[str, list[int]] = {}
        pairs: Pairs = {}
        for utterance, terms in enumerate(mentions):
            linking = [term for term in terms if 2 <= frequency[term] <= hub]
            linking.sort(key=lambda term: (frequency[term], term))
            for rank, term in enumerate(linking):
                known = earlier.setdefault(term, [])
                if rank < self.max_terms:
                    rarity = 0.8 * math.log(1 + total / frequency[term]) / math.log(1 + total / 2)
                    for source in known[-self.max_links :]:
                        weight, words = pairs.get((source, utterance), (0.0, []))
                        pairs[source, utterance] = (1 - (1 - weight) * (1 - rarity), [*words, terms[term]])
                known.append(utterance)
        return pairs

    def _mentions(self, prepared: Prepared, utterance: int) -> dict[str, str]:
        """Return key -> shown form of the words and names in one utterance."""
        if prepared.backchannel[utterance]:
            return {}
        found = dict(prepared.terms[utterance])
        found.update({name.lower(): name for name in prepared.names[utterance]})
        return found

    def _cues(self, prepared: Prepared) -> dict[tuple[int, int], str]:
        """Return (taken up, takes up) -> relation, each utterance looking at the last other speaker."""
        cues: dict[tuple[int, int], str] = {}
        for later in prepared.utterances:
            if prepared.backchannel[later.id]:
                continue
            for index in range(later.id - 1, max(-1, later.id - 1 - self.discourse_window), -1):
                earlier = prepared.utterances[index]
                if prepared.backchannel[index] or earlier.speaker == later.speaker:
                    continue
                if name := relation(earlier.text, later.text):
                    cues[index, later.id] = name
                break
        return cues


def _edges(pairs: Pairs) -> list[Edge]:
    return [
        Edge(source, target, EdgeType.ENTITY, weight, ", ".join(words))
        for (source, target), (weight, words) in pairs.items()
    ]

"""Traversal: walk the graph's relations from what was found."""

from __future__ import annotations

from pydantic import Field

from grga.agent.steps import Found
from grga.agent.tools.base import Arguments, Context, Nodes, Result
from grga.types import EdgeType


class TraverseArguments(Arguments):
    """``relations`` empty walks all five."""

    nodes: Nodes = Field(description='an earlier result ("r1") or utterance ids')
    depth: int = Field(1, ge=1, le=6, description="how many edges to walk")
    relations: tuple[EdgeType, ...] = Field((), description="edge types to follow; none = all")
    limit: int = Field(50, ge=1, le=1000, description="most utterances to return")


class TraverseRelations:
    """Utterances linked to the given ones, both directions, the best linked first."""

    name = "traverse_relations"
    description = (
        "Walk from utterances along temporal, reply_to, same_speaker, entity or semantic edges, "
        "forwards and backwards; to gather scattered context or follow a thread."
    )
    arguments = TraverseArguments
    needs: frozenset[str] = frozenset()

    def run(self, arguments: TraverseArguments, context: Context) -> Result:
        """Return what is reached; ``why`` tells the edge that led there ("reply_to: 12 → 13")."""
        starts = [one.id for one in context.resolve(arguments.nodes)]
        reached = context.meeting.graph.neighbours(
            starts, depth=arguments.depth, relations=arguments.relations or None
        )
        found = []
        for one in reached:
            edge = one.edge
            label = f" ({edge.label})" if edge.label else ""
            why = f"{edge.type}: {edge.source} → {edge.target}{label}"
            found.append(Found(one.id, round(float(one.score), 4), why))
        return Result(context.allowed(found)[: arguments.limit])

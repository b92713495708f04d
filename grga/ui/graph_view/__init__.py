"""What is connected with an utterance, or with the evidence of an answer; drawn by the script beside this."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grga.graph.graph import UtteranceGraph
from grga.types import Edge, EdgeType, Meeting
from grga.ui.render import badges, escape

FOLDER = Path(__file__).resolve().parent
SCRIPTS = ("layout", "graph")
MOST_NODES = 40
NEAREST_TURNS = 2
"""How many other turns of one speaker are shown around a turn of theirs."""
LONGEST_TEXT = 240


def script() -> str:
    """Return the JavaScript of the element, its names its own; it needs that of the timeline before it."""
    inside = "\n".join((FOLDER / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return f"{{\n{inside}\n}}"


def graph_html(meeting_id: str, ids: Iterable[int] = (), depth: int = 1) -> str:
    """Return the graph around utterances of a meeting; without ids it waits until a line asks for it."""
    around = ",".join(str(id) for id in ids)
    return (
        f'<grga-graph data-meeting="{escape(meeting_id)}" data-around="{escape(around)}" '
        f'data-source="grga/meetings/{escape(meeting_id)}/graph.json" data-depth="{depth}"></grga-graph>'
    )


def graph_model(
    meeting: Meeting,
    graph: UtteranceGraph,
    around: Sequence[int],
    depth: int = 1,
    types: Collection[EdgeType] = tuple(EdgeType),
    most: int = MOST_NODES,
) -> dict[str, Any]:
    """Return the nearest utterances and the relations among them.

    ``nodes`` are in order of time, each with its speaker's place in ``speakers``; ``edges`` are
    ``[source, target, type, weight, label]``; ``more`` counts the utterances that found no room.

    Raises:
        ValueError: an id that is no utterance of this meeting.
    """
    centre = list(dict.fromkeys(around))[:most]
    reached = graph.neighbours(centre, depth=depth, relations=types, same_speaker=NEAREST_TURNS)
    near = reached[: most - len(centre)]
    depths = dict.fromkeys(centre, 0) | {one.id: one.depth for one in near}
    shown = sorted(depths)
    marks = badges(meeting)
    return {
        "around": centre,
        "depth": depth,
        "speakers": [
            {"letter": marks[one.id].letter, "hue": marks[one.id].hue, "name": one.name}
            for one in meeting.speakers
        ],
        "nodes": [_node(meeting, id, marks[meeting.utterances[id].speaker].lane) for id in shown],
        "edges": [
            [e.source, e.target, e.type.value, round(e.weight, 2), _label(e)]
            for e in _edges(graph, depths, depth, types)
        ],
        "more": max(0, len(reached) + len(centre) - len(shown)),
    }


def _edges(
    graph: UtteranceGraph, depths: Mapping[int, int], depth: int, types: Collection[EdgeType]
) -> list[Edge]:
    """Return the relations that lead on from the middle; those between two outermost nodes are left out."""
    found: dict[tuple[int, int, EdgeType], Edge] = {}
    for id, steps in sorted(depths.items()):
        if steps < depth:
            for other, edge in graph.around(id, types, same_speaker=NEAREST_TURNS):
                if other in depths:
                    found[edge.source, edge.target, edge.type] = edge
    return list(found.values())


def _node(meeting: Meeting, id: int, lane: int) -> dict[str, Any]:
    spoken = meeting.utterances[id]
    text = spoken.text if len(spoken.text) <= LONGEST_TEXT else spoken.text[: LONGEST_TEXT - 1] + "…"
    return {
        "id": id,
        "start": round(spoken.start, 2),
        "end": round(spoken.end, 2),
        "speaker": lane,
        "text": text,
    }


def _label(edge: Edge) -> str:
    """Say why; the chain of a speaker's turns carries only an id, which is nobody's name."""
    return "" if edge.type == EdgeType.SAME_SPEAKER else edge.label

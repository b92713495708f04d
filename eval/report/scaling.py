"""Seconds against length, as a table and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eval.report.figures import COLOURS, INK, new, tidy
from eval.report.tables import Table, number
from eval.scaling import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINES = (
    ("embed", "vectors", "o", "-"),
    ("graph", "graph", "s", "--"),
    ("index", "BM25 and FAISS", "^", ":"),
)


def table(points: Sequence[Point]) -> Table:
    """Return a row per length."""
    rows = tuple(
        (
            f"{one.utterances:,}",
            number(one.minutes, 0),
            f"{one.edges:,}",
            *(number(value, 3) for value in (one.embed, one.graph, one.index, one.ask, one.ask_slowest)),
            number(1000 * one.graph / one.utterances, 3),
        )
        for one in points
    )
    head = (
        "Utterances",
        "Minutes",
        "Edges",
        "Vectors, s",
        "Graph, s",
        "BM25 and FAISS, s",
        "Question, median s",
        "Question, slowest s",
        "Graph, ms per utterance",
    )
    return Table("Seconds of indexing and asking by length, one meeting repeated", head, rows)


def figure(points: Sequence[Point]) -> Figure:
    """Draw indexing and asking against length, lengths logarithmic; a grey line shows linear growth."""
    drawing = new(8.2, 3.6)
    indexing, asking = drawing.subplots(1, 2)
    lengths = [one.utterances for one in points]
    for (name, label, marker, style), colour in zip(_LINES, COLOURS, strict=False):
        seconds = [getattr(one, name) for one in points]
        indexing.plot(lengths, seconds, style, marker=marker, color=colour, label=label, markersize=5)
    least = points[0].graph * 0.5
    linear = [least * length / lengths[0] for length in lengths]
    indexing.plot(lengths, linear, color=INK, alpha=0.3, linewidth=1, label="linear growth")
    indexing.set_title("Indexing", fontsize=10)
    asking.plot(
        lengths, [one.ask for one in points], "-o", color=COLOURS[0], label="median question", markersize=5
    )
    asking.plot(
        lengths,
        [one.ask_slowest for one in points],
        "--s",
        color=COLOURS[1],
        label="slowest question",
        markersize=5,
    )
    asking.set_title("Asking GRGA, offline", fontsize=10)
    for panel in (indexing, asking):
        tidy(panel)
        panel.set_xscale("log")
        panel.set_xticks(lengths, [f"{length:,}" for length in lengths])
        panel.minorticks_off()
        panel.set_xlabel("Utterances", fontsize=9)
        panel.legend(fontsize=8, frameon=False)
    indexing.set_yscale("log")
    indexing.set_ylabel("Seconds", fontsize=9)
    asking.set_ylim(bottom=0)
    return drawing

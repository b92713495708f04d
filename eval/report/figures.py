"""Figures of the bench, drawn without a window: each function returns a ``Figure`` to be saved or shown inline."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from eval import stats
from eval.report.bench import by_system
from eval.runs import RunRecord
from eval.scorers import citations
from eval.stats import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#c2410c", "#2b6cb0", "#2f855a", "#97266d", "#b7791f", "#4c51bf")
HATCHES = ("", "//", "..", "xx", "\\\\", "++")
"""Told apart without colour too."""
INK = "#1d1b18"
DRAWN = "drawn by GRGA's measuring bench"

Records = Sequence[RunRecord]


def new(width: float, height: float) -> Figure:
    """Return an empty figure; inches. No pyplot: no window, no global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def tidy(panel: Axes, *, grid: str = "y") -> None:
    """Take off what a reader does not need; ``grid`` is "x" or "y"."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis=grid, linewidth=0.5, alpha=0.4)  # type: ignore[arg-type]
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=8)


def readable(ground: Sequence[float]) -> str:
    """Return the text colour, ink or white, that stands out more from ``ground`` (r, g, b in 0..1)."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in ground[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.06 else INK


def shown_name(system: str) -> str:
    """Return a system's name for people: "grga" → "GRGA", "text_rag" → "Text RAG"."""
    first, *others = system.replace("_", " ").split(" ")
    return " ".join(
        [_NAMES.get(first, first[:1].upper() + first[1:]), *(_NAMES.get(word, word) for word in others)]
    )


_NAMES = {"grga": "GRGA", "rag": "RAG"}


def save(drawing: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG, SVG and PDF and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{name}.{ending}" for ending in ("png", "svg", "pdf")]
    for file in files:
        drawing.savefig(file, dpi=200)
    return files


def inline(drawing: Figure, title: str) -> str:
    """Return a figure as an ``<svg>`` element for a page; text stays text, colours follow ``currentColor``."""
    import html

    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        drawing.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": DRAWN})
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    named = f'<svg role="img" aria-label="{html.escape(title, quote=True)}" '
    return named + svg.removeprefix("<svg ")


# --- citations ------------------------------------------------------------------------------------------


def citation_figure(records: Records, *, reported: Mapping[str, Any], label: str) -> Figure:
    """Draw precision against recall per system, the paper's own points in a panel of their own (Figure 5)."""
    drawing = new(8.2, 3.8)
    mine, theirs = drawing.subplots(1, 2, sharex=True, sharey=True)
    found = {}
    for system, given in by_system(records).items():
        counted = [citations.count(one) for one in given if one.item.gold and not one.error]
        if counted:
            rates = citations.rates(counted)
            found[system] = (100 * rates.recall, 100 * rates.precision)
    shown = {name: at for name, at in found.items() if " without " not in name} or found
    _points(mine, shown)
    mine.set_title("Measured here", fontsize=10)
    for number, (corpus, marker) in enumerate((("AMI", "o"), ("AliMeeting", "s"), ("DailyTalk", "^"))):
        _points(
            theirs,
            {system: (values[corpus]["R"], values[corpus]["P"]) for system, values in reported.items()},
            marker=marker,
            named=number == 0,
        )
        theirs.scatter([], [], marker=marker, color="none", edgecolor=INK, label=corpus)
    theirs.set_title(label.capitalize(), fontsize=10)
    theirs.legend(fontsize=8, frameon=False, loc="lower right")
    for panel in (mine, theirs):
        tidy(panel)
        panel.set_xlabel("Recall, %", fontsize=9)
    mine.set_ylabel("Precision, %", fontsize=9)
    mine.set_xlim(0, 100)
    mine.set_ylim(0, 100)
    return drawing


def _points(
    panel: Axes, places: Mapping[str, tuple[float, float]], *, marker: str = "o", named: bool = True
) -> None:
    for number, (name, (recall, precision)) in enumerate(places.items()):
        panel.scatter(recall, precision, s=52, marker=marker, color=_colour(name, number), zorder=3)
        if named:
            right = recall < 80
            panel.annotate(
                shown_name(name),
                (recall, precision),
                xytext=(8 if right else -8, -10),
                textcoords="offset points",
                ha="left" if right else "right",
                fontsize=8,
            )


def _colour(system: str, number: int) -> str:
    """Return a system's colour: of these three the same in every panel, of others by their ``number``."""
    order = ("GRGA", "Text RAG", "Audio RAG")
    name = shown_name(system)
    others = len(COLOURS) - len(order)
    return COLOURS[order.index(name) if name in order else len(order) + number % others]


# --- corpora ---------------------------------------------------------------------------------------------


def distribution_figure(name: str, types: Mapping[str, int]) -> Figure:
    """Draw how many questions of each type a corpus has (the paper's Figure 2, which prints no numbers).

    Args:
        name: Of the corpus.
        types: Type → questions.
    """
    drawing = new(5.6, 2.9)
    panel = drawing.subplots()
    total = sum(types.values()) or 1
    for place, count in enumerate(types.values()):
        colour, hatch = COLOURS[place % len(COLOURS)], HATCHES[place % len(HATCHES)]
        panel.barh(place, count, 0.66, color=colour, hatch=hatch, edgecolor="white")
        text = f"{count:,} ({100 * count / total:.0f} %)"
        panel.annotate(text, (count, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    panel.set_yticks(range(len(types)), list(types))
    panel.invert_yaxis()
    panel.margins(x=0.18)
    panel.set_xlabel("Questions", fontsize=9)
    panel.set_title(f"{name}: {sum(types.values()):,} questions by type", fontsize=10)
    tidy(panel, grid="x")
    return drawing


# --- steps ----------------------------------------------------------------------------------------------


def step_figure(records: Records, system: str, *, reported: Mapping[str, Any], label: str) -> Figure:
    """Draw mean rounds, and calls of each tool stacked, per type of question (the paper's Figure 6).

    The type is the corpus' own or, where it has none, what the system took the question for.
    """
    groups = by_kind([one for one in records if one.system == system and not one.error])
    names = list(groups)
    tools = sorted({tool for given in groups.values() for one in given for tool in one.tools})
    drawing = new(9.6, 3.9)
    questions = sum(map(len, groups.values()))
    drawing.suptitle(f"Measured here: {shown_name(system)}, {questions} questions", fontsize=10)
    rounds, mix = drawing.subplots(1, 2, width_ratios=[1, 1.15])
    for place, name in enumerate(names):
        values = [float(one.rounds) for one in groups[name]]
        found = stats.clustered(_by_meeting(groups[name], values), fmean)
        rounds.bar(place, found.value, 0.62, color=COLOURS[0], yerr=_error(found), **_BARS)
        rounds.annotate(
            f"{found.value:.2f}",
            (place, found.high),
            (0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    rounds.axhline(
        reported["factual_mean_steps"], color=INK, linewidth=1, linestyle=":", label=f"factual, {label}: 1.8"
    )
    rounds.axhline(4, color=INK, linewidth=1, linestyle="--", label="inferential and temporal there: above 4")
    rounds.set_ylim(0, 5.2)
    rounds.set_ylabel("Mean rounds of planning", fontsize=9)
    rounds.legend(fontsize=7, frameon=False, loc="upper left")
    bottoms = [0.0] * len(names)
    for number, tool in enumerate(tools):
        heights = [fmean(one.tools.get(tool, 0) for one in groups[name]) for name in names]
        mix.bar(
            range(len(names)),
            heights,
            0.62,
            bottom=bottoms,
            label=tool,
            color=COLOURS[number % len(COLOURS)],
            hatch=HATCHES[number % len(HATCHES)],
            edgecolor="white",
            linewidth=0.5,
        )
        bottoms = [low + height for low, height in zip(bottoms, heights, strict=True)]
    mix.set_ylabel("Mean calls per question", fontsize=9)
    mix.margins(y=0.06)
    mix.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for panel in (rounds, mix):
        panel.set_xticks(
            range(len(names)),
            [f"{name}\n({len(groups[name])})" for name in names],
            fontsize=8,
        )
        tidy(panel)
    return drawing


_BARS: dict[str, Any] = {
    "capsize": 3,
    "edgecolor": "white",
    "error_kw": {"elinewidth": 1, "ecolor": INK},
}


def by_kind(records: Records) -> dict[str, list[RunRecord]]:
    """Return answers by type of question: the corpus', else what the system took it for."""
    found: dict[str, list[RunRecord]] = {}
    for one in records:
        kind = one.item.type or one.kind
        found.setdefault(kind.value if kind else "untyped", []).append(one)
    order = ("factual", "inferential", "temporal", "summarization", "acoustic", "untyped")
    return {name: found[name] for name in order if name in found}


def _by_meeting(records: Records, values: Sequence[float]) -> list[list[float]]:
    found: dict[str, list[float]] = {}
    for one, value in zip(records, values, strict=True):
        found.setdefault(one.item.meeting, []).append(value)
    return list(found.values())


def _error(found: Interval) -> list[list[float]]:
    """Return how far an error bar goes down and up."""
    return [[found.value - found.low], [found.high - found.value]]

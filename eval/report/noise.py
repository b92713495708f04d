"""The noise grid as tables and as the paper's Figure 7; what the paper reports stands apart, labelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from eval.grid import Cell, Grid, Noise
from eval.report.bench import by_system, citation_f1, citation_f1_difference, percent
from eval.report.figures import new, readable, save, shown_name
from eval.report.paper import LABEL, reported
from eval.report.tables import Table, concise, number
from eval.runs import RunRecord
from eval.stats import Interval
from grga.errors import EvaluationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Measured:
    """A grid as numbers: citation F1 (0..1) by system and cell, and first minus second system by cell."""

    noise: Noise
    f1: Mapping[str, Mapping[Cell, Interval]]
    difference: Mapping[Cell, Interval]
    questions: int
    meetings: int

    @property
    def systems(self) -> list[str]:
        """The systems, the one that others are compared with first."""
        return list(self.f1)

    def level(self, axis: str, name: str) -> str:
        """Return "pipeline, 18.8 %": the level and its mean rate as measured; ``axis`` is "wer" or "der"."""
        rates = getattr(self.noise, f"measured_{axis}").values()
        return f"{name}, {100 * fmean(one[name] for one in rates):.1f} %"


def measure(grid: Grid, *, seed: int = 0) -> Measured:
    """Return the numbers of a grid; only meetings that are answered in all cells count.

    Raises:
        EvaluationError: there is no grid, or nothing is answered.
    """
    noise = grid.noise()
    cells: dict[Cell, dict[str, list[RunRecord]]] = {}
    for cell in noise.cells:
        records = [one for one in grid.run(cell).records() if one.item.meeting in noise.measured_wer]
        cells[cell] = by_system(records)
    systems = list(next(iter(cells.values())))
    if not systems:
        raise EvaluationError(
            f"there are no answers in {grid.folder}", fix="run `python -m eval noise` with --path"
        )
    return Measured(
        noise=noise,
        f1={
            system: {cell: citation_f1(found[system], seed=seed) for cell, found in cells.items()}
            for system in systems
        },
        difference={
            cell: citation_f1_difference(found[systems[0]], found[systems[1]], seed=seed)
            for cell, found in cells.items()
            if len(systems) > 1
        },
        questions=len(cells[noise.cells[0]][systems[0]]),
        meetings=len(noise.measured_wer),
    )


def tables(found: Measured) -> tuple[Table, ...]:
    """Return the grid, and which rates came out of the injection."""
    return grid_table(found), rates_table(found.noise)


def grid_table(found: Measured) -> Table:
    """Return citation F1 in every cell; the paper's accuracies, where it prints them, in columns of their own."""
    paper = reported()["figure7_noise_grid_percent"]
    theirs = {system: paper[system] for system in ("GRGA", "Text RAG")}
    rows = [
        (
            f"words {found.level('wer', cell[0])}; speakers {found.level('der', cell[1])}",
            *(percent(found.f1[system][cell]) for system in found.systems),
            percent(found.difference[cell]) if cell in found.difference else "–",
            *(
                number(given.get("/".join(_PAPERS.get(level, "") for level in cell)))
                for given in theirs.values()
            ),
        )
        for cell in found.noise.cells
    ]
    caption = (
        f"Citation F1 in per cent under noise, with 95 % intervals over meetings; {found.questions} questions "
        f"about {found.meetings} meetings. The paper's figure shows accuracy by a judge and prints two corners"
    )
    head = (
        "Errors of",
        *found.systems,
        "Difference, first − second",
        *(f"{system}, accuracy ({LABEL})" for system in theirs),
    )
    return Table(caption, head, tuple(rows))


_PAPERS = {"reference": "low", "pipeline": "mid", "high": "high"}
"""Our name of a level → the paper's."""


def rates_table(noise: Noise) -> Table:
    """Return the rates asked for and what was measured after injection."""
    rows = []
    for axis, wanted, measured in (
        ("Words (WER)", noise.wer, noise.measured_wer),
        ("Speakers (DER, collar 0)", noise.der, noise.measured_der),
    ):
        for name, rate in wanted.items():
            rates = [one[name] for one in measured.values()]
            rows.append(
                (
                    f"{axis}, {name}",
                    *(number(100 * value, 1) for value in (rate, fmean(rates), min(rates), max(rates))),
                    str(len(rates)),
                )
            )
    head = ("Errors of", "Asked for, %", "Mean, %", "Lowest, %", "Highest, %", "Meetings")
    return Table("Rates of injected errors, measured on every meeting", head, tuple(rows))


def figure(found: Measured) -> Figure:
    """Draw a heat map per system and one of the difference; below, the paper's own corners."""
    shown = found.systems[:2]
    drawing = new(3.3 * (len(shown) + bool(found.difference)) + 0.4, 6.2)
    mine, theirs = drawing.subfigures(2, 1, height_ratios=[1.12, 1], squeeze=False)[:, 0]
    wer = [found.level("wer", name).replace(", ", "\n") for name in found.noise.wer]
    der = [found.level("der", name).replace(", ", "\n") for name in found.noise.der]
    panels = mine.subplots(1, len(shown) + bool(found.difference), squeeze=False)[0]
    mine.suptitle(
        f"Measured here: citation F1 in per cent, {found.questions} questions about {found.meetings} meetings",
        fontsize=10,
    )
    values = [100 * one.value for system in shown for one in found.f1[system].values()]
    for panel, system in zip(panels, shown, strict=False):
        _heat(
            panel,
            shown_name(system),
            wer,
            der,
            _cells(found.f1[system], found.noise),
            (min(values), max(values)),
        )
    if found.difference:
        differences = _cells(found.difference, found.noise)
        reach = max(abs(value) for row in differences for value, _ in row if value is not None)
        title = " − ".join(map(shown_name, shown))
        _heat(panels[-1], title, wer, der, differences, (-reach, reach), "PuOr_r", "{:+.1f}".format)
    _paper(theirs)
    return drawing


def _cells(values: Mapping[Cell, Interval], noise: Noise) -> list[list[tuple[float | None, str]]]:
    """Return per cent and interval, one row per level of word errors."""
    return [
        [
            (100 * one.value, f"[{100 * one.low:.1f}, {100 * one.high:.1f}]")
            for one in (values[wer, der] for der in noise.der)
        ]
        for wer in noise.wer
    ]


def _paper(drawing: Figure) -> None:
    theirs = reported()["figure7_noise_grid_percent"]
    names = ("low", "mid", "high")
    levels = theirs["levels"]
    wer, der = ([f"{name}\n{_rate(levels[axis][name])}" for name in names] for axis in ("WER", "DER"))
    grids = {
        system: [[(theirs[system].get(f"{row}/{column}"), "") for column in names] for row in names]
        for system in ("GRGA", "Text RAG")
    }
    difference = [
        [(None if a is None or b is None else a - b, "") for (a, _), (b, _) in zip(*rows, strict=True)]
        for rows in zip(*grids.values(), strict=True)
    ]
    drawing.suptitle(
        f"{LABEL.capitalize()}: accuracy by a judge in per cent (another measure; only two corners are printed)",
        fontsize=10,
    )
    panels = drawing.subplots(1, 3)
    for panel, (system, cells) in zip(panels, grids.items(), strict=False):
        _heat(panel, system, wer, der, cells, (20, 65))
    _heat(panels[-1], "GRGA − Text RAG", wer, der, difference, (-15, 15), "PuOr_r", "{:+.1f}".format)


def _rate(value: object) -> str:
    return "0 %" if value == "reference" else f"{value} %"


def _heat(
    panel: Axes,
    title: str,
    rows: list[str],
    columns: list[str],
    cells: list[list[tuple[float | None, str]]],
    limits: tuple[float, float],
    colours: str = "Oranges",
    said: Callable[[float], str] = "{:.1f}".format,
) -> None:
    from matplotlib import colormaps

    low, high = limits
    spread = (high - low) or 1.0
    numbers = [[float("nan") if value is None else value for value, _ in row] for row in cells]
    least, most = low - 0.15 * spread, high + 0.25 * spread
    shades = colormaps[colours].with_extremes(bad="#efece6")
    panel.imshow(numbers, cmap=shades, vmin=least, vmax=most, aspect="auto")
    for y, row in enumerate(cells):
        for x, (value, detail) in enumerate(row):
            text = "not\nprinted" if value is None else f"{said(value)}\n{detail}".strip()
            size = 7 if value is None else 8
            red, green, blue, _ = map(float, shades((numbers[y][x] - least) / (most - least)))
            panel.text(
                x, y, text, ha="center", va="center", fontsize=size, color=readable((red, green, blue))
            )
    panel.set_xticks(range(len(columns)), columns, fontsize=7)
    panel.set_yticks(range(len(rows)), rows, fontsize=7)
    panel.set_xlabel("Speaker errors (DER)", fontsize=8)
    panel.set_ylabel("Word errors (WER)", fontsize=8)
    panel.set_title(title, fontsize=9)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)


def write(grid: Grid, *, seed: int = 0) -> str:
    """Write tables and figure into the grid's folder and return the tables as Markdown.

    Raises:
        EvaluationError: nothing is answered yet.
    """
    found = measure(grid, seed=seed)
    text = concise(tables(found))
    (grid.folder / "report.md").write_text(text, encoding="utf-8")
    for name, table in zip(("noise", "rates"), tables(found), strict=True):
        for ending, content in (("tex", table.latex()), ("csv", table.csv())):
            (grid.folder / f"{name}.{ending}").write_text(content, encoding="utf-8")
    save(figure(found), grid.folder, "noise")
    return text

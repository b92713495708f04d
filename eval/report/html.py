"""One page about a run: self-contained, light and dark, with the figures inside and the worst answers to read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eval.grid import Grid
from eval.report import noise as noise_report
from eval.report import scaling as scaling_report
from eval.report.ablations import FULL, MARK, ablated, ablation_figure, ablation_table
from eval.report.bench import (
    by_system,
    citation_f1,
    citation_f1_difference,
    citation_table,
    cost_table,
    paired_table,
    percent,
    step_table,
)
from eval.report.figures import citation_figure, inline, shown_name, step_figure
from eval.report.paper import LABEL, reported
from eval.report.tables import Table
from eval.report.worst import worst
from eval.runs import Manifest, Run, RunRecord
from eval.scaling import Point
from grga.errors import EvaluationError
from grga.paths import assets

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True)
class Headline:
    """A number that a reader should see first."""

    value: str
    interval: str
    words: str


@dataclass(frozen=True)
class Section:
    """A figure and tables with a few words; ``figure`` is an ``<svg>`` of our own drawing."""

    id: str
    title: str
    words: str
    figure: str = ""
    tables: tuple[Table, ...] = ()


def page(
    run: Run,
    *,
    grid: Grid | None = None,
    points: Sequence[Point] = (),
    scored: Sequence[Table] = (),
    seed: int = 0,
) -> str:
    """Return the page.

    Args:
        run: What it tells of.
        grid: A noise grid to tell of too.
        points: Scaling measurements to tell of too.
        scored: What :func:`eval.score.score` says of the answers.
        seed: Of the bootstrap.

    Raises:
        EvaluationError: nothing is answered.
    """
    manifest = run.manifest()
    records = [one for one in run.records() if not one.error]
    if not records:
        raise EvaluationError(
            f"there are no answers in {run.folder}", fix="make them with `python -m eval run`"
        )
    sections = [*_measured(records, seed), *_extra(grid, points, scored, seed)]
    return _template().render(
        style=_tokens(),
        manifest=manifest,
        systems=[shown_name(name) for name in by_system(records)],
        headlines=_headlines(records, seed),
        sections=sections,
        worst=worst(records),
        command=_command(manifest),
        label=LABEL,
        name=shown_name,
    )


def _headlines(records: Sequence[RunRecord], seed: int) -> list[Headline]:
    systems = by_system([one for one in records if one.item.gold])
    whole = [name for name in systems if not name.startswith(MARK)]
    found = []
    for name in whole[:2]:
        f1 = percent(citation_f1(systems[name], seed=seed))
        found.append(Headline(*_split(f1), f"citation F1 of {shown_name(name)}, per cent"))
    if len(whole) > 1:
        first, second = whole[:2]
        difference = citation_f1_difference(systems[first], systems[second], seed=seed)
        words = f"points between {shown_name(first)} and {shown_name(second)}, same questions"
        found.append(Headline(*_split(percent(difference)), words))
    return found


def _split(shown: str) -> tuple[str, str]:
    value, _, rest = shown.partition(" ")
    return value, rest


def _measured(records: Sequence[RunRecord], seed: int) -> list[Section]:
    paper = reported()
    sections = []
    everything, records = records, [one for one in records if not one.system.startswith(MARK)]
    if any(one.item.gold for one in records):
        systems = by_system(records)
        drawn = citation_figure(records, reported=paper["table7_citation_percent_tolerance_2s"], label=LABEL)
        sections.append(
            Section(
                "citations",
                "Do the citations lie where the evidence is?",
                "A citation is right when it overlaps a gold span widened by two seconds on both sides. "
                "Precision is right citations of all citations, recall is gold spans that a citation touches. "
                "The paper asked other questions, so its numbers stand beside ours and not against them.",
                inline(drawn, "Precision against recall of citations"),
                (citation_table(records, seed=seed),)
                + ((paired_table(records, seed=seed),) if len(systems) > 1 else ()),
            )
        )
        if ablated(everything):
            sections.append(
                Section(
                    "ablations",
                    "What is each part worth?",
                    "GRGA without one part or one type of edge, on the same questions. Where no answer changed, "
                    "the offline policy did without that part here; with a model as policy it may count.",
                    inline(ablation_figure(everything, seed=seed), "Loss of citation F1 without each part"),
                    (ablation_table(everything, seed=seed),),
                )
            )
    if FULL in by_system(records):
        drawn = step_figure(records, FULL, reported=paper["figure6_steps"], label=LABEL)
        sections.append(
            Section(
                "steps",
                "How many steps does an answer take?",
                "By type of question: the corpus' own where it has types, else what GRGA took the question for.",
                inline(drawn, "Mean rounds and tool calls by type of question"),
                (step_table(records),),
            )
        )
    cost = Section(
        "cost",
        "What does an answer cost?",
        "Seconds are of the machine that ran it.",
        "",
        (cost_table(records),),
    )
    return [*sections, cost]


def _extra(grid: Grid | None, points: Sequence[Point], scored: Sequence[Table], seed: int) -> list[Section]:
    sections = []
    if scored:
        sections.append(
            Section(
                "answers",
                "Are the answers right?",
                "By judges where some were asked, by answer keys where questions were generated. What only stands "
                "in for accuracy is called a proxy.",
                "",
                tuple(scored),
            )
        )
    if grid is not None:
        found = noise_report.measure(grid, seed=seed)
        sections.append(
            Section(
                "noise",
                "How much noise does it bear?",
                "Words and speakers made wrong on purpose, at rates that were measured afterwards. Injected "
                "errors fall anywhere; those of a recogniser fall on words that sound alike.",
                inline(noise_report.figure(found), "Citation F1 under word and speaker errors"),
                noise_report.tables(found),
            )
        )
    if points:
        sections.append(
            Section(
                "scaling",
                "How does it grow?",
                "One real meeting, repeated until it is long enough.",
                inline(scaling_report.figure(points), "Seconds against number of utterances"),
                (scaling_report.table(points),),
            )
        )
    return sections


def _command(manifest: Manifest) -> str:
    from shlex import quote

    names = [name.replace("grga without ", "grga-").replace(" ", "_") for name in manifest.systems]
    systems = " ".join(f"--system {quote(name)}" for name in names)
    limit = f" --limit {manifest.limit}" if manifest.limit else ""
    return (
        f"python -m eval run --corpus {quote(manifest.corpus.lower())} --path {quote(manifest.path)} "
        f"{systems}{limit} --out DIR"
    )


def _tokens() -> str:
    """Return the colours of the app's style; dark ones where the reader's system is dark."""
    sheet = (assets() / "style" / "tokens.css").read_text("utf-8")
    blocks = {
        name: re.search(rf"^{re.escape(name)} {{(.*?)^}}", sheet, re.M | re.S) for name in (":root", ".dark")
    }
    light, dark = (found.group(1) if found else "" for found in blocks.values())
    return f":root {{{light}}}\n@media (prefers-color-scheme: dark) {{ :root {{{dark}}} }}"


def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader

    folder = Path(__file__).with_name("templates")
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("run.html")

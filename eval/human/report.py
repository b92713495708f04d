"""The paper's Table 8 and Figure 4 from a study of our own, the paper's figures beside and labelled."""

from __future__ import annotations

from pathlib import Path

from eval.human.analysis import ALL, Analysis
from eval.report.figures import COLOURS, HATCHES, INK, new, tidy
from eval.report.paper import LABEL, reported
from eval.report.tables import Table, concise, interval, number

SHOWN = {ALL: "All"}


def tables(found: Analysis) -> tuple[Table, ...]:
    """Return means, comparisons, agreement and conduct, in the order of a report."""
    return (means(found), comparisons(found), agreement(found), conduct(found))


def means(found: Analysis) -> Table:
    """Return mean scores per corpus and system, in the shape of the paper's Table 8."""
    criteria = (*found.criteria, ALL)
    alphas = {(one.corpus, one.criterion): one.alpha.value for one in found.agreement}
    rows = []
    for corpus in dict.fromkeys(one.corpus for one in found.cells):
        for system in found.systems:
            estimates = [found.cell(corpus, system, criterion).estimate for criterion in criteria]
            known = [
                alphas[corpus, name] for name in found.criteria if alphas.get((corpus, name)) is not None
            ]
            shared = sum(value for value in known if value is not None) / len(known) if known else None
            rows.append(
                (
                    f"{SHOWN.get(corpus, corpus)}, {system}",
                    *(interval(one.mean, one.low, one.high) for one in estimates),
                    number(shared),
                )
            )
    for corpus, systems in reported()["table8_human_1to5"].items():
        for system, values in systems.items():
            if system != "IAA":
                given = (values.get(name) for name in found.criteria)
                cells = (*map(number, given), number(values["Avg"]), number(systems["IAA"]))
                rows.append((f"{corpus}, {system} ({LABEL})", *cells))
    pilot = "Pilot, not for publication: " if found.pilot else ""
    caption = f"{pilot}{found.title}: mean scores from 1 to 5 with 95 % intervals over questions and raters"
    return Table(caption, ("Corpus, system", *found.criteria, "Avg.", "Agreement (α)"), tuple(rows))


def comparisons(found: Analysis) -> Table:
    """Return every pair of systems with its difference, test and effect."""
    rows = [
        (
            f"{SHOWN.get(one.corpus, one.corpus)}, {one.criterion}: {one.test.first} − {one.test.second}",
            interval(one.estimate.mean, one.estimate.low, one.estimate.high),
            number(one.test.p, 4),
            number(one.test.p_holm, 4),
            number(one.test.effect),
            str(one.test.items),
        )
        for one in found.comparisons
    ]
    head = ("Comparison", "Difference", "p (Wilcoxon)", "p (Holm)", "Rank-biserial r", "Questions")
    return Table("Paired differences; Holm's correction is within a corpus", head, tuple(rows))


def agreement(found: Analysis) -> Table:
    """Return how far raters agree; what is not defined is explained in words."""
    rows = []
    for one in found.agreement:
        name = f"{SHOWN.get(one.corpus, one.corpus)}, {one.criterion}"
        alpha = (
            interval(one.alpha.value, one.alpha.low, one.alpha.high) if one.alpha.value is not None else "–"
        )
        kappas = [kappa.value for kappa in one.kappas if kappa.value is not None]
        spread = f"{min(kappas):.2f} to {max(kappas):.2f}" if kappas else "–"
        cells = (alpha, spread, number(one.icc_single), number(one.icc_average), one.alpha.explanation)
        rows.append((name, *cells))
    head = ("Criterion", "α (ordinal)", "κ (quadratic), pairs", "ICC(2,1)", "ICC(2,k)", "Note")
    return Table("Agreement of the raters", head, tuple(rows))


def conduct(found: Analysis) -> Table:
    """Return how each rater worked, those who were excluded too, and by which rule."""
    rows = tuple(
        (
            one.rater,
            f"{one.done} of {one.total}",
            number(one.median_seconds, 1),
            f"{one.failed_checks} of {one.checks}",
            one.excluded or "counts",
        )
        for one in found.conduct
    )
    head = ("Rater", "Answers", "Median seconds", "Failed checks", "Verdict")
    return Table("Raters, by the rules that were fixed with the study", head, rows)


def figure(found: Analysis, file: Path) -> None:
    """Draw the means with their intervals, one panel per corpus (the paper's Figure 4).

    Args:
        found: The analysis.
        file: Its ending chooses the format (.png, .svg, .pdf).
    """
    corpora = list(dict.fromkeys(one.corpus for one in found.cells))
    drawing = new(3.4 * max(len(corpora), 1), 3.2)
    panels = drawing.subplots(1, max(len(corpora), 1), sharey=True, squeeze=False)[0]
    width = 0.8 / max(len(found.systems), 1)
    for panel, corpus in zip(panels, corpora, strict=False):
        for number_, system in enumerate(found.systems):
            cells = [found.cell(corpus, system, criterion).estimate for criterion in found.criteria]
            places = [place + (number_ - (len(found.systems) - 1) / 2) * width for place in range(len(cells))]
            errors = [[0.0 if one.low is None else one.mean - one.low for one in cells]] * 2
            panel.bar(
                places,
                [one.mean for one in cells],
                width * 0.92,
                yerr=errors,
                capsize=3,
                label=system,
                color=COLOURS[number_ % len(COLOURS)],
                hatch=HATCHES[number_ % len(HATCHES)],
                edgecolor="white",
                error_kw={"elinewidth": 1, "ecolor": INK},
            )
        panel.set_title(SHOWN.get(corpus, corpus), fontsize=10)
        panel.set_xticks(range(len(found.criteria)), found.criteria, fontsize=8)
        panel.set_ylim(1, 5)
        panel.set_yticks([1, 2, 3, 4, 5])
        tidy(panel)
    if corpora:
        panels[0].set_ylabel("Mean score, 1 to 5")
        drawing.legend(
            *panels[0].get_legend_handles_labels(),
            loc="outside upper center",
            ncols=4,
            fontsize=8,
            frameon=False,
        )
    drawing.savefig(file, dpi=200)


def write(found: Analysis, folder: Path) -> list[Path]:
    """Write the report: all tables as Markdown, each as LaTeX and CSV, the figure as PNG and SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "report.md"]
    files[0].write_text(concise(tables(found)), encoding="utf-8")
    for name, table in zip(("means", "comparisons", "agreement", "raters"), tables(found), strict=True):
        for ending, text in (("tex", table.latex()), ("csv", table.csv())):
            files.append(folder / f"{name}.{ending}")
            files[-1].write_text(text, encoding="utf-8")
    for ending in ("png", "svg"):
        files.append(folder / f"means.{ending}")
        figure(found, files[-1])
    return files

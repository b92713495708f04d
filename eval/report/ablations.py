"""What each part is worth: GRGA without it, the paper's Table 5 beside, labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eval import stats
from eval.report.bench import by_system, citation_f1, citation_f1_difference, citation_pairs, p_value, percent
from eval.report.figures import COLOURS, HATCHES, INK, new, tidy
from eval.report.paper import LABEL, reported
from eval.report.tables import Table, number
from eval.runs import RunRecord
from eval.stats import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Records = Sequence[RunRecord]
FULL = "grga"
MARK = "grga without "
SOFT = "#6a645b"


def ablated(records: Records) -> dict[str, list[RunRecord]]:
    """Return the answers of GRGA without something, by what it lacks; empty when nothing was taken away."""
    systems = by_system(records)
    if FULL not in systems:
        return {}
    return {name.removeprefix(MARK): some for name, some in systems.items() if name.startswith(MARK)}


def ablation_table(records: Records, *, seed: int = 0) -> Table:
    """Return citation F1 without each part, and how far that differs from the whole, question by question.

    "Changed" counts answers whose words or citations are other ones at all: a part that changes none of
    them is one that the offline policy did without on these questions, not one that is worth nothing.
    """
    whole = by_system(records)[FULL]
    theirs = reported()["table5_ablation_AMI_percent"]
    full = theirs["full"]["Avg"]
    before = {one.item.key: (one.sentences, [c.utterance for c in one.cited]) for one in whole}
    tests, rows = [], []
    for part, given in ablated(records).items():
        pairs = [pair for some in citation_pairs(whole, given) for pair in some]
        tests.append(stats.wilcoxon(part, FULL, [theirs.f1 - mine.f1 for mine, theirs in pairs]))
        changed = sum(
            before.get(one.item.key) != (one.sentences, [c.utterance for c in one.cited]) for one in given
        )
        paper = theirs.get(f"without {part}", {}).get("Avg")
        rows.append(
            (
                f"without {part}",
                percent(citation_f1(given, seed=seed)),
                percent(citation_f1_difference(given, whole, seed=seed)),
                f"{changed} of {len(given)}",
                number(paper),
                number(None if paper is None else paper - full),
            )
        )
    corrected = [
        (*row[:3], p_value(test.p_holm), *row[3:]) for row, test in zip(rows, stats.holm(tests), strict=True)
    ]
    first = ("whole", percent(citation_f1(whole, seed=seed)), "–", "–", "–", number(full), "–")
    head = (
        "GRGA",
        "Citation F1",
        "Difference from the whole",
        "p (Wilcoxon, Holm)",
        "Answers changed",
        f"Accuracy on AMI ({LABEL})",
        f"Difference ({LABEL})",
    )
    return Table(
        "Ablations: citation F1 in per cent, paired differences in points, 95 % intervals over meetings; the "
        "paper's columns are accuracy by a judge, another measure",
        head,
        (first, *corrected),
    )


def ablation_figure(records: Records, *, seed: int = 0) -> Figure:
    """Draw the loss without each part, largest first; the paper's losses in a panel of their own."""
    whole = by_system(records)[FULL]
    losses: dict[str, Interval] = {
        part: citation_f1_difference(given, whole, seed=seed) for part, given in ablated(records).items()
    }
    parts = sorted(losses, key=lambda part: losses[part].value, reverse=True)
    theirs = reported()["table5_ablation_AMI_percent"]
    drawing = new(8.6, 0.5 + 0.27 * max(len(parts), 4))
    mine, paper = drawing.subplots(1, 2, sharey=True)
    for place, part in enumerate(parts):
        found = losses[part]
        edge = part.endswith(" edges")
        mine.barh(
            place,
            100 * found.value,
            0.66,
            color=COLOURS[1 if edge else 0],
            hatch=HATCHES[1 if edge else 0],
            edgecolor="white",
            xerr=[[100 * (found.value - found.low)], [100 * (found.high - found.value)]],
            capsize=2.5,
            error_kw={"elinewidth": 1, "ecolor": INK},
        )
        if found.low == found.value == found.high == 0:
            mine.annotate("no difference", (-0.4, place), ha="right", va="center", fontsize=7, color=SOFT)
        known = theirs.get(f"without {part}")
        if known:
            paper.barh(place, known["Avg"] - theirs["full"]["Avg"], 0.66, color="#8a8378", edgecolor="white")
        else:
            paper.annotate("not in the paper", (-0.5, place), ha="right", va="center", fontsize=7, color=SOFT)
    mine.set_yticks(range(len(parts)), [f"without {part.replace('_', ' ')}" for part in parts])
    mine.set_title("Measured here: citation F1, points", fontsize=9)
    paper.set_title(f"{LABEL.capitalize()}: accuracy on AMI, points", fontsize=9)
    for panel in (mine, paper):
        tidy(panel, grid="x")
        panel.axvline(0, color=INK, linewidth=0.8)
    paper.set_xlim(right=1)
    return drawing

"""A run's tables and figures, by the names of their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eval.report.ablations import FULL, ablated, ablation_figure, ablation_table
from eval.report.bench import by_system, citation_table, cost_table, paired_table, step_table
from eval.report.figures import citation_figure, save, step_figure
from eval.report.paper import LABEL, reported
from eval.report.tables import Table
from eval.runs import RunRecord


def tables(records: Sequence[RunRecord], *, seed: int = 0) -> dict[str, Table]:
    """Return the tables that a run's answers allow, by the name of their file.

    Args:
        records: Without those that failed.
        seed: Of the bootstrap.
    """
    found = {}
    if any(one.item.gold for one in records):
        found["citations"] = citation_table(records, seed=seed)
        found["paired"] = paired_table(records, seed=seed)
        if ablated(records):
            found["ablations"] = ablation_table(records, seed=seed)
    return {**found, "costs": cost_table(records), "steps": step_table(records)}


def figures(records: Sequence[RunRecord], folder: Path, *, seed: int = 0) -> None:
    """Write the figures that a run's answers allow, as PNG, SVG and PDF."""
    paper = reported()
    if any(one.item.gold for one in records):
        drawn = citation_figure(records, reported=paper["table7_citation_percent_tolerance_2s"], label=LABEL)
        save(drawn, folder, "citations")
        if ablated(records):
            save(ablation_figure(records, seed=seed), folder, "ablations")
    if FULL in by_system(records):
        save(step_figure(records, FULL, reported=paper["figure6_steps"], label=LABEL), folder, "steps")

"""Evaluate: says what will be here."""

from __future__ import annotations

import gradio as gr

from eval.ui.studies import Studies
from grga.ui.render import plans
from grga.ui.theme import pane

POINTS = (
    ("Measure", "Every system on the same questions: accuracy, citations, cost and latency."),
    ("Rate", "A blind study: correctness, groundedness and coherence, one signed link per rater."),
    ("Compare", "Means with intervals, paired tests, tables and figures ready for a paper."),
)


def build(studies: Studies, page: gr.Blocks, tab: gr.Tab) -> None:
    """Lay out the tab inside the current ``gr.Tab``."""
    pane(plans("Evaluate", "Find out how good the answers are, and how sure that is.", POINTS))

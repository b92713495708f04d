"""Evaluate: studies in which people judge answers blindly, and what came out of them."""

from __future__ import annotations

import gradio as gr

from eval.ui import dashboard, runs_panel, study_panel
from eval.ui.studies import Studies
from grga.ui.texts import ui


def build(studies: Studies, page: gr.Blocks, tab: gr.Tab) -> None:
    """Lay out the tab inside the current ``gr.Tab``.

    Args:
        studies: What the pages work with.
        page: Gives the load event.
        tab: This tab.
    """
    with gr.Column(elem_classes="g-page"), gr.Tabs(elem_classes="g-subtabs", selected="studies") as tabs:
        with gr.Tab(ui("Studies"), id="studies"):
            shown = dashboard.build(studies, page, tab)
        with gr.Tab(ui("New study"), id="new") as new:
            study_panel.build(studies, tabs, new, shown)
        with gr.Tab(ui("Runs"), id="runs") as runs:
            runs_panel.build(studies.services, page, runs)

"""Annotate: a model or a rule proposes questions, people verify them, and the agreed ones leave as a data set."""

from __future__ import annotations

import gradio as gr

from annotation.ui import agreement_panel, generate_panel
from annotation.ui.desk import Desk
from grga.ui.texts import ui
from grga.ui.theme import pane


def build(desk: Desk, page: gr.Blocks, tab: gr.Tab, model: gr.State) -> None:
    """Lay out the tab inside the current ``gr.Tab``.

    Args:
        desk: What the pages work with.
        page: Gives the load event.
        tab: This tab.
        model: The visitor's own model server, None for the host's.
    """
    with gr.Column(elem_classes="g-page"), gr.Tabs(elem_classes="g-subtabs", selected="verify"):
        with gr.Tab(ui("Generate"), id="generate"):
            generate_panel.build(desk, page, tab, model)
        with gr.Tab(ui("Verify"), id="verify"):
            pane("<grga-verify></grga-verify>")
        with gr.Tab(ui("Adjudicate"), id="adjudicate"):
            pane("<grga-settle></grga-settle>")
        with gr.Tab(ui("Agreement"), id="agreement") as agreement:
            agreement_panel.build(desk, agreement)
        with gr.Tab(ui("Items"), id="items"):
            pane("<grga-items></grga-items>")
        with gr.Tab(ui("Guide"), id="guidelines"):
            pane('<grga-guidelines class="g-panel g-guidelines"></grga-guidelines>')

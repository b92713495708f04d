"""Agreement: how far annotators agree, which generator survives, how careful and fast people are."""

from __future__ import annotations

from typing import Any

import gradio as gr

from annotation.report import report
from annotation.ui.agreement_view import agreement_html, report_html
from annotation.ui.desk import Desk
from annotation.verdict_agreement import verdict_agreement
from grga.errors import GrgaError
from grga.ui.render import notice
from grga.ui.texts import ui
from grga.ui.theme import pane

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}


def build(desk: Desk, tab: gr.Tab) -> None:
    """Lay out the panel inside ``tab``, whose selection brings it up to date."""
    with gr.Row(elem_classes="g-toolbar g-agreement-tools"):
        meeting = gr.Dropdown([], label=ui("Meeting"), elem_id="agreement-meeting", min_width=200)
        batch = gr.Dropdown([], label=ui("Batch"), elem_id="agreement-batch", min_width=200)
        again = gr.Button(ui("Refresh"), size="sm", scale=0, elem_id="agreement-refresh")
    shown = pane(elem_id="agreement-shown")

    def choices(chosen: str | None, inside: str | None) -> tuple[Any, Any]:
        known, made = desk.titles(), desk.batches()
        names = [name for name, of in made.items() if chosen in (None, "", of)]
        return (
            gr.update(
                choices=[(ui("All meetings"), ""), *((title, id) for id, title in known.items())],
                value=chosen or "",
            ),
            gr.update(choices=[(ui("All batches"), ""), *names], value=inside if inside in names else ""),
        )

    def measure(chosen: str | None, inside: str | None) -> str:
        try:
            meetings = [chosen] if chosen else None
            agreed = verdict_agreement(desk.workspace, meetings=meetings, batch=inside or None)
            outcome = report(desk.workspace, meetings=meetings, batch=inside or None)
        except GrgaError as error:
            return notice(str(error))
        return agreement_html(agreed) + report_html(outcome)

    where = [meeting, batch]
    tab.select(choices, where, where, **QUIET).then(measure, where, shown, **QUIET)
    meeting.input(choices, where, where, **QUIET).then(measure, where, shown, **QUIET)
    batch.input(measure, where, shown, **QUIET)
    again.click(choices, where, where, **QUIET).then(measure, where, shown, **QUIET)

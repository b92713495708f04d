"""One opened meeting: read it, hear it, correct it, take it away, delete it.

What is inside the page follows edits by itself; here it is opened, closed and deleted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from grga.errors import GrgaError
from grga.exports import FORMATS
from grga.ui import meeting_view as view
from grga.ui import rerun_panel
from grga.ui.render import escape, notice
from grga.ui.services import Services
from grga.ui.texts import t, ui
from grga.ui.theme import pane
from grga.ui.timeline import timeline_html


@dataclass(frozen=True)
class MeetingPanel:
    """What the tab wires: the whole panel, the id of the opened meeting, and its buttons.

    ``closed`` changes when the meeting was left or deleted.
    """

    desk: gr.Column
    opened: gr.State
    closed: gr.State
    ask: gr.Button


def build(services: Services, to_open: gr.State) -> MeetingPanel:
    """Lay out the panel, hidden at first, and wire it; a new id in ``to_open`` opens that meeting."""
    opened, closed = gr.State(""), gr.State(0)
    with gr.Column(visible=False, elem_classes="g-page", elem_id="meeting") as desk:
        with gr.Row(elem_classes="g-toolbar"):
            back = gr.Button(ui("← All meetings"), size="sm", scale=0, elem_id="back")
            pane('<span class="g-space"></span>')
            ask = gr.Button(ui("Ask about it"), size="sm", variant="primary", scale=0, elem_id="ask-about")
            remove = gr.Button(ui("Delete…"), size="sm", scale=0, elem_id="delete")
        with gr.Row(visible=False, elem_classes="g-panel g-confirm") as confirm:
            pane(
                lambda: notice(
                    t("This removes the recording, its transcript and all that was made from them."), "warn"
                )
            )
            sure = gr.Button(ui("Delete for good"), size="sm", variant="stop", scale=0, elem_id="delete-sure")
            keep = gr.Button(ui("Keep it"), size="sm", scale=0)
        rerun = rerun_panel.build(services)
        shown = pane(elem_id="meeting-page")

    # --- what happens ----------------------------------------------------------------------------

    def show(meeting_id: str) -> tuple[Any, ...]:
        if not meeting_id:
            return gr.skip(), gr.skip(), gr.skip()
        try:
            found = services.page(meeting_id)
        except GrgaError as error:
            gr.Warning(escape(error))
            return gr.skip(), gr.skip(), gr.skip()
        timeline = timeline_html(found.meeting, found.peaks, found.audio)
        page = view.page_html(found.meeting, found.manifest, list(FORMATS), timeline)
        return page, meeting_id, gr.update(visible=True)

    def close(times: int) -> tuple[Any, ...]:
        # An empty page: what was open stops playing and asks the server for nothing more.
        return "", "", gr.update(visible=False), gr.update(visible=False), times + 1, ""

    def delete(meeting_id: str, times: int) -> tuple[Any, ...]:
        try:
            services.store.delete(meeting_id)
        except GrgaError as error:
            gr.Warning(escape(error))
        return close(times)

    def run_again(
        meeting_id: str, stage: str, number: int, spoken: str, listen_for: str, request: gr.Request
    ) -> dict[Any, Any]:
        done = rerun.submit(meeting_id, stage, number, spoken, listen_for, request)
        if rerun.outputs[0] in done:  # the form has closed
            gr.Info(escape(t("It runs in the background; this page follows when it has finished.")))
        return done

    # --- wiring ----------------------------------------------------------------------------------

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    to_open.change(show, to_open, [shown, opened, desk], **quiet)
    closes = [shown, opened, desk, confirm, closed, to_open]
    back.click(close, closed, closes, **quiet)
    remove.click(lambda: gr.update(visible=True), None, confirm, **quiet)
    keep.click(lambda: gr.update(visible=False), None, confirm, **quiet)
    sure.click(delete, [opened, closed], closes, **quiet)
    shown.click(rerun.show, None, rerun.outputs, **quiet)
    rerun.start.click(run_again, rerun.inputs, rerun.outputs, **quiet)
    return MeetingPanel(desk, opened, closed, ask)

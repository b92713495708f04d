"""One opened meeting: read it, hear it, name who speaks, take it away, delete it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from grga.errors import GrgaError
from grga.exports import FORMATS
from grga.ui import meeting_view as view
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
        header = pane(elem_id="meeting-header")
        timeline = pane()
        with gr.Row(elem_classes="g-columns"):
            with gr.Column(scale=5, min_width=320):
                transcript = pane(elem_id="transcript")
            with gr.Column(scale=3, min_width=300, elem_classes="g-side"):
                people = pane()
                with gr.Column(elem_classes="g-panel g-rename"):
                    pane(lambda: f'<div class="g-title">{t("Name a speaker")}</div>')
                    with gr.Row():
                        who = gr.Dropdown(label=ui("Speaker"), min_width=110)
                        name = gr.Textbox(label=ui("Shown as"), max_length=80, min_width=110)
                    rename = gr.Button(ui("Save the name"), size="sm")
                    renamed = pane()

    parts = [header, timeline, transcript, people, who, name]

    # --- what happens ----------------------------------------------------------------------------

    def meeting_html(meeting_id: str) -> tuple[Any, ...]:
        found = services.page(meeting_id)
        people_choices = [(speaker.name, speaker.id) for speaker in found.meeting.speakers]
        return (
            view.header_html(found.meeting, found.manifest, list(FORMATS)),
            timeline_html(found.meeting, found.peaks, found.audio),
            view.transcript_html(found.meeting),
            view.speakers_html(found.meeting),
            gr.update(choices=people_choices, value=people_choices[0][1] if people_choices else None),
            "",
        )

    def show(meeting_id: str) -> tuple[Any, ...]:
        if not meeting_id:
            return _skips(len(parts) + 2)
        try:
            shown = meeting_html(meeting_id)
        except GrgaError as error:
            gr.Warning(escape(error))
            return _skips(len(parts) + 2)
        return (*shown, meeting_id, gr.update(visible=True))

    def close(times: int) -> tuple[Any, ...]:
        return "", gr.update(visible=False), gr.update(visible=False), times + 1, ""

    def delete(meeting_id: str, times: int) -> tuple[Any, ...]:
        try:
            services.store.delete(meeting_id)
        except GrgaError as error:
            gr.Warning(escape(error))
        return close(times)

    def give_name(meeting_id: str, speaker: str, new: str) -> tuple[Any, ...]:
        try:
            services.store.folder(meeting_id).rename_speaker(speaker, new)
        except GrgaError as error:
            return (*_skips(len(parts)), notice(str(error)))
        return (*meeting_html(meeting_id), "")

    # --- wiring ----------------------------------------------------------------------------------

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    to_open.change(show, to_open, [*parts, opened, desk], **quiet)
    closes = [opened, desk, confirm, closed, to_open]
    back.click(close, closed, closes, **quiet)
    remove.click(lambda: gr.update(visible=True), None, confirm, **quiet)
    keep.click(lambda: gr.update(visible=False), None, confirm, **quiet)
    sure.click(delete, [opened, closed], closes, **quiet)
    rename.click(give_name, [opened, who, name], [*parts, renamed], **quiet)
    return MeetingPanel(desk, opened, closed, ask)


def _skips(number: int) -> tuple[Any, ...]:
    return tuple(gr.skip() for _ in range(number))

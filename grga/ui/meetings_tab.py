"""Meetings: add recordings, watch them being indexed, open one, read and hear it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from grga.errors import GrgaError, JobError
from grga.exports import FORMATS
from grga.ui import meeting_view as view
from grga.ui.indexing import group_uploads
from grga.ui.render import escape, notice
from grga.ui.services import Services
from grga.ui.theme import pane
from grga.ui.timeline import timeline_html

log = logging.getLogger("grga.ui")

POLL_SECONDS = 1.5
SHOWN_JOBS = 8
MOST_SPEAKERS = 20


@dataclass(frozen=True)
class MeetingsTab:
    """What other tabs connect to: the opened meeting's id and the button that asks about it."""

    opened: gr.State
    ask: gr.Button


def build(services: Services, page: gr.Blocks) -> MeetingsTab:
    """Lay out the tab inside the current ``gr.Tab`` and wire it; ``page`` gives the load event."""
    opened = gr.State("")
    with gr.Column(elem_classes="g-page") as shelf, gr.Row(elem_classes="g-columns"):
        with gr.Column(scale=5, min_width=320):
            jobs = pane(elem_id="jobs")
            library = pane(elem_id="library")
        with gr.Column(scale=3, min_width=300, elem_classes="g-panel g-add"):
            pane('<div class="g-title">Add a meeting</div>')
            files = gr.File(
                label="Recordings or transcripts", file_count="multiple", height=150, elem_id="upload"
            )
            pane(_limits(services))
            with gr.Accordion("Record with the microphone", open=False):
                recorded = gr.Audio(sources=["microphone"], type="filepath", show_label=False)
            speakers = gr.Dropdown(
                [("Find out", 0), *((str(number), number) for number in range(1, MOST_SPEAKERS + 1))],
                value=0,
                label="Number of speakers",
            )
            start = gr.Button("Index", variant="primary", elem_id="index")
            said = pane(elem_id="upload-notice")
    with gr.Column(visible=False, elem_classes="g-page", elem_id="meeting") as desk:
        with gr.Row(elem_classes="g-toolbar"):
            back = gr.Button("← All meetings", size="sm", scale=0, elem_id="back")
            pane('<span class="g-space"></span>')
            ask = gr.Button("Ask about it", size="sm", variant="primary", scale=0)
            remove = gr.Button("Delete…", size="sm", scale=0, elem_id="delete")
        with gr.Row(visible=False, elem_classes="g-panel g-confirm") as confirm:
            pane(
                notice("This removes the recording, its transcript and all that was made from them.", "warn")
            )
            sure = gr.Button("Delete for good", size="sm", variant="stop", scale=0, elem_id="delete-sure")
            keep = gr.Button("Keep it", size="sm", scale=0)
        header = pane(elem_id="meeting-header")
        timeline = pane()
        with gr.Row(elem_classes="g-columns"):
            with gr.Column(scale=5, min_width=320):
                transcript = pane(elem_id="transcript")
            with gr.Column(scale=3, min_width=300, elem_classes="g-side"):
                people = pane()
                with gr.Column(elem_classes="g-panel g-rename"):
                    pane('<div class="g-title">Name a speaker</div>')
                    with gr.Row():
                        who = gr.Dropdown(label="Speaker", min_width=110)
                        name = gr.Textbox(label="Shown as", max_length=80, min_width=110)
                    rename = gr.Button("Save the name", size="sm")
                    renamed = pane()

    shown = gr.State("")
    timer = gr.Timer(POLL_SECONDS)
    meeting_parts = [header, timeline, transcript, people, who, name]

    # --- what happens ----------------------------------------------------------------------------

    def shelf_html() -> tuple[str, str]:
        known = services.jobs.jobs()
        unfinished = sorted((job for job in known if job.unfinished), key=lambda job: job.place)
        ended = [job for job in known if not job.unfinished]
        listed = unfinished + ended[: max(SHOWN_JOBS - len(unfinished), 2)]
        return view.jobs_html(listed), view.library_html(services.meetings(), services.broken())

    def refresh(before: str) -> tuple[Any, Any, Any]:
        new_jobs, new_library = shelf_html()
        if new_jobs + new_library == before:
            return gr.skip(), gr.skip(), gr.skip()
        return new_jobs, new_library, new_jobs + new_library

    def submit(paths: list[str] | None, microphone: str | None, number: int) -> tuple[Any, ...]:
        given = [(Path(path).name, Path(path)) for path in paths or []]
        if microphone:
            given.append((f"Recording{Path(microphone).suffix}", Path(microphone)))
        try:
            if not given:
                raise JobError("no file was chosen", fix="drop a recording or a transcript above")
            for group in group_uploads(given):
                services.jobs.submit(group, {"title": Path(group[0][0]).stem, "speakers": number or None})
        except GrgaError as error:
            return gr.skip(), gr.skip(), notice(str(error)), gr.skip()
        return None, None, "", shelf_html()[0]

    def act(event: gr.EventData) -> tuple[Any, ...]:
        action, id = str(event._data.get("action")), str(event._data.get("id"))
        if action == "open":
            return (*show(id), gr.skip())
        try:
            if action == "discard" and id in {one.id for one in services.broken()}:
                services.store.delete(id)
            elif id.isdigit() and action in ("cancel", "retry", "forget"):
                getattr(services.jobs, action)(int(id))
            else:
                raise JobError("this button is not known", fix="reload the page")
            said_html = ""
        except GrgaError as error:
            said_html = notice(str(error))
        return (*_skips(len(meeting_parts) + 3), said_html)

    def show(meeting_id: str) -> tuple[Any, ...]:
        try:
            parts = meeting_html(meeting_id)
        except GrgaError as error:
            gr.Warning(escape(error))
            return _skips(len(meeting_parts) + 3)
        return (*parts, meeting_id, gr.update(visible=False), gr.update(visible=True))

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

    def close() -> tuple[Any, ...]:
        return (
            "",
            gr.update(visible=True),
            gr.update(visible=False),
            gr.update(visible=False),
            shelf_html()[1],
        )

    def delete(meeting_id: str) -> tuple[Any, ...]:
        try:
            services.store.delete(meeting_id)
        except GrgaError as error:
            gr.Warning(escape(error))
        return close()

    def give_name(meeting_id: str, speaker: str, new: str) -> tuple[Any, ...]:
        try:
            services.store.folder(meeting_id).rename_speaker(speaker, new)
        except GrgaError as error:
            return (*_skips(len(meeting_parts)), notice(str(error)))
        return (*meeting_html(meeting_id), "")

    # --- wiring ----------------------------------------------------------------------------------

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    page.load(refresh, shown, [jobs, library, shown], **quiet)
    timer.tick(refresh, shown, [jobs, library, shown], **quiet)
    start.click(submit, [files, recorded, speakers], [files, recorded, said, jobs], **quiet)
    opens = [*meeting_parts, opened, shelf, desk, said]
    for listing in (jobs, library):
        listing.click(act, None, opens, **quiet).then(refresh, shown, [jobs, library, shown], **quiet)
    closes = [opened, shelf, desk, confirm, library]
    back.click(close, None, closes, **quiet)
    remove.click(lambda: gr.update(visible=True), None, confirm, **quiet)
    keep.click(lambda: gr.update(visible=False), None, confirm, **quiet)
    sure.click(delete, opened, closes, **quiet)
    rename.click(give_name, [opened, who, name], [*meeting_parts, renamed], **quiet)
    return MeetingsTab(opened, ask)


def _skips(number: int) -> tuple[Any, ...]:
    return tuple(gr.skip() for _ in range(number))


def _limits(services: Services) -> str:
    limits = services.config.preprocess
    return (
        '<p class="g-hint">Audio or video that FFmpeg reads, or a transcript: JSON, SRT, VTT, RTTM, CTM, '
        "STM, TextGrid, AMI XML. Files of one name belong together. "
        f"Up to {limits.max_megabytes:,} MB and {limits.max_hours:g} hours each.</p>"
    )

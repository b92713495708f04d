"""The library: add recordings, watch them being indexed, choose one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from grga.errors import GrgaError, JobError
from grga.ui import library_view as view
from grga.ui.indexing import group_uploads
from grga.ui.render import notice
from grga.ui.services import Services
from grga.ui.texts import t, ui
from grga.ui.theme import pane

POLL_SECONDS = 1.5
SHOWN_JOBS = 8
MOST_SPEAKERS = 20


@dataclass(frozen=True)
class LibraryPanel:
    """What the tab wires: the whole panel, its lists, and ids that a click hands on.

    ``open`` receives the id of a meeting to open, ``chosen`` the ids to ask about together;
    ``listed`` returns the list of meetings as it is now.
    """

    shelf: gr.Column
    library: gr.HTML
    jobs: gr.HTML
    open: gr.State
    chosen: gr.State
    listed: Callable[[], str]


def build(services: Services, page: gr.Blocks) -> LibraryPanel:
    """Lay out the panel and wire it; ``page`` gives the load event."""
    to_open, chosen = gr.State(""), gr.State([])
    with gr.Column(elem_classes="g-page") as shelf, gr.Row(elem_classes="g-columns"):
        with gr.Column(scale=5, min_width=320):
            jobs = pane(elem_id="jobs")
            library = pane(elem_id="library")
        with gr.Column(scale=3, min_width=300, elem_classes="g-panel g-add"):
            pane(lambda: f'<div class="g-title">{t("Add a meeting")}</div>')
            files = gr.File(
                label=ui("Recordings or transcripts"), file_count="multiple", height=150, elem_id="upload"
            )
            pane(lambda: _limits(services))
            with gr.Accordion(ui("Record with the microphone"), open=False):
                recorded = gr.Audio(sources=["microphone"], type="filepath", show_label=False)
            speakers = gr.Dropdown(
                [(ui("Find out"), 0), *((str(number), number) for number in range(1, MOST_SPEAKERS + 1))],
                value=0,
                label=ui("Number of speakers"),
            )
            start = gr.Button(ui("Index"), variant="primary", elem_id="index")
            said = pane(elem_id="upload-notice")

    shown = gr.State("")
    timer = gr.Timer(POLL_SECONDS)

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

    def act(event: gr.EventData) -> tuple[Any, Any]:
        action, id = str(event._data.get("action")), str(event._data.get("id"))
        try:
            if action == "open":
                return id, ""
            if action == "discard" and id in {one.id for one in services.broken()}:
                services.store.delete(id)
            elif id.isdigit() and action in ("cancel", "retry", "forget"):
                getattr(services.jobs, action)(int(id))
            else:
                raise JobError("this button is not known", fix="reload the page")
        except GrgaError as error:
            return gr.skip(), notice(str(error))
        return gr.skip(), ""

    # --- wiring ----------------------------------------------------------------------------------

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    page.load(refresh, shown, [jobs, library, shown], **quiet)
    timer.tick(refresh, shown, [jobs, library, shown], **quiet)
    start.click(submit, [files, recorded, speakers], [files, recorded, said, jobs], **quiet)
    for listing in (jobs, library):
        listing.click(act, None, [to_open, said], **quiet).then(
            refresh, shown, [jobs, library, shown], **quiet
        )
    return LibraryPanel(shelf, library, jobs, to_open, chosen, lambda: shelf_html()[1])


def _limits(services: Services) -> str:
    limits = services.config.preprocess
    what = t(
        "Audio or video that FFmpeg reads, or a transcript: JSON, SRT, VTT, RTTM, CTM, STM, TextGrid, AMI XML. "
        "Files of one name belong together. Up to {megabytes} MB and {hours} hours each.",
        megabytes=f"{limits.max_megabytes:,}",
        hours=f"{limits.max_hours:g}",
    )
    return f'<p class="g-hint">{what}</p>'

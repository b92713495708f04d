"""Adding meetings: recordings, transcripts, the microphone; what is known about them beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import gradio as gr

from grga.errors import GrgaError, JobError
from grga.jobs import Job, JobState
from grga.ui import hints, visitors
from grga.ui.indexing import group_uploads, plan
from grga.ui.render import escape, notice
from grga.ui.services import Services
from grga.ui.texts import t, ui
from grga.ui.theme import pane

MOST_SPEAKERS = 20


@dataclass(frozen=True)
class AddPanel:
    """The form; ``submit`` queues what was given and returns ``outputs`` and a meeting to open."""

    submit: Callable[..., tuple[Any, ...]]
    inputs: list[Any]
    outputs: list[Any]
    start: gr.Button


def build(services: Services) -> AddPanel:
    """Lay out the form."""
    with gr.Column(elem_classes="g-panel g-add", elem_id="add"):
        pane(lambda: f'<div class="g-title">{escape(t("Add meetings"))}</div>')
        files = gr.File(
            label=ui("Recordings or transcripts"),
            show_label=False,
            file_count="multiple",
            height=132,
            elem_id="upload",
        )
        pane(lambda: _limits(services))
        with gr.Accordion(ui("Record with the microphone"), open=False):
            recorded = gr.Audio(
                sources=["microphone"], type="filepath", show_label=False, elem_id="microphone"
            )
        with gr.Row(elem_classes="g-add-options"):
            speakers = gr.Dropdown(
                speaker_numbers(), value=0, label=ui("Number of speakers"), min_width=110, elem_id="speakers"
            )
            language = gr.Dropdown(
                languages(), value="", label=ui("Language spoken"), min_width=110, elem_id="language"
            )
            words = hints.field(services.config.asr.hints, min_width=240, elem_id="hints")
        start = gr.Button(ui("Add to the library"), variant="primary", elem_id="index")
        said = pane(elem_id="upload-notice")

    def submit(
        paths: list[str] | None,
        microphone: str | None,
        number: int,
        spoken: str,
        listen_for: str,
        request: gr.Request,
    ) -> tuple[Any, ...]:
        given = [(Path(path).name, Path(path)) for path in paths or []]
        if microphone:
            when = datetime.now().astimezone()
            name = t("Recording of {time}", time=f"{when:%Y-%m-%d %H.%M}")
            given.append((name + Path(microphone).suffix, Path(microphone)))
        try:
            options = {
                "speakers": number or None,
                "language": spoken or None,
                "hints": list(hints.hints_of(listen_for)) or None,
            }
            jobs = [_add(services, group, options, visitors.of(request)) for group in _groups(given)]
        except GrgaError as error:
            return gr.skip(), gr.skip(), gr.skip(), notice(str(error)), gr.skip()
        # A single file that is here already: that is the meeting one came for.
        there = jobs[0].meeting if len(jobs) == 1 and jobs[0].state == JobState.DONE else None
        usual = hints.as_text(services.config.asr.hints)
        return None, None, usual, "", there or gr.skip()

    inputs = [files, recorded, speakers, language, words]
    return AddPanel(submit, inputs, [files, recorded, words, said], start)


def _groups(given: list[tuple[str, Path]]) -> list[list[tuple[str, Path]]]:
    if not given:
        raise JobError("no file was chosen", fix="drop a recording or a transcript above")
    return group_uploads(given)


def _add(services: Services, group: list[tuple[str, Path]], options: dict[str, Any], visitor: str) -> Job:
    title = Path(group[0][0]).stem
    stages = plan([Path(name) for name, _ in group])
    return services.jobs.submit(group, {"title": title, **options}, visitor=visitor, stages=stages)


def speaker_numbers() -> list[tuple[Any, int]]:
    """Return the choices for how many people speak; 0 finds out."""
    return [(ui("Find out"), 0), *((str(number), number) for number in range(1, MOST_SPEAKERS + 1))]


def languages() -> list[tuple[Any, str]]:
    """Return the choices for the language spoken, as ISO 639-1 codes; "" finds out."""
    return [(ui("Find out"), ""), (ui("English"), "en"), (ui("Mandarin"), "zh")]


def _limits(services: Services) -> str:
    limits = services.config.preprocess
    what = t(
        "Audio or video that FFmpeg reads, or a transcript: JSON, SRT, VTT, RTTM, CTM, STM, TextGrid, AMI XML. "
        "Files of one name belong together. Up to {megabytes} MB and {hours} hours each.",
        megabytes=f"{limits.max_megabytes:,}",
        hours=f"{limits.max_hours:g}",
    )
    return f'<p class="g-hint">{escape(what)}</p>'

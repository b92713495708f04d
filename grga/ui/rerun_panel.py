"""Running one stage of a meeting again: other speakers, another language, or once more after a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from grga.errors import GrgaError, StoreError
from grga.ingest import stages_to_repeat
from grga.ui import hints, visitors
from grga.ui.add_panel import languages, speaker_numbers
from grga.ui.indexing import plan_again
from grga.ui.jobs_view import stage_text
from grga.ui.render import escape, notice
from grga.ui.services import Services
from grga.ui.texts import t, ui
from grga.ui.theme import pane

USUAL = "diarization"


@dataclass(frozen=True)
class RerunPanel:
    """The form: ``show`` opens it for the meeting that was clicked, ``submit`` queues the job."""

    show: Callable[..., dict[Any, Any]]
    submit: Callable[..., dict[Any, Any]]
    inputs: list[Any]
    outputs: list[Any]
    start: gr.Button


def build(services: Services) -> RerunPanel:
    """Lay out the form, hidden at first."""
    meeting = gr.State("")
    with gr.Column(visible=False, elem_classes="g-panel g-add", elem_id="rerun") as form:
        heading = pane()
        stage = gr.Dropdown(label=ui("Stage"), elem_id="rerun-stage")
        speakers = gr.Dropdown(speaker_numbers(), value=0, label=ui("Number of speakers"), visible=False)
        language = gr.Dropdown(languages(), value="", label=ui("Language spoken"), visible=False)
        words = hints.field(visible=False, elem_id="rerun-hints")
        pane(
            lambda: (
                f'<p class="g-hint">{escape(t("Only what depends on it follows. The meeting stays open."))}</p>'
            )
        )
        with gr.Row(elem_classes="g-buttons"):
            start = gr.Button(ui("Run it again"), variant="primary", elem_id="rerun-start")
            leave = gr.Button(ui("Leave it"), elem_id="rerun-leave")
        said = pane()

    def matching(chosen: str | None) -> dict[Any, Any]:
        return {
            speakers: gr.update(visible=chosen == "diarization"),
            language: gr.update(visible=chosen == "asr"),
            words: gr.update(visible=chosen == "asr"),
        }

    def show(event: gr.EventData) -> dict[Any, Any]:
        id = str(event._data.get("id"))
        if event._data.get("action") != "rerun":
            return {said: ""}
        try:
            stages = stages_of(services, id)
        except GrgaError as error:
            return {form: gr.update(visible=True), said: notice(str(error))}
        usual = USUAL if USUAL in stages else stages[0]
        title = t("Run a stage of “{title}” again", title=title_of(services, id, usual))
        return {
            meeting: id,
            form: gr.update(visible=True),
            heading: f'<div class="g-title g-asis">{escape(title)}</div>',
            stage: gr.update(choices=[(stage_text(name), name) for name in stages], value=usual),
            said: "",
            **matching(usual),
            words: gr.update(visible=usual == "asr", value=hints.as_text(hints_used(services, id))),
        }

    def submit(
        id: str, chosen: str, number: int, spoken: str, listen_for: str, request: gr.Request
    ) -> dict[Any, Any]:
        settings: dict[str, Any] = {}
        if chosen == "diarization" and number:
            settings["speakers"] = number
        if chosen == "asr" and spoken:
            settings["language"] = spoken
        try:
            if chosen == "asr":
                settings["hints"] = list(hints.hints_of(listen_for))
            title, stages = title_of(services, id, chosen), plan_again(chosen, stages_of(services, id))
            visitor = visitors.of(request)
            services.jobs.rerun(id, title, chosen, settings, visitor=visitor, stages=stages)
        except GrgaError as error:
            return {said: notice(str(error))}
        return {form: gr.update(visible=False)}

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    stage.input(matching, stage, [speakers, language, words], **quiet)
    leave.click(lambda: gr.update(visible=False), None, form, **quiet)
    inputs = [meeting, stage, speakers, language, words]
    outputs = [form, heading, stage, speakers, language, words, meeting, said]
    return RerunPanel(show, submit, inputs, outputs, start)


def hints_used(services: Services, meeting_id: str) -> tuple[str, ...]:
    """Return the names and words that the recognition of a meeting listened for.

    Raises:
        StoreError: there is no such meeting.
    """
    record = services.store.folder(meeting_id).read_manifest().stages.get("asr")
    return tuple(record.options.get("hints") or ()) if record else ()


def stages_of(services: Services, meeting_id: str) -> tuple[str, ...]:
    """Return the stages of a meeting that can run again.

    Raises:
        StoreError: there is no such finished meeting.
    """
    return stages_to_repeat(services.store.folder(meeting_id).read_manifest())


def title_of(services: Services, meeting_id: str, stage: str) -> str:
    """Return the meeting's title.

    Raises:
        StoreError: there is no such finished meeting, or ``stage`` is not one that can run again.
    """
    found = next((one for one in services.meetings() if one.id == meeting_id), None)
    if found is None or stage not in stages_of(services, meeting_id):
        raise StoreError("this meeting or this stage is not there any more", fix="reload the page")
    return found.title

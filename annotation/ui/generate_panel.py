"""Generate: which meeting, how many questions of which kind, by whom; and the batches that are being made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from annotation import queries, workflow
from annotation.batches import batches, may_generate
from annotation.generation.offline import PER_TYPE
from annotation.schema import SUBTASKS, QAItem
from annotation.tables import Batch
from annotation.ui.batches_view import batches_html
from annotation.ui.desk import Desk
from annotation.ui.generating import PLAN, read_plan
from grga.agent.steps import QuestionType
from grga.errors import AnnotationError, GrgaError
from grga.ui import visitors
from grga.ui.model_server import ModelServer
from grga.ui.render import escape, notice
from grga.ui.texts import t, ui
from grga.ui.theme import pane

BUSY_SECONDS, IDLE_SECONDS = 1.0, 6.0
USUAL = 4
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}


def build(desk: Desk, page: gr.Blocks, tab: gr.Tab, model: gr.State) -> None:
    """Lay out the panel inside the current tab and wire it.

    Args:
        desk: What it works with.
        page: Gives the load event.
        tab: The Annotate tab, whose selection refreshes the list of meetings.
        model: The visitor's own :class:`ModelServer`, None for the host's.
    """
    with gr.Row(elem_classes="g-columns"):
        with gr.Column(scale=3, min_width=320, elem_classes="g-panel g-add", elem_id="generate"):
            pane(lambda: f'<div class="g-title">{escape(t("Generate questions"))}</div>')
            meeting = gr.Dropdown([], label=ui("Meeting"), elem_id="generate-meeting")
            allowed = pane(elem_id="generate-allowed")
            with gr.Row(elem_classes="g-quotas"):
                numbers = [
                    gr.Number(
                        USUAL,
                        label=ui(kind.value),
                        precision=0,
                        minimum=0,
                        maximum=200,
                        min_width=128,
                        elem_id=f"quota-{kind}",
                    )
                    for kind in QuestionType
                ]
            who = gr.Radio(
                [(ui("Offline generator"), "offline"), (ui("Model"), "model")],
                value="offline",
                label=ui("Who writes"),
                elem_id="generate-who",
            )
            about = pane(lambda: _about("offline", None, desk))
            with gr.Accordion(ui("More choices"), open=False):
                subtasks = gr.Dropdown(
                    [(ui(name), name) for names in SUBTASKS.values() for name in names],
                    multiselect=True,
                    label=ui("Only these subtasks"),
                    elem_id="generate-subtasks",
                )
                with gr.Row():
                    name = gr.Textbox(
                        label=ui("Name of the batch"), placeholder="", max_length=60, elem_id="generate-name"
                    )
                    overlap = gr.Number(
                        2,
                        label=ui("Annotators per question"),
                        precision=0,
                        minimum=1,
                        maximum=9,
                        min_width=90,
                    )
                    seed = gr.Number(0, label=ui("Seed"), precision=0, minimum=0, min_width=90)
            start = gr.Button(
                ui("Generate"), variant="primary", elem_id="generate-start", elem_classes="g-ink"
            )
            said = pane(elem_id="generate-said")
            with gr.Accordion(ui("Write a question by hand"), open=False):
                pane("<grga-compose></grga-compose>")
        with gr.Column(scale=4, min_width=320, elem_classes="g-panel g-made"):
            pane(lambda: f'<div class="g-title">{escape(t("Batches"))}</div>')
            listing = pane(elem_id="batches")
    seen, timer = gr.State(""), gr.Timer(BUSY_SECONDS)

    # --- what happens ----------------------------------------------------------------------------

    def meetings(chosen: str | None) -> Any:
        known = [(one.title, one.id) for one in desk.meetings()]
        ids = [id for _, id in known]
        return gr.update(choices=known, value=chosen if chosen in ids else (ids[0] if ids else None))

    def permission(chosen: str | None) -> str:
        if not chosen:
            return ""
        allowed = may_generate(desk.workspace, chosen)
        return "" if allowed else notice(allowed.reason, "warn")

    def explain(writer: str, own: ModelServer | None) -> str:
        return _about(writer, own, desk)

    def submit(
        chosen: str | None,
        writer: str,
        only: list[str] | None,
        named: str | None,
        people: float,
        number: float,
        own: ModelServer | None,
        request: gr.Request,
        *counts: float,
    ) -> str:
        try:
            if not chosen:
                raise AnnotationError("there is no meeting yet", fix="add one under Meetings")
            wanted = {kind: int(count or 0) for kind, count in zip(QuestionType, counts, strict=True)}
            client = desk.services.client(own) if writer == "model" else None
            plan = read_plan(
                {
                    "types": wanted,
                    "subtasks": only or (),
                    "generator": writer,
                    "seed": int(number or 0),
                    "overlap": int(people or 0),
                    "model": client.model if client else "",
                }
            )
            by = f"visitor {visitors.of(request)[:8]}" if client else "offline generator"
            made = desk.generating.start(
                named or "", chosen, plan, by=by, client=client, check=desk.run_checks
            )
        except GrgaError as error:
            return notice(str(error))
        return notice(t("“{name}” is being made.", name=made), "ok")

    def refresh(before: str) -> tuple[Any, Any, Any]:
        """Give the list only when something has changed since ``before``: to make it looks at every item."""
        made, counts = batches(desk.workspace), workflow.progress(desk.workspace)
        state = str(hash((counts, *(one.model_dump_json() for one in made))))
        wait = gr.Timer(BUSY_SECONDS if desk.generating.running() else IDLE_SECONDS)
        return (gr.skip() if state == before else _listing(desk, made)), state, wait

    def act(event: gr.EventData, own: ModelServer | None) -> str:
        batch, action = str(event._data.get("batch", "")), event._data.get("action")
        try:
            if action == "cancel":
                desk.generating.cancel(batch)
            elif action == "resume":
                _resume(desk, batch, own)
            else:
                raise AnnotationError("this button is not known", fix="reload the page")
        except GrgaError as error:
            return notice(str(error))
        return ""

    # --- wiring ----------------------------------------------------------------------------------

    page.load(meetings, meeting, meeting, **QUIET).then(permission, meeting, allowed, **QUIET)
    page.load(refresh, seen, [listing, seen, timer], **QUIET)
    tab.select(meetings, meeting, meeting, **QUIET).then(permission, meeting, allowed, **QUIET)
    meeting.change(permission, meeting, allowed, **QUIET)
    gr.on([who.change, model.change], explain, [who, model], about, **QUIET)
    given = [meeting, who, subtasks, name, overlap, seed, model, *numbers]
    begun = start.click(submit, given, said, **QUIET)
    begun.then(refresh, seen, [listing, seen, timer], **QUIET).then(permission, meeting, allowed, **QUIET)
    timer.tick(refresh, seen, [listing, seen, timer], queue=False, **QUIET)
    listing.click(act, model, said, **QUIET).then(refresh, seen, [listing, seen, timer], **QUIET)


def _about(writer: str, own: ModelServer | None, desk: Desk) -> str:
    if writer == "offline":
        said = t(
            "Makes questions from the graph and the measurements, with exact answers. At most {n} of a type are usual.",
            n=PER_TYPE,
        )
    elif own:
        said = t("{model} writes, as set up under Ask. Its key stays with this visit.", model=own.model)
    elif desk.services.config.llm.base_url:
        said = t("The host's model writes.")
    else:
        said = t("Set up a model under Ask first.")
    return f'<p class="g-hint">{escape(said)}</p>'


def _listing(desk: Desk, found: Sequence[Batch]) -> str:
    items: dict[str, list[QAItem]] = {one.name: [] for one in found}
    with desk.workspace.reading() as session:
        for item in queries.items(session):
            if item.batch in items:
                items[item.batch].append(item)
    return batches_html(found, items, desk.titles())


def _resume(desk: Desk, batch: str, own: ModelServer | None) -> None:
    """Go on with a batch that was stopped or failed, with the model that this visitor has now."""
    found = next((one for one in batches(desk.workspace) if one.name == batch), None)
    if found is None:
        raise AnnotationError(f"there is no batch {batch!r}", fix="reload the page")
    plan = PLAN.validate_python(found.plan)
    client = desk.services.client(own) if plan.generator == "model" else None
    desk.generating.start(batch, found.meeting, plan, by=found.by, client=client, check=desk.run_checks)

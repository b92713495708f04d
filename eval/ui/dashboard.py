"""Studies: choose one, let raters in, watch them, close it, unblind it and read what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from eval.human.desk import StudyLine
from eval.human.scores import conduct
from eval.human.tables import StudyState
from eval.ui import dashboard_view as view
from eval.ui.reports import report
from eval.ui.results_view import results_html
from eval.ui.studies import Studies
from grga.errors import GrgaError, StudyError
from grga.ui import visitors
from grga.ui.render import notice
from grga.ui.texts import t, ui
from grga.ui.theme import ACTIONS, pane

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
PULSE = """
setInterval(() => {
  if (!document.hidden && element.getClientRects().length) trigger('click', { action: 'look' });
}, 3000);
"""
"""The page asks for news while it can be seen, and not otherwise."""


@dataclass(frozen=True)
class Dashboard:
    """What the tab wires: ``chosen`` holds the key of the study that is shown."""

    chosen: gr.State
    refresh: Any
    inputs: list[Any]
    outputs: list[Any]


def build(studies: Studies, page: gr.Blocks, tab: gr.Tab) -> Dashboard:
    """Lay out the panel inside the current tab and wire it.

    Args:
        studies: What it works with.
        page: Gives the load event.
        tab: The Evaluate tab, whose selection brings it up to date.
    """
    chosen, seen = gr.State(""), gr.State("")
    with gr.Row(elem_classes="g-columns"):
        with gr.Column(scale=3, min_width=280, elem_classes="g-panel g-study-list"):
            pane(lambda: f'<div class="g-title">{t("Studies")}</div>')
            listing = pane(elem_id="studies")
        with gr.Column(scale=7, min_width=320):
            said = pane(elem_id="study-said")
            with gr.Column(visible=False, elem_classes="g-panel g-study-page") as whole:
                head = pane(elem_id="study-head")
                with gr.Column(visible=False, elem_classes="g-draft-study") as draft:
                    findings = pane(elem_id="study-findings")
                    cleared = gr.Checkbox(
                        False,
                        label=ui("I have read what was found; it may stay."),
                        elem_id="study-cleared",
                    )
                    opening = gr.Button(
                        ui("Open the study"), variant="primary", elem_id="study-open", elem_classes="g-ink"
                    )
                people = gr.HTML(
                    "", apply_default_css=False, js_on_load=ACTIONS + PULSE, elem_id="study-raters"
                )
                with gr.Row(visible=False, elem_classes="g-invite") as inviting:
                    names = gr.Textbox(
                        label=ui("Invite raters"),
                        info=ui("One name per line. Each gets a personal link; names are shown here only."),
                        lines=2,
                        elem_id="study-names",
                    )
                    invite = gr.Button(ui("Make links"), scale=0, elem_id="study-invite", min_width=120)
                refused = pane(elem_id="study-refused")
                ending = pane(elem_id="study-ending")
    results = pane(elem_id="study-results")

    def refresh(key: str, before: str) -> tuple[Any, ...]:
        """Give what has changed since ``before``, which says what the page shows."""
        shown = _shown(studies, key)
        was: dict[str, Any] = json.loads(before) if before else {}
        now = {name: hash(value) for name, value in shown.items()}
        updates = [_update(name, value, was.get(name) == now[name]) for name, value in shown.items()]
        return (*updates, json.dumps(now))

    def act(event: gr.EventData, key: str, request: gr.Request) -> tuple[Any, Any]:
        values = {str(name): str(value) for name, value in event._data.items()}
        if values.get("action") == "look":
            return gr.skip(), gr.skip()
        try:
            return _act(studies, values, key, who(request)), ""
        except GrgaError as error:
            return gr.skip(), notice(str(error))

    def open_study(key: str, read: bool, request: gr.Request) -> tuple[Any, str]:
        try:
            studies.desk.open_study(key, who(request), cleared=read)
        except GrgaError as error:
            return gr.skip(), notice(str(error))
        return False, notice(t("The study is open. Invite raters, and send each their link."), "ok")

    def send(key: str, written: str, request: gr.Request) -> tuple[Any, str]:
        wanted = [line for line in written.splitlines() if line.strip()]
        try:
            if not wanted:
                raise StudyError("there is no name", fix="write one per line")
            for name in wanted:
                studies.desk.invite(key, name, who(request))
        except GrgaError as error:
            return gr.skip(), notice(str(error))
        return "", ""

    inputs = [chosen, seen]
    outputs = [listing, whole, head, draft, findings, people, inviting, refused, ending, results, seen]
    page.load(refresh, inputs, outputs, **QUIET)
    tab.select(refresh, inputs, outputs, **QUIET)
    for clicked in (listing, people, ending):
        clicked.click(act, chosen, [chosen, said], **QUIET).then(refresh, inputs, outputs, **QUIET)
    opening.click(open_study, [chosen, cleared], [cleared, said], **QUIET).then(
        refresh, inputs, outputs, **QUIET
    )
    invite.click(send, [chosen, names], [names, said], **QUIET).then(refresh, inputs, outputs, **QUIET)
    return Dashboard(chosen, refresh, inputs, outputs)


def who(request: gr.Request) -> str:
    """Return whose name is kept: the login's, or the visitor's number."""
    return str(getattr(request, "username", "") or f"visitor {visitors.of(request)[:8]}")


def _update(name: str, value: Any, same: bool) -> Any:
    if same:
        return gr.skip()
    return gr.update(visible=value) if isinstance(value, bool) else value


PARTS = ("head", "draft", "findings", "people", "inviting", "refused", "ending", "results")


def _shown(studies: Studies, key: str) -> Mapping[str, str | bool]:
    """Return what each part of the panel shows, in the order of its outputs."""
    lines = studies.desk.studies()
    line = next((one for one in lines if one.key == key), None)
    always: dict[str, str | bool] = {"listing": view.studies_html(lines, key), "whole": line is not None}
    one = _one(studies, line) if line else {}
    return always | {name: one.get(name, name not in ("draft", "inviting") and "") for name in PARTS}


def _one(studies: Studies, line: StudyLine) -> dict[str, str | bool]:
    """Return the parts that tell of one study. Scores and systems come with the results alone."""
    desk, study = studies.desk, studies.desk.study(line.key)
    raters, closed = desk.raters(line.key), line.state == StudyState.CLOSED
    drafted = line.state == StudyState.DRAFT
    links = {} if drafted or closed else {one.id: studies.link(one.id) for one in raters}
    return {
        "head": view.head_html(study, line),
        "draft": drafted,
        "findings": view.findings_html(desk.findings(line.key), studies.silent(study)) if drafted else "",
        "people": view.raters_html(raters, conduct(desk, line.key), links, closed=closed),
        "inviting": line.state == StudyState.OPEN,
        "refused": view.refusals_html(desk.refusals(line.key)),
        "ending": view.ending_html(line),
        "results": results_html(line.key, report(studies, line.key).analysis) if line.unblinded else "",
    }


def _act(studies: Studies, values: Mapping[str, str], key: str, by: str) -> Any:
    """Do what was clicked; return the key of the study to show, or a skip.

    Raises:
        StudyError: it cannot be done, or nobody knows what it is.
    """
    match values.get("action"):
        case "choose":
            return studies.desk.study(values.get("key", "")).key
        case "revoke" if values.get("rater", "") in {one.id for one in studies.desk.raters(key)}:
            studies.desk.revoke(values["rater"], by)
        case "close":
            studies.desk.close(key, by)
        case "unblind":
            studies.desk.unblind(key, by)
        case _:
            raise StudyError("this button is not known", fix="reload the page")
    return gr.skip()

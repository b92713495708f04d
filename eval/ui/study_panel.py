"""New study: whose answers, how many questions, what raters read and judge, and the rules fixed beforehand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import gradio as gr

from eval.human.answers import study_items
from eval.human.power import needed
from eval.human.study import CRITERIA, Exclusion
from eval.records import AnswerRecord
from eval.ui import known_panel, study_form
from eval.ui.dashboard import Dashboard, who
from eval.ui.from_history import asked_records, systems
from eval.ui.studies import Studies
from grga.errors import GrgaError
from grga.ui import visitors
from grga.ui.render import count, escape, notice
from grga.ui.texts import t, ui
from grga.ui.theme import pane

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
CRITERIA_SLOTS = 4
GUIDELINES = """\
Read the question and the answer. Listen to the moments that the answer cites, then give your scores.

- Judge what the answer says, not how long it is or how it is put; Coherence alone is about that.
- A sentence that cites nothing is not grounded, however true it sounds.
- If you are unsure, listen again. You can go back and change a score.
"""
RULES = Exclusion()


def build(studies: Studies, tabs: gr.Tabs, tab: gr.Tab, dashboard: Dashboard) -> None:
    """Lay out the panel inside the current tab and wire it.

    Args:
        studies: What it works with.
        tabs: The tabs of Evaluate, to lead to the list when a study is made.
        tab: This tab, whose selection looks up what was asked.
        dashboard: Shows the study that was made.
    """
    with gr.Row(elem_classes="g-columns"):
        with gr.Column(scale=6, min_width=320, elem_classes="g-panel g-add", elem_id="study-form"):
            pane(lambda: f'<div class="g-title">{escape(t("New study"))}</div>')
            title = gr.Textbox(
                label=ui("Title"), info=ui("Raters read it at the top."), elem_id="study-title"
            )
            source = gr.Radio(
                [(ui("Upload answers"), "files"), (ui("My questions under Ask"), "asked")],
                value="files",
                label=ui("Answers"),
                elem_id="study-source",
            )
            files = gr.File(
                label=ui("JSONL or CSV, one answer per line; several files at once"),
                file_count="multiple",
                file_types=[".jsonl", ".csv"],
                height=140,
                elem_id="study-files",
            )
            asked = gr.CheckboxGroup(
                [],
                label=ui("Who answered"),
                info=ui("Questions that each of them has answered about the same meeting are taken."),
                visible=False,
                elem_id="study-asked",
            )
            preview = pane(elem_id="study-preview")
            with gr.Row():
                questions = gr.Number(
                    0,
                    label=ui("Questions"),
                    info=ui("0 takes all; fewer are taken evenly over type and corpus."),
                    precision=0,
                    minimum=0,
                    elem_id="study-questions",
                )
                seed = gr.Number(0, label=ui("Seed"), info=ui("Of sample and order."), precision=0, minimum=0)
            with gr.Accordion(ui("What raters read"), open=False):
                guidelines = gr.Textbox(GUIDELINES, label=ui("Guidelines"), lines=6)
                consent = gr.Textbox(
                    "", label=ui("Consent"), info=ui("Empty: a sentence that says what is kept."), lines=3
                )
            criteria = _criteria()
            known = known_panel.build()
            with gr.Accordion(ui("Options"), open=False):
                pilot = gr.Checkbox(False, label=ui("Pilot: a rehearsal, kept apart"))
                one = gr.Checkbox(False, label=ui("Criteria one after the other"))
                shuffle = gr.Checkbox(False, label=ui("Criteria in an order of each rater's own"))
                reference = gr.Checkbox(False, label=ui("Show the right answer where it is known"))
                days = gr.Number(30, label=ui("Days that a link works"), precision=0, minimum=1, maximum=365)
            with gr.Accordion(ui("When a rater does not count"), open=False), gr.Row():
                failed = gr.Number(RULES.most_failed_checks, label=ui("Failed checks, at most"), precision=0)
                pace = gr.Number(RULES.least_seconds, label=ui("Median seconds per answer, at least"))
                share = gr.Number(RULES.least_share, label=ui("Share finished, at least"), step=0.05)
            make = gr.Button(
                ui("Make a draft"), variant="primary", elem_id="study-make", elem_classes="g-ink"
            )
            said = pane(elem_id="study-form-said")
        with gr.Column(scale=4, min_width=300, elem_classes="g-panel g-add", elem_id="power"):
            pane(lambda: f'<div class="g-title">{escape(t("How many questions?"))}</div>')
            difference = gr.Slider(0.1, 2.0, 0.5, step=0.1, label=ui("Difference that matters, in points"))
            people = gr.Slider(1, 12, 3, step=1, label=ui("Raters per answer"))
            with gr.Accordion(ui("Assumptions"), open=False):
                item_spread = gr.Number(0.8, label=ui("Spread of the difference over questions (SD)"))
                score_spread = gr.Number(0.9, label=ui("Spread of one score (SD)"))
                wished = gr.Number(0.8, label=ui("Wished chance of finding it"), step=0.05)
            enough = pane(lambda: _enough(0.5, 3, 0.8, 0.9, 0.8), elem_id="power-said")

    # --- what happens ----------------------------------------------------------------------------

    def records(kind: str, uploaded: list[str] | None, chosen: list[str], visitor: str) -> list[AnswerRecord]:
        if kind == "files":
            return study_form.read_answers(uploaded)
        return [one for one in asked_records(studies.services.history, visitor) if one.system in chosen]

    def look(kind: str, uploaded: list[str] | None, chosen: list[str], request: gr.Request) -> str:
        if not (uploaded if kind == "files" else chosen):
            return ""
        try:
            return _preview(records(kind, uploaded, chosen, visitors.of(request)))
        except GrgaError as error:
            return notice(str(error))

    def choose(kind: str, request: gr.Request) -> tuple[Any, Any]:
        found = systems(asked_records(studies.services.history, visitors.of(request)))
        return gr.update(visible=kind == "files"), gr.update(
            visible=kind == "asked", choices=found, value=found
        )

    def submit(
        kind: str,
        uploaded: list[str] | None,
        chosen: list[str],
        many: float,
        file: str | None,
        added: list[dict[str, Any]],
        values: dict[str, Any],
        request: gr.Request,
    ) -> str:
        items = study_form.read_known(file)
        for one in added:
            items[one["as"]].append(one["item"])
        found = records(kind, uploaded, chosen, visitors.of(request))
        taken = [line.key for line in studies.desk.studies()]
        study = study_form.make(found, values | items, questions=int(many or 0), taken=taken)
        return studies.desk.make(study, who(request)).key

    def press(request: gr.Request, *filled: Any) -> tuple[Any, Any, str]:
        kind, uploaded, chosen, many, file, added, *rest = filled
        names = ("title", "seed", "guidelines", "consent", "pilot", "one_at_a_time", "shuffle_criteria")
        values = dict(zip((*names, "show_reference", "link_days"), rest[:9], strict=True))
        try:
            values["seed"], values["link_days"] = int(values["seed"] or 0), int(values["link_days"] or 0)
            most, least, part = rest[9:12]
            values["exclusion"] = {
                "most_failed_checks": int(most or 0),
                "least_seconds": least or 0,
                "least_share": part or 0,
            }
            cells = rest[12:]
            values["criteria"] = study_form.read_criteria([cells[n : n + 8] for n in range(0, len(cells), 8)])
            key = submit(kind, uploaded, chosen, many, file, added or [], values, request)
        except GrgaError as error:
            return gr.skip(), gr.skip(), notice(str(error))
        return key, gr.Tabs(selected="studies"), ""

    # --- wiring ----------------------------------------------------------------------------------

    given = [source, files, asked]
    gr.on([source.change, tab.select], choose, source, [files, asked], **QUIET).then(
        look, given, preview, **QUIET
    )
    gr.on([files.change, asked.input], look, given, preview, **QUIET)
    settings = [title, seed, guidelines, consent, pilot, one, shuffle, reference, days, failed, pace, share]
    inputs = [*given, questions, known.file, known.added, *settings, *criteria]
    made = make.click(press, inputs, [dashboard.chosen, tabs, said], **QUIET)
    made.then(dashboard.refresh, dashboard.inputs, dashboard.outputs, **QUIET)
    numbers: list[Any] = [difference, people, item_spread, score_spread, wished]
    gr.on([number.change for number in numbers], _enough, numbers, enough, **QUIET)


def _criteria() -> list[Any]:
    """Lay out the criteria; return their fields row by row."""
    fields: list[Any] = []
    with gr.Accordion(ui("Criteria"), open=False):
        for name, question, listen, *anchors in study_form.rows(CRITERIA, CRITERIA_SLOTS):
            with gr.Accordion(name or ui("One more"), open=False):
                fields += [
                    gr.Textbox(name, label=ui("Name")),
                    gr.Textbox(question, label=ui("What is asked")),
                    gr.Checkbox(listen, label=ui("Only after a cited moment was heard")),
                ]
                fields += [
                    gr.Textbox(anchor, label=ui(f"{score} means"))
                    for score, anchor in enumerate(anchors, start=1)
                ]
    return fields


def _preview(found: list[AnswerRecord]) -> str:
    items = study_items(found)
    names = ", ".join(one.system for one in items[0].candidates)
    strata = Counter((item.corpus, item.type or "") for item in items)
    said = t("{n} questions, each answered by {systems}", n=len(items), systems=names)
    left = len({record.item for record in found}) - len(items)
    more = [count(len(strata), "stratum", "strata")]
    if left:
        more.append(t("{n} left out, not answered by all", n=left))
    return notice(f"{said}: {', '.join(more)}.", "plain")


def _enough(difference: float, raters: float, item_spread: float, score_spread: float, wished: float) -> str:
    try:
        need = needed(
            float(difference or 0),
            raters=int(raters or 0),
            item_spread=float(item_spread or 0),
            score_spread=float(score_spread or 0),
            power=float(wished or 0),
        )
    except ValueError as error:
        return notice(str(error))
    said = t(
        "{items} questions rated by {raters} people each show a difference of {difference} with a chance of {chance} %.",
        items=need.items,
        raters=need.raters,
        difference=f"{difference:g}",
        chance=round(100 * need.power),
    )
    return (
        f'<p class="g-power"><b class="g-num">{need.items}</b> <span>{escape(said)}</span></p>'
        f'<p class="g-hint">{escape(t("Paired test of each of three criteria, corrected for three."))}</p>'
    )

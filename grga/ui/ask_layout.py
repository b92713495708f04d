"""What stands where in the Ask tab; nothing here acts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import gradio as gr

from grga.ui.render import empty
from grga.ui.texts import t, ui
from grga.ui.theme import pane


@dataclass(frozen=True)
class Layout:
    """The components that events read and write, by what they are for.

    Question: ``picker`` (a meeting's id, all or several), ``several`` (ids), ``question``, ``system`` (key of
    a contender), ``speakers``, ``start`` and ``end`` (limits), ``ask``, ``stop``. Shown: ``timeline``,
    ``examples``, ``limits``, ``said`` (a notice), ``answer``, ``feedback``,
    ``connections`` (a graph), ``trace``, ``evidence``, ``history``, ``marks``, ``address``. Comparing: ``versus`` (the panel), ``rivals`` (keys), ``compare``,
    ``unversus``, ``comparison``. ``shown`` is the token of the answer on the page,
    ``arrived`` whether the page has read its address.
    """

    picker: gr.Dropdown
    several: gr.Dropdown
    timeline: gr.HTML
    question: gr.Textbox
    ask: gr.Button
    stop: gr.Button
    examples: gr.HTML
    system: gr.Dropdown
    speakers: gr.Dropdown
    start: gr.Textbox
    end: gr.Textbox
    limits: gr.HTML
    said: gr.HTML
    answer: gr.HTML
    feedback: gr.HTML
    connections: gr.HTML
    versus: gr.Column
    rivals: gr.CheckboxGroup
    compare: gr.Button
    unversus: gr.Button
    comparison: gr.HTML
    trace: gr.HTML
    evidence: gr.HTML
    history: gr.HTML
    marks: gr.HTML
    address: gr.HTML
    shown: gr.State
    arrived: gr.State

    def all(self) -> list[Any]:
        """Return every component, for events that may change any of them."""
        return [getattr(self, one.name) for one in fields(self)]

    def same(self) -> dict[Any, Any]:
        """Return an update that changes nothing (Gradio takes an empty one for a mistake)."""
        return {self.said: gr.skip()}


def waiting_html() -> str:
    """Return what stands in the place of the first answer."""
    return empty(
        t("No question yet"),
        t("The answer cites moments by number. Click a number to hear it; below stands how it was found."),
    )


def no_evidence_html() -> str:
    """Return what stands in the place of the first evidence."""
    return empty(t("Evidence"), t("Each cited moment appears here: who said it, when, and why it was found."))


def layout() -> Layout:
    """Lay out the tab inside the current ``gr.Tab``."""
    made: dict[str, Any] = {}
    with gr.Column(elem_classes="g-page g-asking"):
        made["picker"] = gr.Dropdown(
            label=ui("Meeting"), show_label=False, container=False, elem_id="picker", elem_classes="g-picker"
        )
        made["several"] = gr.Dropdown(
            label=ui("Meetings to ask"), multiselect=True, visible=False, elem_id="several"
        )
        made["timeline"] = pane(elem_classes="g-when")
        with gr.Row(elem_classes="g-columns"):
            with gr.Column(scale=5, min_width=320, elem_classes="g-main"):
                made |= _question()
                made["said"] = pane(elem_id="said")
                made["answer"] = pane(waiting_html, elem_id="answer")
                made["feedback"] = pane(elem_id="feedback")
                made["connections"] = pane(elem_id="connections")
                made |= _comparison()
                made["trace"] = pane(elem_id="trace")
            with gr.Column(scale=4, min_width=300, elem_classes="g-side"):
                made["evidence"] = pane(no_evidence_html, elem_id="evidence")
                made["history"] = pane(elem_id="history")
        made["marks"] = pane(elem_classes="g-unseen")
        made["address"] = pane(elem_classes="g-unseen")
    return Layout(**made, shown=gr.State(""), arrived=gr.State(False))


def _question() -> dict[str, Any]:
    made: dict[str, Any] = {}
    with gr.Row(elem_classes="g-panel g-ask"):
        made["question"] = gr.Textbox(
            placeholder=ui("Ask about this meeting"),
            show_label=False,
            label=ui("Question"),
            container=False,
            lines=1,
            max_lines=4,
            max_length=2000,
            elem_id="question",
            scale=1,
        )
        made["ask"] = gr.Button(ui("Ask"), variant="primary", scale=0, min_width=84, elem_id="ask")
        made["stop"] = gr.Button(ui("Stop"), visible=False, scale=0, min_width=84, elem_id="stop")
    made["examples"] = pane(elem_id="examples")
    with gr.Row(elem_classes="g-scope"):
        limits = gr.Accordion(ui("Limit to…"), open=False, elem_id="limits", elem_classes="g-limit-to")
        with limits, gr.Row():
            made["speakers"] = gr.Dropdown(
                label=ui("Speakers"), multiselect=True, min_width=200, scale=3, elem_id="limit-speakers"
            )
            made["start"] = gr.Textbox(
                label=ui("From"),
                placeholder="0:00",
                max_length=12,
                max_lines=1,
                min_width=80,
                elem_id="limit-from",
            )
            made["end"] = gr.Textbox(
                label=ui("To"),
                placeholder="12:30",
                max_length=12,
                max_lines=1,
                min_width=80,
                elem_id="limit-to",
            )
        made["system"] = gr.Dropdown(
            label=ui("Answered by"),
            show_label=False,
            container=False,
            filterable=False,
            min_width=150,
            scale=0,
            elem_id="system",
            elem_classes="g-answered-by",
        )
    made["limits"] = pane(elem_id="limited")
    return made


def _comparison() -> dict[str, Any]:
    made: dict[str, Any] = {}
    with gr.Column(visible=False, elem_classes="g-panel g-versus-ask", elem_id="versus") as versus:
        made["rivals"] = gr.CheckboxGroup(
            label=ui("Answer the same question with two to four of these"), elem_id="rivals"
        )
        with gr.Row():
            made["compare"] = gr.Button(
                ui("Compare"), variant="primary", size="sm", scale=0, elem_id="compare"
            )
            made["unversus"] = gr.Button(ui("Not now"), size="sm", scale=0, elem_id="unversus")
    made["versus"] = versus
    made["comparison"] = pane(elem_id="comparison")
    return made

"""Training items and attention checks of a new study: from a file, or filled in one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from eval.ui.study_form import known_item
from grga.errors import GrgaError
from grga.ui.render import escape, join, notice
from grga.ui.texts import t, ui
from grga.ui.theme import pane

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
KINDS = {"training": "Practice", "checks": "Attention check"}


@dataclass(frozen=True)
class KnownPanel:
    """``file`` is an uploaded JSON, ``added`` a list of ``{"as": "training"|"checks", "item": …}``."""

    file: gr.File
    added: gr.State


def build() -> KnownPanel:
    """Lay out the panel inside the current form."""
    added = gr.State([])
    with gr.Accordion(ui("Practice and attention checks"), open=False):
        file = gr.File(
            label=ui("JSON with the lists training and checks"),
            file_types=[".json"],
            height=120,
            elem_id="study-known",
        )
        kind = gr.Radio(
            [(ui(name), value) for value, name in KINDS.items()], value="training", label=ui("Or write one")
        )
        question = gr.Textbox(label=ui("Question"))
        answer = gr.Textbox(label=ui("Answer"), lines=2)
        expected = gr.Textbox(
            label=ui("Right scores"), info=ui("One criterion per line: Correctness 1-2"), lines=2
        )
        feedback = gr.Textbox(label=ui("Feedback after practice"))
        add = gr.Button(ui("Add"), size="sm", elem_id="study-known-add")
        listed = pane(elem_id="study-known-list")

    def take(so_far: list[dict[str, Any]], which: str, *written: str) -> tuple[Any, ...]:
        names = ("question", "answer", "expected", "feedback")
        try:
            item = known_item(which, len(so_far) + 1, dict(zip(names, written, strict=True)))
        except GrgaError as error:
            return gr.skip(), _list(so_far) + notice(str(error)), *([gr.skip()] * 4)
        now = [*so_far, {"as": which if which in KINDS else "training", "item": item}]
        return now, _list(now), "", "", "", ""

    def drop(event: gr.EventData, so_far: list[dict[str, Any]]) -> tuple[Any, Any]:
        place = str(event._data.get("place", ""))
        left = [one for number, one in enumerate(so_far) if str(number) != place]
        return left, _list(left)

    fields = [question, answer, expected, feedback]
    add.click(take, [added, kind, *fields], [added, listed, *fields], **QUIET)
    listed.click(drop, added, [added, listed], **QUIET)
    return KnownPanel(file, added)


def _list(added: list[dict[str, Any]]) -> str:
    if not added:
        return ""
    rows = join(
        f'<li><span class="g-soft">{escape(t(KINDS[one["as"]]))}</span> <b>{escape(one["item"]["question"])}</b>'
        f'<button type="button" class="g-small" data-action="drop" data-place="{number}">{escape(t("Remove"))}'
        "</button></li>"
        for number, one in enumerate(added)
    )
    return f'<ul class="g-known">{rows}</ul>'

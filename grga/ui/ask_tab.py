"""Ask: a question, the agent at work, an answer whose every sentence can be heard."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import gradio as gr

from grga.agent.steps import Observation, Plan, Step
from grga.errors import GrgaError
from grga.scopes import clock
from grga.types import Answer
from grga.ui.answer_view import answer_html, evidence_html
from grga.ui.meetings_tab import MeetingsTab
from grga.ui.render import empty, escape, join, notice
from grga.ui.services import SYSTEMS, Services
from grga.ui.theme import pane
from grga.ui.timeline import marks_html, timeline_html
from grga.ui.trace_view import trace_html

log = logging.getLogger("grga.ui")

SHOWN_PER_TOOL = 8

WAITING = empty(
    "No question yet",
    "The answer cites moments by number. Click a number to hear it; below stands how it was found.",
)
EVIDENCE = empty("Evidence", "Each cited moment appears here: who said it, when, and why it was found.")


def build(services: Services, page: gr.Blocks, tab: gr.Tab, tabs: gr.Tabs, meetings: MeetingsTab) -> None:
    """Lay out the tab inside the current ``gr.Tab`` and wire it."""
    with gr.Column(elem_classes="g-page"):
        picker = gr.Dropdown(
            label="Meeting", show_label=False, container=False, elem_id="picker", elem_classes="g-picker"
        )
        timeline = pane()
        with gr.Row(elem_classes="g-columns"):
            with gr.Column(scale=5, min_width=320):
                with gr.Row(elem_classes="g-panel g-ask"):
                    question = gr.Textbox(
                        placeholder="Ask about this meeting",
                        show_label=False,
                        label="Question",
                        container=False,
                        lines=1,
                        max_lines=4,
                        max_length=2000,
                        elem_id="question",
                        scale=1,
                    )
                    ask = gr.Button("Ask", variant="primary", scale=0, min_width=84, elem_id="ask")
                    stop = gr.Button("Stop", visible=False, scale=0, min_width=84, elem_id="stop")
                with gr.Row(elem_classes="g-under"):
                    chips = pane(elem_id="examples")
                    system = gr.Radio(
                        [(shown, name) for name, shown in SYSTEMS.items()],
                        value="grga",
                        label="Answered by",
                        show_label=False,
                        container=False,
                        elem_id="system",
                        elem_classes="g-system",
                    )
                answer = pane(WAITING, elem_id="answer")
                trace = pane(elem_id="trace")
            with gr.Column(scale=4, min_width=300, elem_classes="g-side"):
                evidence = pane(EVIDENCE, elem_id="evidence")
                marks = pane()

    parts = [answer, trace, evidence, marks]

    # --- what happens ----------------------------------------------------------------------------

    def lines() -> list[tuple[str, str]]:
        return [(f"{one.title} · {clock(one.duration)}", one.id) for one in services.meetings()]

    def choices(wanted: str | None) -> tuple[Any, ...]:
        known = lines()
        chosen = wanted if wanted in {id for _, id in known} else services.first_shown()
        return gr.update(choices=known, value=chosen), *choose(chosen)

    def choose(meeting_id: str | None) -> tuple[Any, ...]:
        if not meeting_id:
            nothing = empty("No meeting yet", "Add a recording or a transcript under Meetings.")
            return nothing, "", WAITING, "", EVIDENCE, ""
        try:
            found = services.page(meeting_id)
        except GrgaError as error:
            return notice(str(error)), "", WAITING, "", EVIDENCE, ""
        drawn = timeline_html(found.meeting, found.peaks, found.audio)
        return drawn, _chips(found.questions), WAITING, "", EVIDENCE, marks_html(found.meeting, None)

    def answer_it(text: str, name: str, meeting_id: str | None) -> Iterator[tuple[Any, ...]]:
        try:
            if not meeting_id:
                yield notice("Choose a meeting first", "warn"), "", EVIDENCE, ""
                return
            yield gr.skip(), "", EVIDENCE, gr.skip()
            found = services.load(meeting_id)
            meeting = found.meeting
            steps: list[Step] = []
            for step in services.answer(name, text, found):
                if isinstance(step, Answer):
                    yield (
                        answer_html(step, meeting, _rounds(steps)),
                        trace_html(steps, meeting),
                        evidence_html(step, meeting, steps),
                        marks_html(meeting, step, _found(steps)),
                    )
                    return
                steps.append(step)
                yield (
                    _working(text),
                    trace_html(steps, meeting, working=True),
                    EVIDENCE,
                    marks_html(meeting, None, _found(steps)),
                )
        except GrgaError as error:
            yield notice(str(error)), gr.skip(), EVIDENCE, gr.skip()
        except Exception:  # a bug of ours must not show a traceback; the log has it
            log.exception("the question could not be answered")
            sentence = "something went wrong while answering; the server's log has the details"
            yield notice(sentence), gr.skip(), EVIDENCE, gr.skip()

    def pick(event: gr.EventData, meeting_id: str | None) -> str:
        number = str(event._data.get("id"))
        questions = services.page(meeting_id).questions if meeting_id else ()
        return questions[int(number)] if number.isdigit() and int(number) < len(questions) else ""

    # --- wiring ----------------------------------------------------------------------------------

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    views = [timeline, chips, *parts]
    busy = (gr.update(visible=False), gr.update(visible=True))
    free = (gr.update(visible=True), gr.update(visible=False))
    page.load(choices, picker, [picker, *views], **quiet)
    picker.input(choose, picker, views, **quiet)
    asked = []
    for begin in (ask.click, question.submit):
        started = begin(lambda: busy, None, [ask, stop], **quiet)
        run = started.then(answer_it, [question, system, picker], parts, concurrency_limit=4, **quiet)
        run.then(lambda: free, None, [ask, stop], **quiet)
        asked.append(run)
    picked = chips.click(pick, picker, question, **quiet).then(lambda: busy, None, [ask, stop], **quiet)
    run = picked.then(answer_it, [question, system, picker], parts, concurrency_limit=4, **quiet)
    run.then(lambda: free, None, [ask, stop], **quiet)
    stopped = notice("Stopped; what was found so far stays below", "stopped")
    stop.click(lambda: (*free, stopped), None, [ask, stop, answer], cancels=[*asked, run], **quiet)

    def come(wanted: str | None) -> tuple[Any, ...]:
        """Keep the answer that is shown unless its meeting has gone."""
        known = lines()
        if wanted in {id for _, id in known}:
            return gr.update(choices=known), *(gr.skip() for _ in views)
        return choices(wanted)

    tab.select(come, picker, [picker, *views], **quiet)
    meetings.ask.click(lambda: gr.Tabs(selected="ask"), None, tabs, **quiet).then(
        choices, meetings.opened, [picker, *views], **quiet
    )


def _chips(questions: tuple[str, ...]) -> str:
    buttons = join(
        f'<button type="button" class="g-chip" data-action="pick" data-id="{number}">{escape(text)}</button>'
        for number, text in enumerate(questions)
    )
    return f'<div class="g-chips" role="group" aria-label="Example questions">{buttons}</div>'


def _working(question: str) -> str:
    return f'<article class="g-panel g-answer"><h2 class="g-soft">{escape(question)}</h2></article>'


def _rounds(steps: list[Step]) -> int:
    return sum(isinstance(step, Plan) and bool(step.calls) for step in steps)


def _found(steps: list[Step]) -> set[int]:
    """What the tools put first; a search that ranks the whole meeting has not found all of it."""
    return {one.id for step in steps if isinstance(step, Observation) for one in step.found[:SHOWN_PER_TOOL]}

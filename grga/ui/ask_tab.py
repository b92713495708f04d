"""Ask: a question, the agent at work, an answer whose every sentence can be heard."""

from __future__ import annotations

from typing import Any

import gradio as gr

from grga.errors import GrgaError
from grga.ui import visitors
from grga.ui.ask_answers import Answers
from grga.ui.ask_compare import Comparing
from grga.ui.ask_kept import KeptAnswers
from grga.ui.ask_layout import Layout, layout
from grga.ui.ask_meetings import SEVERAL, Meetings, Update
from grga.ui.asking import Asking
from grga.ui.meetings_tab import MeetingsTab
from grga.ui.model_server import ModelServer
from grga.ui.render import notice
from grga.ui.services import Services

AT_ONCE = 4
"""So many questions are answered at the same time; more wait their turn."""

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}


def build(
    services: Services,
    page: gr.Blocks,
    tab: gr.Tab,
    tabs: gr.Tabs,
    meetings: MeetingsTab,
    model: gr.State | None = None,
) -> None:
    """Lay out the tab inside the current ``gr.Tab`` and wire it.

    Args:
        services: What the page works with.
        page: Gives the load event.
        tab: This tab, whose selection refreshes the list of meetings.
        tabs: All tabs, to come here from Meetings.
        meetings: What leads here from Meetings.
        model: The visitor's own :class:`ModelServer`, None for the host's way.
    """
    own = model or gr.State(None)
    ui = layout()
    asking = Asking(services)
    choosing = Meetings(asking, ui)
    kept = KeptAnswers(asking, choosing, ui)
    answers = Answers(asking, choosing, kept, ui)
    comparing = Comparing(asking, answers, ui)
    page.load(kept.arrive, own, ui.all(), **QUIET)
    _wire_meetings(ui, choosing, kept, tab, tabs, meetings)
    own.change(choosing.systems, own, ui.system, **QUIET)
    _wire_answers(ui, choosing, answers, comparing, own)


def _wire_meetings(
    ui: Layout, choosing: Meetings, kept: KeptAnswers, tab: gr.Tab, tabs: gr.Tabs, meetings: MeetingsTab
) -> None:
    everything = ui.all()
    ui.picker.input(choosing.show, [ui.picker, ui.several], everything, **QUIET)
    ui.several.input(choosing.show, [ui.picker, ui.several], everything, **QUIET)
    form = [ui.picker, ui.several, ui.speakers, ui.start, ui.end]
    for changed in (ui.speakers.change, ui.start.change, ui.end.change):
        changed(choosing.limit, form, [ui.limits, ui.said], **QUIET)
    ui.limits.click(choosing.unlimit, ui.speakers, [ui.speakers, ui.start, ui.end], **QUIET)

    def come(
        picker: str | None,
        several: list[str] | None,
        arrived: bool,
        shown: str,
        compared: str,
        request: gr.Request,
    ) -> Update:
        """Keep what is shown, with today's names, unless its meeting has gone."""
        if not arrived:  # a page that just opens reads its address first
            return ui.same()
        if not choosing.ids(picker, several):
            return choosing.show(picker, several)
        page: Update = {ui.picker: gr.update(choices=choosing.choices(choosing.known()))}
        return page | (kept.today(shown, visitors.of(request)) if shown and not compared else {})

    def together(ids: list[str]) -> Update:
        """Ask several meetings that were chosen in the library."""
        if not ids:
            return ui.same()
        picker = SEVERAL if len(ids) > 1 else ids[0]
        return choosing.show(picker, list(ids)) | {tabs: gr.Tabs(selected="ask")}

    there = [ui.picker, ui.several, ui.arrived, ui.shown, ui.comparison]
    tab.select(come, there, everything, **QUIET)
    # The tab is shown after its meeting has changed, so that it never brings back what was there before.
    meetings.ask.click(choosing.about, meetings.opened, everything, **QUIET).then(
        lambda: gr.Tabs(selected="ask"), None, tabs, **QUIET
    )
    meetings.chosen.change(together, meetings.chosen, [*everything, tabs], **QUIET)


def _wire_answers(
    ui: Layout, choosing: Meetings, answers: Answers, comparing: Comparing, own: gr.State
) -> None:
    everything, kept = ui.all(), answers.kept
    form = [ui.question, ui.system, ui.picker, ui.several, ui.speakers, ui.start, ui.end, own]
    long: dict[str, Any] = {"concurrency_limit": AT_ONCE, "concurrency_id": "asking", **QUIET}
    begins = (ui.ask.click, ui.question.submit)
    runs: list[dict[str, Any]] = [begin(answers.ask, form, everything, **long) for begin in begins]
    picked = ui.examples.click(choosing.pick, [ui.picker, ui.several], ui.question, **QUIET)
    runs.append(picked.then(answers.ask, form, everything, **long))
    runs.append(ui.compare.click(comparing.compare, [ui.rivals, ui.shown, own], everything, **long))
    ui.stop.click(answers.stopped, None, everything, cancels=runs, **QUIET)

    def act(event: gr.EventData, own: ModelServer | None, request: gr.Request) -> Update:
        """Carry out a button under the answer."""
        action, token = str(event._data.get("action")), str(event._data.get("id"))
        try:
            if action == "rate":
                return kept.rate(token, str(event._data.get("value")), visitors.of(request))
            if action == "annotate":
                return kept.annotate(token)
        except GrgaError as error:
            return {ui.said: notice(str(error))}
        return comparing.offer(own) if action == "compare" else ui.same()

    ui.answer.click(act, own, everything, **QUIET)
    ui.answer.click(kept.connect, None, [ui.connections, ui.said], **QUIET)
    ui.feedback.click(kept.explain, None, everything, **QUIET)
    ui.history.click(kept.remember, [ui.shown, own], everything, **QUIET)
    ui.unversus.click(comparing.close, None, everything, **QUIET)
    ui.comparison.click(comparing.back, ui.shown, everything, **QUIET)

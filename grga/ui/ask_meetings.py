"""Which meetings a question goes to, and its limits: what the pickers of the Ask tab do."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from grga.errors import GrgaError
from grga.scopes import Limits, clock
from grga.store import MeetingSummary
from grga.ui.ask_layout import Layout, no_evidence_html, waiting_html
from grga.ui.asking import Asking, Reply, read_limits
from grga.ui.contenders import Contender, contender_name, contenders
from grga.ui.model_server import ModelServer
from grga.ui.moments import marks_html
from grga.ui.render import empty, escape, notice
from grga.ui.scope_view import chips_html, limits_html
from grga.ui.services import MeetingPage
from grga.ui.texts import t
from grga.ui.timeline import timeline_html

ALL, SEVERAL = "*all*", "*several*"  # no meeting's id has a star
EXAMPLES_EACH = 2
EXAMPLES = 6

Update = dict[Any, Any]
"""Component → new value, as events return it."""


@dataclass(frozen=True)
class Meetings:
    """Chooses meetings and limits."""

    asking: Asking
    ui: Layout

    def known(self) -> dict[str, MeetingSummary]:
        """Return the meetings that can be asked, newest first, by id."""
        return {one.id: one for one in self.asking.services.meetings()}

    def ids(self, picker: str | None, several: list[str] | None) -> tuple[str, ...]:
        """Return the ids that pickers with these values mean; ids that are gone are left out."""
        known = self.known()
        if picker == ALL:
            return tuple(known)
        wanted = several or [] if picker == SEVERAL else [picker]
        return tuple(id for id in wanted if id in known)

    def choices(self, known: Mapping[str, MeetingSummary]) -> list[tuple[str, str]]:
        """Return the lines of the picker."""
        lines = [(f"{one.title} · {clock(one.duration)}", one.id) for one in known.values()]
        if len(lines) > 1:
            lines += [(t("All meetings"), ALL), (t("Several meetings…"), SEVERAL)]
        return lines

    def show(self, picker: str | None, several: list[str] | None = None) -> Update:
        """Return the page for newly chosen meetings: their timeline, no answer yet."""
        ui, known = self.ui, self.known()
        if picker not in (ALL, SEVERAL) and picker not in known:
            picker = self.asking.services.first_shown()
        chosen = self.ids(picker, several)
        titles = [(one.title, one.id) for one in known.values()]
        return {
            ui.picker: gr.update(choices=self.choices(known), value=picker),
            ui.several: gr.update(choices=titles, value=list(several or []), visible=picker == SEVERAL),
            ui.answer: waiting_html(),
            ui.evidence: no_evidence_html(),
            ui.trace: "",
            ui.feedback: "",
            ui.connections: "",
            ui.comparison: "",
            ui.said: "",
            ui.shown: "",
            ui.versus: gr.update(visible=False),
            ui.address: address_html(meeting=picker if picker in known else ""),
            **self.unlimited(chosen, known),
            **self.timeline(chosen),
        }

    def about(self, meeting_id: str) -> Update:
        """Return the page for one meeting, opened under Meetings."""
        return self.show(meeting_id)

    def timeline(self, chosen: tuple[str, ...]) -> Update:
        """Return timeline, empty marks and example questions of the first chosen meeting."""
        ui = self.ui
        if not chosen:
            known = self.known()
            nothing = empty(t("No meeting yet"), t("Add a recording or a transcript under Meetings."))
            several = empty(t("Which meetings?"), t("Choose the ones to ask above."))
            return {ui.timeline: several if known else nothing, ui.examples: "", ui.marks: ""}
        try:
            pages = [self.asking.services.page(id) for id in chosen[: EXAMPLES // EXAMPLES_EACH]]
        except GrgaError as error:
            return {ui.timeline: notice(str(error)), ui.examples: "", ui.marks: ""}
        first = pages[0]
        drawn = timeline_html(
            first.meeting, first.peaks, first.audio, first.meeting.title if len(chosen) > 1 else ""
        )
        return {
            ui.timeline: drawn,
            ui.examples: chips_html(examples(pages)),
            ui.marks: marks_html([Reply("", first.meeting.id, "", first.meeting)], {}, turn()),
        }

    def unlimited(self, chosen: tuple[str, ...], known: Mapping[str, MeetingSummary]) -> Update:
        """Return limits taken away, and the speakers that the chosen meetings offer."""
        ui = self.ui
        return {
            ui.speakers: gr.update(choices=self.speakers(chosen, known), value=[]),
            ui.start: "",
            ui.end: "",
            ui.limits: "",
        }

    def speakers(self, chosen: tuple[str, ...], known: Mapping[str, MeetingSummary]) -> list[tuple[str, str]]:
        """Return (name, id) of one meeting's speakers, (name, name) of several's: ids differ among meetings."""
        if len(chosen) == 1:
            meeting = self.asking.meeting(chosen[0])
            return [(one.name, one.id) for one in meeting.speakers] if meeting else []
        names = sorted({name for id in chosen for name in known[id].names})
        return [(name, name) for name in names]

    def limit(
        self, picker: str | None, several: list[str] | None, speakers: list[str], start: str, end: str
    ) -> Update:
        """Show the limits as chips, or say what is wrong with them."""
        chosen, known = self.ids(picker, several), self.known()
        if not chosen:  # a page that is still opening
            return self.ui.same()
        try:
            limits = self.read(chosen, speakers, start, end)
        except GrgaError as error:
            return {self.ui.limits: notice(str(error))}
        names = {id: name for name, id in self.speakers(chosen, known)}
        return {self.ui.limits: limits_html(limits, names)}

    def read(self, chosen: tuple[str, ...], speakers: list[str], start: str, end: str) -> Limits:
        """Return the limits of the form.

        Raises:
            QuestionError: a time that cannot be read.
        """
        known = self.known()
        longest = max((known[id].duration for id in chosen if id in known), default=0.0)
        return read_limits(speakers or [], start or "", end or "", longest)

    def unlimit(self, event: gr.EventData, speakers: list[str]) -> Update:
        """Take one limit away."""
        ui, kind, id = self.ui, str(event._data.get("kind")), str(event._data.get("id"))
        if kind == "time":
            return {ui.start: "", ui.end: ""}
        return {ui.speakers: [one for one in speakers if one != id]}

    def pick(self, event: gr.EventData, picker: str | None, several: list[str] | None) -> str:
        """Return the example question that was clicked."""
        chosen = self.ids(picker, several)[: EXAMPLES // EXAMPLES_EACH]
        questions = examples([self.asking.services.page(id) for id in chosen])
        number = str(event._data.get("id"))
        return questions[int(number)] if number.isdigit() and int(number) < len(questions) else ""

    def systems(self, own: ModelServer | None, chosen: Contender | None = None) -> Any:
        """Return who can answer, ``chosen`` or else the usual one chosen."""
        model = self.asking.model(own)
        found = contenders(model, prefer_model=self.asking.prefers_model(own))
        value = chosen if chosen in found else found[0]
        return gr.update(choices=[(contender_name(one, model), one.key) for one in found], value=value.key)


def examples(pages: list[MeetingPage]) -> list[str]:
    """Return example questions: all of one meeting, a few of each of several."""
    if len(pages) == 1:
        return list(pages[0].questions)
    return list(dict.fromkeys(text for page in pages for text in page.questions[:EXAMPLES_EACH]))


def address_html(*, answer: str = "", meeting: str | None = "") -> str:
    """Return what puts an answer's token or a meeting's id into the page's address."""
    return (
        f'<grga-address data-answer="{escape(answer)}" data-meeting="{escape(meeting or "")}"></grga-address>'
    )


def turn() -> str:
    """Return something new each time, by which the page notices that another answer is meant."""
    return secrets.token_hex(4)

"""Kept answers in the Ask tab: shown, opened again by link or from the list, rated, forgotten, handed on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import gradio as gr

from grga.errors import GrgaError, HistoryError, QuestionError
from grga.history import Asked
from grga.ui import visitors
from grga.ui.answer_view import Kept, answer_html
from grga.ui.ask_layout import Layout, no_evidence_html, waiting_html
from grga.ui.ask_meetings import ALL, SEVERAL, Meetings, Update, address_html
from grga.ui.asking import Asking, Reply
from grga.ui.contenders import Contender
from grga.ui.evidence_view import evidence_html
from grga.ui.graph_view import graph_html
from grga.ui.history_view import LISTED, feedback_html, history_html
from grga.ui.model_server import ModelServer
from grga.ui.moments import marks_html, numbering
from grga.ui.render import notice
from grga.ui.scope_view import limits_html
from grga.ui.texts import t
from grga.ui.trace_view import trace_html

SendToAnnotate = Callable[[Asked], str]


@dataclass(frozen=True)
class KeptAnswers:
    """What the page does with answers that are kept. Only who asked may rate or forget one."""

    asking: Asking
    meetings: Meetings
    ui: Layout

    def shown(self, asked: Asked, replies: Sequence[Reply], visitor: str, *, several: bool = False) -> Update:
        """Return the page of a kept answer; ``several`` meetings may have been asked although one answered."""
        ui, numbers = self.ui, numbering(replies)
        kept = Kept(
            token=asked.token,
            mine=asked.visitor == visitor,
            rating=asked.rating,
            annotate=self.send is not None and len(replies) == 1,
        )
        return {
            ui.answer: answer_html(replies, numbers, kept, several=several),
            ui.evidence: evidence_html(replies, numbers),
            ui.trace: trace_html(replies),
            ui.marks: marks_html(replies, numbers, asked.token),
            ui.feedback: feedback_html(asked) if kept.mine else "",
            ui.connections: "",
            ui.history: self.history(visitor, asked.token),
            ui.address: address_html(answer=asked.token),
            ui.shown: asked.token,
            ui.comparison: "",
            ui.versus: gr.update(visible=False),
        }

    def today(self, token: str, visitor: str) -> Update:
        """Return the shown answer with the names and words that its meetings have now."""
        try:
            asked = self.asking.services.history.get(token)
        except HistoryError:
            return {}
        page = self.shown(asked, self.asking.replies(asked.parts), visitor)
        return {part: page[part] for part in (self.ui.answer, self.ui.evidence, self.ui.trace, self.ui.marks)}

    @property
    def send(self) -> SendToAnnotate | None:
        """What hands an answer to Annotate, if the app has that."""
        return self.asking.services.send_to_annotate

    def arrive(self, own: ModelServer | None, request: gr.Request) -> Update:
        """Return the page as its address asks for: an answer, a meeting, or neither."""
        query = dict(request.query_params)
        token, wanted = str(query.get("answer", "")), str(query.get("meeting", ""))
        visitor = visitors.of(request)
        page = self.meetings.show(wanted or None) | {
            self.ui.system: self.meetings.systems(own),
            self.ui.history: self.history(visitor),
            self.ui.arrived: True,
        }
        if token:
            return page | self.reopen(token, own, visitor)
        if not wanted:
            page[self.ui.address] = ""
        elif wanted not in self.meetings.known():
            page[self.ui.said] = notice(t("The meeting in this link is not here any more."), "warn")
        return page

    def reopen(self, token: str, own: ModelServer | None, visitor: str) -> Update:
        """Return the page of a kept answer, with today's names, without asking again."""
        ui = self.ui
        try:
            asked = self.asking.services.history.get(token)
        except HistoryError as error:
            return {ui.said: notice(str(error)), ui.address: ""}
        replies = self.asking.replies(asked.parts)
        picker, several = self._picked(asked)
        page = self.meetings.show(picker, several) if picker else {}
        limits = asked.scope
        form: Update = {
            ui.question: asked.question,
            ui.speakers: gr.update(value=list(limits.speakers)),
            ui.start: _time(limits.span.start) if limits.span else "",
            ui.end: _time(limits.span.end) if limits.span else "",
        }
        by = Contender(asked.system, "offline" if asked.policy == "offline" else "llm")
        form[ui.system] = self.meetings.systems(own, by)
        if picker:
            ids = self.meetings.ids(picker, several)
            choices = self.meetings.speakers(ids, self.meetings.known())
            kept = [one for one in limits.speakers if one in {value for _, value in choices}]
            form[ui.speakers] = gr.update(choices=choices, value=kept)
            form[ui.limits] = limits_html(limits, {id: name for name, id in choices})
        return page | form | self.shown(asked, replies, visitor) | {ui.said: ""}

    def _picked(self, asked: Asked) -> tuple[str | None, list[str]]:
        """Return what the pickers say for the meetings that answered, as far as they are still there."""
        known = self.meetings.known()
        ids = [part.meeting_id for part in asked.parts if part.meeting_id in known]
        if len(asked.parts) == 1:
            return (ids[0] if ids else None), []
        return (ALL, []) if set(ids) == set(known) else (SEVERAL, ids)

    # --- history ---------------------------------------------------------------------------------

    def history(self, visitor: str, shown: str = "") -> str:
        """Return the visitor's list; it gives way to an answer that is shown."""
        lines = self.asking.services.history.list(visitor, LISTED)
        return history_html(lines, unfolded=not shown, shown=shown)

    def remember(
        self, event: gr.EventData, shown: str, own: ModelServer | None, request: gr.Request
    ) -> Update:
        """Carry out a click in the list: open, forget one, or forget all."""
        action, token = str(event._data.get("action")), str(event._data.get("id"))
        visitor, history = visitors.of(request), self.asking.services.history
        try:
            if action == "reopen":
                return self.reopen(token, own, visitor)
            if action == "forget":
                history.forget(token, visitor)
            elif action == "clear":
                history.clear(visitor)
            else:
                return self.ui.same()
        except GrgaError as error:
            return {self.ui.said: notice(str(error)), self.ui.history: self.history(visitor, shown)}
        if shown and not self._there(shown):  # its link opens nothing any more
            return self._gone(visitor)
        return {self.ui.history: self.history(visitor, shown)}

    def _there(self, token: str) -> bool:
        try:
            self.asking.services.history.get(token)
        except HistoryError:
            return False
        return True

    def _gone(self, visitor: str) -> Update:
        ui = self.ui
        return {
            ui.answer: waiting_html(),
            ui.evidence: no_evidence_html(),
            ui.trace: "",
            ui.feedback: "",
            ui.connections: "",
            ui.shown: "",
            ui.address: address_html(),
            ui.history: self.history(visitor),
            ui.said: notice(t("Deleted."), "plain"),
        }

    # --- what is done with an answer -------------------------------------------------------------

    def rate(self, token: str, value: str, visitor: str) -> Update:
        """Set or take back a thumb."""
        history = self.asking.services.history
        before = history.get(token)
        wanted = int(value) if value in ("1", "-1") else 0
        asked = history.rate(token, visitor, None if before.rating == wanted else wanted)
        return {self.ui.feedback: feedback_html(asked), self.ui.history: self.history(visitor, token)}

    def explain(self, event: gr.EventData, request: gr.Request) -> Update:
        """Keep the reasons and the comment that go with a thumb."""
        if event._data.get("action") != "explain":
            return self.ui.same()
        token, visitor = str(event._data.get("id")), visitors.of(request)
        history = self.asking.services.history
        try:
            reasons, comment = _form(event._data.get("form"))
            history.rate(token, visitor, history.get(token).rating, reasons, comment)
        except GrgaError as error:
            return {self.ui.said: notice(str(error))}
        return {self.ui.feedback: notice(t("Thank you, that is kept with the answer."), "ok")}

    def connect(self, event: gr.EventData) -> Iterator[Update]:
        """Show the graph around what an answer cites."""
        if event._data.get("action") != "connect":
            yield self.ui.same()
            return
        yield {self.ui.connections: ""}  # the element is made anew: it keeps what it drew in itself
        try:
            asked = self.asking.services.history.get(str(event._data.get("id")))
            reply = self.asking.replies(asked.parts)[0]
            if reply.meeting is None or reply.answer is None or not reply.answer.citations:
                raise HistoryError("there is nothing to draw", fix="ask a question that cites a moment")
            ids = [citation.utterance for citation in reply.answer.citations]
            yield {self.ui.connections: graph_html(reply.meeting_id, ids)}
        except GrgaError as error:
            yield {self.ui.said: notice(str(error))}

    def annotate(self, token: str) -> Update:
        """Hand an answer on to Annotate; say what became of it."""
        if self.send is None:
            raise QuestionError("this page has no annotation", fix="export the answer instead")
        return {self.ui.said: notice(self.send(self.asking.services.history.get(token)), "ok")}


def _form(posted: object) -> tuple[list[str], str]:
    """Return reasons and comment as a form posted them.

    Raises:
        HistoryError: it is no form of ours.
    """
    try:
        values = json.loads(str(posted))
        reasons = [str(one) for one in values.get("reasons", [])]
        comment = " ".join(str(one) for one in values.get("comment", []))
    except (ValueError, AttributeError, TypeError):
        raise HistoryError("the reasons could not be read", fix="reload the page") from None
    return reasons, comment


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds, 2), 60)
    whole = f"{rest:05.2f}".rstrip("0").rstrip(".")
    return f"{int(minutes)}:{whole}"

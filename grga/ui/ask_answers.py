"""Answer a question into the Ask tab, from one meeting or from many, step by step."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import gradio as gr

from grga.errors import GrgaError, QuestionError
from grga.history import Asked
from grga.library import Event, LibraryAnswer, LibraryStep, Note
from grga.ui import visitors
from grga.ui.answer_view import answer_html, working_html
from grga.ui.ask_kept import KeptAnswers
from grga.ui.ask_layout import Layout, no_evidence_html, waiting_html
from grga.ui.ask_meetings import Meetings, Update
from grga.ui.asking import Asking, Question, Reply
from grga.ui.contenders import contender
from grga.ui.evidence_view import evidence_html
from grga.ui.model_server import ModelServer
from grga.ui.moments import marks_html, numbering
from grga.ui.render import join, notice
from grga.ui.texts import t
from grga.ui.trace_view import running, trace_html

log = logging.getLogger("grga.ui")


@dataclass(frozen=True)
class Answers:
    """Answers questions into the page."""

    asking: Asking
    meetings: Meetings
    kept: KeptAnswers
    ui: Layout

    def ask(
        self,
        text: str,
        key: str,
        picker: str | None,
        several: list[str] | None,
        speakers: list[str],
        start: str,
        end: str,
        own: ModelServer | None,
        request: gr.Request,
    ) -> Iterator[Update]:
        """Yield the page while the question is being answered; the last one frees the Ask button."""
        ui = self.ui
        yield self.busy() | {
            ui.said: "",
            ui.feedback: "",
            ui.connections: "",
            ui.comparison: "",
            ui.versus: gr.update(visible=False),
            ui.shown: "",
        }
        try:
            chosen = self.meetings.ids(picker, several)
            if not chosen:
                raise QuestionError("no meeting is chosen", fix="choose the ones to ask above")
            limits = self.meetings.read(chosen, speakers, start, end)
            question = Question(text, chosen, limits, contender(key))
            visitor = visitors.of(request)
            follow = self._one if len(chosen) == 1 else self._many
            yield from follow(question, own, visitor)
        except GrgaError as error:
            yield self.free() | {ui.said: notice(str(error)), **_nothing_yet(ui)}
        except Exception:  # a bug of ours must not show a traceback; the log has it
            log.exception("the question could not be answered")
            sentence = t("Something went wrong while answering; the server's log has the details.")
            yield self.free() | {ui.said: notice(sentence), **_nothing_yet(ui)}

    def busy(self) -> Update:
        """Return the buttons while a question is being answered."""
        return {self.ui.ask: gr.update(visible=False), self.ui.stop: gr.update(visible=True)}

    def free(self) -> Update:
        """Return the buttons when a question may be asked."""
        return {self.ui.ask: gr.update(visible=True), self.ui.stop: gr.update(visible=False)}

    def stopped(self) -> Update:
        """Return the page after a stop: everything found so far stays."""
        return self.free() | {
            self.ui.said: notice(t("Stopped. What was found so far stays below."), "stopped")
        }

    def _one(self, question: Question, own: ModelServer | None, visitor: str) -> Iterator[Update]:
        ui = self.ui
        yield {ui.answer: working_html(question.text, running(())), ui.evidence: no_evidence_html()}
        for reply in self.asking.ask(question, own):
            if reply.answer is None:
                yield {
                    ui.answer: working_html(question.text, running(reply.steps)),
                    ui.trace: trace_html([reply], working=True),
                    ui.marks: marks_html([reply], {}),
                }
            else:
                asked = self.asking.keep(visitor, question, [self.asking.part(reply)])
                yield self.free() | self.kept.shown(asked, [reply], visitor)

    def _many(self, question: Question, own: ModelServer | None, visitor: str) -> Iterator[Update]:
        """Follow one meeting after the other; what is finished is kept even when the rest stops or fails."""
        done: list[LibraryStep] = []
        at: Reply | None = None
        failure = ""
        asked: Asked | None = None
        try:
            for one in self.asking.ask_all(question, own):
                if isinstance(one.step, Note) or one.part is not None:
                    done.append(one)
                if isinstance(one.step, Note):
                    at = Reply(one.meeting_id, one.meeting_id, one.title, self.asking.meeting(one.meeting_id))
                elif one.part is None and at is not None:
                    at = replace(at, steps=(*at.steps, one.step))
                yield self._progress(question, one, done, at)
        except GrgaError as error:
            if not LibraryAnswer.of(question.text, done).parts:
                raise
            failure = notice(str(error))
        finally:
            answer = LibraryAnswer.of(question.text, done)
            if answer.parts:
                asked = self.asking.keep(visitor, question, answer.parts)
        if asked is None:
            raise QuestionError("none of these meetings could be asked", fix="take away the limits")
        shown = self.kept.shown(asked, self.asking.replies(answer.parts), visitor, several=True)
        yield self.free() | shown | {self.ui.said: failure + _left_out(answer)}

    def _progress(
        self, question: Question, one: LibraryStep, done: Sequence[LibraryStep], at: Reply | None
    ) -> Update:
        ui = self.ui
        where = {"n": one.number, "total": one.total, "title": one.title}
        if one.event not in (None, Event.ASKING):
            return {
                ui.answer: working_html(question.text, t("Looking at {n} of {total}: {title}", **where)),
                ui.evidence: no_evidence_html(),
            }
        said = t("Asking {n} of {total}: {title}", **where)
        parts = LibraryAnswer.of(question.text, done).parts
        replies = self.asking.replies(parts)
        current = [at] if at is not None and one.part is None else []
        steps = {ui.trace: trace_html([*replies, *current], working=bool(current))}
        if not isinstance(one.step, Note) and one.part is None:
            return steps  # nothing but the steps has changed
        numbers = numbering(replies)
        finished = answer_html(replies, numbers, several=True) if replies else ""
        return steps | {
            ui.answer: working_html(question.text, said, finished),
            ui.evidence: evidence_html(replies, numbers) if numbers else no_evidence_html(),
            ui.marks: marks_html(replies or current, numbers),
        }


def _nothing_yet(ui: Layout) -> Update:
    return {ui.answer: waiting_html(), ui.evidence: no_evidence_html()}


def _left_out(answer: LibraryAnswer) -> str:
    lines = [f"{one.title}: {one.reason}" for one in answer.left_out]
    return join(notice(line, "warn") for line in lines[:5])

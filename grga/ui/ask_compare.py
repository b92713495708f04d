"""Two to four ways of answering the same question, one after another, side by side."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import gradio as gr

from grga.errors import GrgaError, QuestionError
from grga.history import Asked
from grga.ui import visitors
from grga.ui.ask_answers import Answers
from grga.ui.ask_layout import Layout
from grga.ui.ask_meetings import Update
from grga.ui.asking import Asking, Question, Reply
from grga.ui.compare_view import LETTERS, Column, comparison_html
from grga.ui.contenders import Contender, ablations, contender, contender_name, contenders
from grga.ui.model_server import ModelServer
from grga.ui.moments import marks_html, numbering
from grga.ui.render import notice
from grga.ui.texts import t

log = logging.getLogger("grga.ui")

LEAST, MOST = 2, len(LETTERS)


@dataclass(frozen=True)
class Comparing:
    """Compares on the question of the answer that is shown."""

    asking: Asking
    answers: Answers
    ui: Layout

    def offer(self, own: ModelServer | None) -> Update:
        """Open the choice of who answers; GRGA and Text RAG are chosen already."""
        model, prefer = self.asking.model(own), self.asking.prefers_model(own)
        whole = contenders(model, prefer_model=prefer)
        parts = ablations(whole[0].policy)
        choices = [(contender_name(one, model), one.key) for one in (*whole, *parts)]
        usual = [one.key for one in whole if one.policy == whole[0].policy][:LEAST]
        return {
            self.ui.versus: gr.update(visible=True),
            self.ui.rivals: gr.update(choices=choices, value=usual),
        }

    def close(self) -> Update:
        """Close the choice."""
        return {self.ui.versus: gr.update(visible=False)}

    def compare(self, keys: Sequence[str], token: str, own: ModelServer | None) -> Iterator[Update]:
        """Yield the comparison as its columns fill."""
        ui = self.ui
        try:
            chosen = [contender(key) for key in keys]
            if not LEAST <= len(chosen) <= MOST:
                raise QuestionError(
                    "a comparison needs two to four ways of answering",
                    found=len(chosen),
                    fix="tick more or fewer",
                )
            asked = self.asking.services.history.get(token)
            if len(asked.parts) != 1:
                raise QuestionError("only questions to one meeting can be compared", fix="choose one meeting")
            model = self.asking.model(own)
            columns = [Column(contender_name(one, model)) for one in chosen]
            yield self.answers.busy() | {ui.versus: gr.update(visible=False), ui.said: "", ui.feedback: ""}
            for place, one in enumerate(chosen):
                for column in self._column(columns[place], question_of(asked, one), own):
                    columns[place] = column
                    yield self._drawn(asked, columns)
            yield self.answers.free() | self._drawn(asked, columns)
        except GrgaError as error:
            yield self.answers.free() | {ui.said: notice(str(error))}

    def _column(self, column: Column, question: Question, own: ModelServer | None) -> Iterator[Column]:
        """Yield a column as it fills; one that fails says why and does not stop the others."""
        try:
            for reply in self.asking.ask(question, own):
                yield replace(column, reply=reply)
        except GrgaError as error:
            yield replace(column, reply=None, error=str(error))
        except Exception:  # a bug of ours must not show a traceback; the log has it
            log.exception("a comparison failed")
            said = t("Something went wrong while answering; the server's log has the details.")
            yield replace(column, reply=None, error=said)

    def _drawn(self, asked: Asked, columns: Sequence[Column]) -> Update:
        replies: list[Reply] = [column.reply for column in columns if column.reply]
        numbers = numbering(replies)
        return {
            self.ui.comparison: comparison_html(asked.question, columns),
            self.ui.marks: marks_html(replies, numbers),
        }

    def back(self, event: gr.EventData, token: str, request: gr.Request) -> Update:
        """Leave the comparison for the answer that it began with."""
        if event._data.get("action") != "back":
            return self.ui.same()
        try:
            asked = self.asking.services.history.get(token)
        except GrgaError as error:
            return {self.ui.comparison: "", self.ui.said: notice(str(error))}
        return self.answers.kept.shown(asked, self.asking.replies(asked.parts), visitors.of(request))


def question_of(asked: Asked, by: Contender) -> Question:
    """Return the question of a kept answer, to be answered by another."""
    return Question(asked.question, (asked.parts[0].meeting_id,), asked.scope, by)

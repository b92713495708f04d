"""Answers to one question side by side, one column per way of answering, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grga.agent.steps import Plan
from grga.ui.answer_view import cost_html, sentences_html, verdict_html, warning_html
from grga.ui.asking import Reply
from grga.ui.evidence_view import evidence_html
from grga.ui.moments import Numbers, numbering
from grga.ui.render import escape, join, notice
from grga.ui.texts import t
from grga.ui.trace_view import running, steps_html

LETTERS = "ABCD"


@dataclass(frozen=True)
class Column:
    """One way of answering: its name, and its reply so far (None: not begun) or why there is none."""

    name: str
    reply: Reply | None = None
    error: str = ""


def comparison_html(question: str, columns: Sequence[Column]) -> str:
    """Return the columns and, below them, all cited moments with the letters of who cites them."""
    replies = [column.reply for column in columns if column.reply]
    numbers = numbering(replies)
    boxes = join(_column(LETTERS[place], column, numbers) for place, column in enumerate(columns))
    cited = cited_by(columns)
    shared = sum(len(letters) > 1 for letters in cited.values())
    said = ""
    if sum(bool(column.reply and column.reply.answer) for column in columns) > 1 and numbers:
        said = t("{shared} of {all} moments are cited by more than one.", shared=shared, all=len(numbers))
    evidence = evidence_html(replies, numbers, cited) if numbers else ""
    back = f'<button type="button" class="g-small" data-action="back">{t("Back to the answer")}</button>'
    return (
        f'<section class="g-compare" aria-label="{t("Comparison")}"><header><h2>{escape(question)}</h2>{back}</header>'
        f'<div class="g-versus" data-n="{len(columns)}">{boxes}</div><p class="g-hint">{said}</p>{evidence}</section>'
    )


def cited_by(columns: Sequence[Column]) -> dict[tuple[str, int], str]:
    """Return, per (meeting, utterance), the letters of the columns that cite it."""
    letters: dict[tuple[str, int], str] = {}
    for letter, column in zip(LETTERS, columns, strict=False):
        answer = column.reply.answer if column.reply else None
        for citation in answer.citations if answer else ():
            assert column.reply is not None
            key = column.reply.meeting_id, citation.utterance
            letters[key] = letters.get(key, "") + letter
    return letters


def _column(letter: str, column: Column, numbers: Numbers) -> str:
    head = f'<h3><i aria-hidden="true">{letter}</i>{escape(column.name)}</h3>'
    reply = column.reply
    if column.error:
        body = notice(column.error)
    elif reply is None:
        body = f'<p class="g-soft">{t("Waiting for its turn")}</p>'
    elif reply.answer is None:
        body = f'<p class="g-progress" role="status"><i></i>{escape(running(reply.steps))}</p>'
    else:
        answer = reply.answer
        rounds = sum(isinstance(step, Plan) and bool(step.calls) for step in reply.steps)
        steps = steps_html(reply.steps, reply.meeting, key=letter)
        body = (
            f"{sentences_html(reply, numbers)}{warning_html(answer)}"
            f'<footer class="g-meta">{verdict_html(answer)}{cost_html(answer.cost, answer, rounds)}</footer>'
            f'<details class="g-how" data-key="how{letter}"><summary>{t("How it got there")}</summary>'
            f'<div class="g-trace">{steps}</div></details>'
        )
    return f'<article class="g-panel g-answer">{head}{body}</article>'

"""Answers with numbered citations, what they are worth, and what can be done with them, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grga.agent.steps import Plan
from grga.library import total_cost
from grga.types import Answer, Cost
from grga.ui.asking import Reply
from grga.ui.moments import Numbers, pill
from grga.ui.render import count, escape, join, notice, seconds_text
from grga.ui.texts import t

LEAD = 140
"""A first sentence of at most this many characters is set as the headline of the answer."""
WEAK = 2.5
"""At most this reflection score (1..5) means that what was found hardly fits the question."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What can be done with a kept answer: ``mine`` allows rating, ``annotate`` handing it on."""

    token: str
    mine: bool = True
    rating: int | None = None
    annotate: bool = False


# --- one answer -----------------------------------------------------------------------------------


def answer_html(
    replies: Sequence[Reply], numbers: Numbers, kept: Kept | None = None, *, several: bool = False
) -> str:
    """Return the answer of one meeting, or of several by meeting, with citations, verdict and cost.

    Args:
        replies: One per meeting.
        numbers: Of their cited moments.
        kept: What can be done with it; None while others still come.
        several: Whether more meetings were asked than answered, so that one needs its title.
    """
    done = [reply for reply in replies if reply.answer is not None]
    single = len(done) == 1 and not several
    body = _single(done[0], numbers) if single else _by_meeting(done, numbers)
    actions = actions_html(kept, compare=single) if kept else ""
    spoken = " ".join(reply.answer.text for reply in done if reply.answer and reply.answer.found)
    said = (
        f'<grga-announce data-text="{escape(spoken)}" data-turn="{escape(kept.token)}"></grga-announce>'
        if kept
        else ""
    )
    return f'<article class="g-panel g-answer">{body}{actions}{said}</article>'


def _single(reply: Reply, numbers: Numbers) -> str:
    answer = reply.answer
    assert answer is not None
    kind = "" if answer.found else '<div class="g-nothing">'
    end = f"{_advice()}</div>" if kind else ""
    return (
        f"{kind}{sentences_html(reply, numbers, headline=True)}{end}{warning_html(answer)}{_gone(reply)}"
        f'<footer class="g-meta">{verdict_html(answer)}{cost_html(answer.cost, answer, _rounds(reply))}</footer>'
    )


def _by_meeting(done: Sequence[Reply], numbers: Numbers) -> str:
    parts, silent = [], []
    for reply in done:
        answer = reply.answer
        assert answer is not None
        if not answer.found:
            silent.append(reply.title)
            continue
        parts.append(
            f'<section class="g-part"><h3>{_stage_button(reply)}{verdict_html(answer)}</h3>'
            f"{sentences_html(reply, numbers)}{_gone(reply)}</section>"
        )
    if silent:
        said = t("Not said in: {titles}", titles=", ".join(silent))
        parts.append(f'<p class="g-soft g-silent">{escape(said)}</p>')
    if done and len(silent) == len(done):
        parts.insert(0, f"<h2>{t('None of these meetings says it.')}</h2>{_advice()}")
    costs = [reply.answer.cost for reply in done if reply.answer]
    last = done[-1].answer if done else None
    meta = f'<footer class="g-meta">{cost_html(total_cost(costs), last, 0)}</footer>' if last else ""
    return join(parts) + meta


def _stage_button(reply: Reply) -> str:
    """The meeting's title; a click shows its timeline."""
    label = t("Show the timeline of {title}", title=reply.title)
    return (
        f'<button type="button" class="g-from" data-stage="{escape(reply.meeting_id)}" '
        f'aria-label="{escape(label)}">{escape(reply.title)}</button>'
    )


def sentences_html(reply: Reply, numbers: Numbers, *, headline: bool = False) -> str:
    """Return the sentences, each followed by the numbers of what it rests on."""
    answer = reply.answer
    if answer is None:
        return ""
    cited = {citation.utterance: citation for citation in answer.citations}
    lines = []
    for position, sentence in enumerate(answer.sentences):
        pills = [
            pill(numbers[reply.meeting_id, id], reply.meeting_id, cited[id])
            for id in sentence.citations
            if id in cited
        ]
        lead = headline and position == 0 and len(sentence.text) <= LEAD
        tag = ("<h2>", "</h2>") if lead else ("<p>", "</p>")
        lines.append(f"{tag[0]}{_kept_together(sentence.text, pills)}{tag[1]}")
    return join(lines)


def _kept_together(text: str, pills: Sequence[str]) -> str:
    """Return the sentence and its pills, the first pill never alone at the start of a line."""
    before, space, last = text.rpartition(" ")
    if not pills or len(last) > 24:
        return f"{escape(text)} {' '.join(pills)}"
    kept = f'<span class="g-keep">{escape(last)} {pills[0]}</span>'
    return f"{escape(before)}{space}{kept} {' '.join(pills[1:])}"


def _advice() -> str:
    return (
        f'<p class="g-soft">{t("Try other words, take away limits, or ask all meetings.")} '
        f"{t('What came closest is under “How it got there”.')}</p>"
    )


def _gone(reply: Reply) -> str:
    return (
        ""
        if reply.meeting
        else notice(t("This meeting was deleted since; the answer is kept as it was."), "warn")
    )


# --- what it is worth -----------------------------------------------------------------------------


def warning_html(answer: Answer) -> str:
    """Return a warning under an answer that the check did not accept, else nothing."""
    if not answer.found or answer.verified or answer.reflection_score is None:
        return ""
    if answer.reflection_score <= WEAK:
        return notice(t("What was found hardly fits the question. Listen before you rely on it."), "warn")
    return notice(t("Not every sentence could be confirmed. Listen before you rely on it."), "warn")


def verdict_html(answer: Answer) -> str:
    """Return the badge: verified, unverified, not checked, or not in this meeting; its tip explains it."""
    if not answer.found:
        return _badge(
            "plain",
            t("Not in this meeting"),
            t("Everything was searched and nothing answers the question."),
        )
    if answer.reflection_score is None:
        return _badge("plain", t("Not checked"), t("This way of answering does not check its answers."))
    score = f"{answer.reflection_score:.3g}/5"
    if answer.verified:
        return _badge(
            "ok",
            f"✓ {t('Verified')} {score}",
            t("Each sentence was checked against what it cites, and the check gave {score}.", score=score),
        )
    return _badge(
        "warn",
        f"{t('Unverified')} {score}",
        t("The check against the cited moments gave only {score}.", score=score),
    )


def _badge(kind: str, text: str, tip: str) -> str:
    return f'<span class="g-badge {kind}" tabindex="0" data-tip="{escape(tip)}">{escape(text)}</span>'


def cost_html(cost: Cost, answer: Answer | None, rounds: int) -> str:
    """Return rounds, tool calls, seconds, tokens and who answered, as one line."""
    parts = [count(rounds, "round")] if rounds else []
    parts += [count(cost.tool_calls, "tool call"), seconds_text(cost.seconds)]
    if cost.llm_calls:
        parts.append(t("{n} tokens", n=f"{cost.prompt_tokens + cost.completion_tokens:,}"))
    if cost.cache_hits:
        parts.append(t("{n} from the cache", n=cost.cache_hits))
    if answer and answer.dropped_citations:
        parts.append(t("{citations} dropped", citations=count(answer.dropped_citations, "citation")))
    line = f'<span class="g-num">{escape(" · ".join(parts))}</span>'
    if answer is None:
        return line
    if answer.policy != "offline":
        return f'{line}<span class="g-by">{escape(answer.policy)}</span>'
    tip = t("No language model took part: every word comes from the meeting itself.")
    return f'{line}<span class="g-by" tabindex="0" data-tip="{escape(tip)}">{t("offline policy")}</span>'


def _rounds(reply: Reply) -> int:
    return sum(isinstance(step, Plan) and bool(step.calls) for step in reply.steps)


# --- what to do with it ---------------------------------------------------------------------------

EXPORTS = {"md": "Markdown", "docx": "Word", "zip": "ZIP with clips"}


def actions_html(kept: Kept, *, compare: bool) -> str:
    """Return copy link, export, compare, hand on and rate, as buttons."""
    token = escape(kept.token)
    files = join(
        f'<a class="g-small" href="grga/answers/{token}/export/{format}" download>{t(name)}</a>'
        for format, name in EXPORTS.items()
    )
    buttons = [
        f'<button type="button" class="g-small" data-copy="?answer={token}" data-done="{t("Copied")}">{t("Copy link")}</button>',
        f'<details class="g-menu"><summary class="g-small">{t("Export")}</summary><div>{files}</div></details>',
    ]
    if compare:
        buttons.append(_action("compare", token, t("Compare")))
        buttons.append(_action("connect", token, t("Connections")))
    if kept.annotate:
        buttons.append(_action("annotate", token, t("To Annotate")))
    if kept.mine:
        buttons += [_thumb(kept, 1, t("Good answer")), _thumb(kept, -1, t("Bad answer"))]
    return f'<div class="g-acts" role="group" aria-label="{t("With this answer")}">{join(buttons)}</div>'


def _action(action: str, token: str, text: str) -> str:
    return f'<button type="button" class="g-small" data-action="{action}" data-id="{token}">{escape(text)}</button>'


def _thumb(kept: Kept, value: int, label: str) -> str:
    pressed = "true" if kept.rating == value else "false"
    return (
        f'<button type="button" class="g-small g-thumb" data-action="rate" data-id="{escape(kept.token)}" '
        f'data-value="{value}" aria-pressed="{pressed}" aria-label="{label}" title="{label}">{thumb_svg(value)}</button>'
    )


def thumb_svg(value: int) -> str:
    """Return a thumb, up (1) or down (-1), in the colour of the text around it."""
    turned = "" if value > 0 else ' transform="rotate(180 8 8)"'
    return (
        '<svg class="g-thumb-icon" viewBox="0 0 16 16" aria-hidden="true"><path fill="none" stroke="currentColor" '
        f'stroke-width="1.3" stroke-linejoin="round"{turned} d="M2 7h2.6v7H2zM4.600 7.400 7.600 1.800c1.200 0 1.900 .9 '
        '1.600 2.200L8.800 6.200h3.700c1 0 1.700 .9 1.500 1.800l-1.100 4.800c-.2 .7-.8 1.200-1.500 1.200H4.600"/></svg>'
    )


def working_html(question: str, text: str, done: str = "") -> str:
    """Return the place of an answer that is being looked for; ``done`` are finished parts."""
    return (
        f'<article class="g-panel g-answer"><h2 class="g-soft">{escape(question)}</h2>'
        f'<p class="g-progress" role="status"><i></i>{escape(text)}</p></article>{done}'
    )

"""An answer and its evidence, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grga.agent.steps import Observation, Step
from grga.scopes import clock
from grga.types import Answer, Citation, Meeting
from grga.ui.render import badges, chip, count, escape, join, seconds_text, span_text

LEAD = 140
"""A first sentence of at most this many characters is set as the headline of the answer."""

WORDS, MEANING, BOTH = "the words", "the meaning", "words and meaning"
FOUND_BY = {
    "keyword_search": WORDS,
    "semantic_search": MEANING,
    "hybrid_search": BOTH,
    "filter_time_range": "the time",
    "filter_speaker": "the speaker",
    "traverse_relations": "the graph",
    "audio_segment": "listening",
}
RELATIONS = {
    "temporal": "said next to it",
    "reply_to": "reply",
    "same_speaker": "same speaker",
    "entity": "same topic",
    "semantic": "refers to it",
}


# --- the answer -----------------------------------------------------------------------------------


def answer_html(answer: Answer, meeting: Meeting, rounds: int) -> str:
    """Return the answer with its numbered citations, its verdict and what it cost."""
    numbers = {citation.utterance: n for n, citation in enumerate(answer.citations, 1)}
    parts = []
    for position, sentence in enumerate(answer.sentences):
        pills = [_pill(numbers[id], meeting, id) for id in sentence.citations if id in numbers]
        lead = position == 0 and len(sentence.text) <= LEAD
        tag = ("<h2>", "</h2>") if lead else ("<p>", "</p>")
        parts.append(f"{tag[0]}{_kept_together(sentence.text, pills)}{tag[1]}")
    kind = "" if answer.found else " g-nothing"
    return (
        f'<article class="g-panel g-answer{kind}" aria-live="polite">{join(parts)}'
        f'<footer class="g-meta">{_verdict(answer)}<span class="g-num">{escape(_cost(answer, rounds))}</span>'
        "</footer></article>"
    )


def _kept_together(text: str, pills: Sequence[str]) -> str:
    """Return the sentence and its pills, the first pill never alone at the start of a line."""
    before, space, last = text.rpartition(" ")
    if not pills or len(last) > 24:
        return f"{escape(text)} {join(pills)}"
    kept = f'<span class="g-keep">{escape(last)} {pills[0]}</span>'
    return f"{escape(before)}{space}{kept}{join(pills[1:])}"


def _pill(number: int, meeting: Meeting, id: int) -> str:
    spoken = meeting.utterances[id]
    label = f"Citation {number}, {meeting.name_of(spoken)}, {clock(spoken.start)}"
    return (
        f'<button type="button" class="g-pill" {_plays(number, spoken.start, spoken.end)} '
        f'aria-label="{escape(label)}">{number}</button>'
    )


def _plays(number: int, start: float, end: float) -> str:
    return f'data-cite="{number}" data-start="{start:.3f}" data-end="{end:.3f}"'


def _verdict(answer: Answer) -> str:
    if not answer.found:
        return '<span class="g-badge plain">Not in this meeting</span>'
    if answer.reflection_score is None:
        return '<span class="g-badge plain" title="This system does not check its answers">Not checked</span>'
    score = f"{answer.reflection_score:.3g}/5"
    if answer.verified:
        return f'<span class="g-badge ok">✓ Verified {score}</span>'
    return f'<span class="g-badge warn">Unverified {score}</span>'


def _cost(answer: Answer, rounds: int) -> str:
    cost = answer.cost
    parts = [count(rounds, "round")] if rounds else []
    parts += [count(cost.tool_calls, "tool call"), seconds_text(cost.seconds)]
    if cost.llm_calls:
        parts.append(f"{cost.prompt_tokens + cost.completion_tokens:,} tokens")
    if answer.dropped_citations:
        parts.append(f"{count(answer.dropped_citations, 'citation')} dropped")
    parts.append("offline policy" if answer.policy == "offline" else answer.policy)
    return " · ".join(parts)


# --- the evidence ---------------------------------------------------------------------------------


def evidence_html(answer: Answer, meeting: Meeting, steps: Sequence[Step]) -> str:
    """Return the cited moments with quote, speaker, time, why they were found and a play button."""
    if not answer.citations:
        text = "Nothing is cited: the meeting holds no moment that answers this."
        return (
            '<div class="g-panel g-evidence"><div class="g-title">Evidence</div>'
            f'<p class="g-none">{text}</p></div>'
        )
    why = provenance(steps)
    items = join(
        _evidence(number, citation, meeting, why.get(citation.utterance, ""))
        for number, citation in enumerate(answer.citations, 1)
    )
    return (
        '<div class="g-panel g-evidence"><div class="g-title">Evidence'
        f"<span>{len(answer.citations)}</span></div><ol>{items}</ol></div>"
    )


def _evidence(number: int, citation: Citation, meeting: Meeting, why: str) -> str:
    badge = badges(meeting)[meeting.utterances[citation.utterance].speaker]
    label = f"Play citation {number}"
    plays = _plays(number, citation.span.start, citation.span.end)
    sounds = ""
    if meeting.has_audio:
        sounds = f'<button type="button" class="g-play" aria-label="{label}">▶</button>'
    reason = f'<div class="g-why">{escape(why)}</div>' if why else ""
    return (
        f'<li class="g-moment" {plays}><span class="g-pill" aria-hidden="true">{number}</span>'
        f"<div>{chip(badge, citation.speaker)} "
        f'<span class="g-num g-soft">{escape(span_text(citation.span))}</span></div>{sounds}'
        f"<blockquote>“{escape(citation.text)}”</blockquote>{reason}</li>"
    )


def provenance(steps: Iterable[Step]) -> dict[int, str]:
    """Return, per utterance id, in a few words by which relation, sound or search it was found."""
    reasons: dict[int, list[str]] = {}
    for step in steps:
        if isinstance(step, Observation):
            for one in step.found:
                reasons.setdefault(one.id, []).append(_reason(step.call.name, one.why))
    return {id: f"found by {' · '.join(_most_telling(found))}" for id, found in reasons.items()}


def _most_telling(reasons: list[str]) -> list[str]:
    """Return at most three different reasons: what only this utterance has before what any search gives."""
    different = list(dict.fromkeys(reasons))
    if {WORDS, MEANING} <= set(different) or BOTH in different:
        different = [reason for reason in different if reason not in (WORDS, MEANING, BOTH)] + [BOTH]
    return sorted(different, key=lambda reason: reason in (WORDS, MEANING, BOTH))[:3]


def _reason(tool: str, why: str) -> str:
    kind, colon, rest = why.partition(": ")
    if tool == "traverse_relations" and colon and kind in RELATIONS:
        label = rest.partition(" (")[2].removesuffix(")")
        return f"{RELATIONS[kind]} ({label})" if label else RELATIONS[kind]
    if tool == "audio_segment" and why:
        return f"listening ({why})"
    return FOUND_BY.get(tool, tool)

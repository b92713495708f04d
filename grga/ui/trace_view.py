"""How an answer came about, step by step, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grga.agent.steps import Decomposition, Draft, Observation, Plan, Reflection, Step
from grga.scopes import clock
from grga.types import Answer, Meeting
from grga.ui.render import badges, count, escape, join, seconds_text, span_text


def trace_html(steps: Sequence[Step], meeting: Meeting, *, working: bool = False) -> str:
    """Return the steps so far as a readable story; once finished, only its last round is unfolded."""
    groups: list[str] = []
    rounds: dict[int, list[Plan | Observation | Draft | Reflection]] = {}
    for step in steps:
        if isinstance(step, Decomposition):
            figures = seconds_text(step.seconds)
            groups.append(_group(1, "Understand", figures, _understood(step, meeting), unfolded=True))
        elif not isinstance(step, Answer):
            rounds.setdefault(step.round, []).append(step)
    draft = ""
    for position, (number, parts) in enumerate(rounds.items(), len(groups) + 1):
        last = number == max(rounds)
        groups.append(_round(position, number, parts, meeting, draft, unfolded=last))
        draft = next((_draft_text(part) for part in parts if isinstance(part, Draft)), draft)
    if working:
        groups.append('<div class="g-working" role="status"><i></i>Looking…</div>')
    if not groups:
        return ""
    title = '<div class="g-title">How it got there</div>'
    return f'<section class="g-panel g-trace">{title}{join(groups)}</section>'


def _group(position: int, title: str, figures: str, body: str, *, unfolded: bool) -> str:
    return (
        f'<details{" open" if unfolded else ""}><summary><span class="g-n">{position}</span><b>{escape(title)}</b>'
        f'<span class="g-num g-soft">{escape(figures)}</span></summary>'
        f'<div class="g-step">{body}</div></details>'
    )


def _understood(step: Decomposition, meeting: Meeting) -> str:
    meta = step.metadata
    names = {speaker.id: speaker.name for speaker in meeting.speakers}
    parts = [f"{meta.question_type} question, {meta.subtask}", f"wants: {meta.form.replace('_', ' ')}"]
    words = ", ".join(dict.fromkeys((*step.entities, *step.concepts)))
    if words:
        parts.append(f"about {words}")
    if meta.speakers:
        parts.append("by " + ", ".join(names.get(id, id) for id in meta.speakers))
    for limit in step.time:
        where = span_text(limit.span) if limit.span else (limit.anchor or limit.text)
        parts.append(f"time: {limit.relation} {where}")
    if meta.acoustic:
        parts.append("sound: " + ", ".join(meta.acoustic))
    return escape(" · ".join(parts))


def _draft_text(draft: Draft) -> str:
    return " ".join(sentence.text for sentence in draft.sentences)


def _round(
    position: int,
    number: int,
    parts: list[Plan | Observation | Draft | Reflection],
    meeting: Meeting,
    before: str,
    *,
    unfolded: bool,
) -> str:
    """Return one round; ``before`` is the draft of the round before it, which is not repeated."""
    plan = next((part for part in parts if isinstance(part, Plan)), None)
    looks = [part for part in parts if isinstance(part, Observation)]
    seen = {one.id for look in looks for one in look.found}
    goal = f" · {plan.goal}" if plan and plan.goal else ""
    figures = [seconds_text(sum(part.seconds for part in parts))]
    tokens = sum(part.tokens.prompt + part.tokens.completion for part in parts)
    if tokens:
        figures.append(f"{tokens:,} tokens")
    if looks:
        figures.append(f"{len(seen)} found")
    lines = [_look(look, meeting) for look in looks]
    if plan and not plan.calls:
        lines.append("<div>No plan left that could bring more.</div>")
    for part in parts:
        if isinstance(part, Draft):
            text = "as before" if _draft_text(part) == before else _draft_text(part)
            lines.append(f'<div class="g-draft"><b>Draft</b> {escape(text)}</div>')
            lines += [f'<div class="g-soft">{escape(note)}</div>' for note in part.notes]
        if isinstance(part, Reflection):
            missing = f" Missing: {', '.join(part.missing)}." if part.missing else ""
            critique = part.critique.rstrip(".") + "."
            lines.append(
                f'<div><b>Checked</b> <span class="g-num">{part.score:.3g}/5</span> '
                f"<em>{escape(critique + missing)}</em></div>"
            )
    return _group(position, f"Round {number}{goal}", " · ".join(figures), join(lines), unfolded=unfolded)


def _look(step: Observation, meeting: Meeting) -> str:
    arguments = ", ".join(f"{name}={_short(value)}" for name, value in step.call.arguments.items())
    line = f"<code>{escape(step.call.name)}({escape(arguments)})</code> "
    if step.error:
        return f'<div>{line}<span class="g-bad">{escape(step.error)}</span></div>'
    line += f'→ <span class="g-num">{count(len(step.found), "utterance")}</span>'
    sounds = _sounds(step.measurements)
    if sounds:
        line += f', <span class="g-num">{escape(sounds)}</span>'
    times = join(_moment(one.id, meeting) for one in step.found[:6])
    more = f'<span class="g-soft">+{len(step.found) - 6}</span>' if len(step.found) > 6 else ""
    return f'<div>{line}</div><div class="g-moments">{times}{more}</div>'


def _sounds(values: Mapping[str, Any]) -> str:
    shown = (("loudness_db", "{:.1f} dB"), ("loudness_z", "{:+.1f} z"), ("f0_mean_hz", "{:.0f} Hz"))
    return ", ".join(form.format(values[name]) for name, form in shown if name in values)


def _moment(id: int, meeting: Meeting) -> str:
    spoken = meeting.utterances[id]
    letter = badges(meeting)[spoken.speaker].letter
    return (
        f'<button type="button" class="g-time" data-start="{spoken.start:.3f}" data-end="{spoken.end:.3f}" '
        f'title="{escape(spoken.text)}">{letter} {escape(clock(spoken.start))}</button>'
    )


def _short(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

"""How an answer came about, step by step, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grga.agent.steps import Decomposition, Draft, Observation, Plan, Reflection, Step, Tokens
from grga.scopes import clock
from grga.types import Answer, Meeting
from grga.ui.asking import Reply
from grga.ui.moments import plays
from grga.ui.render import badges, count, escape, join, seconds_text, span_text
from grga.ui.texts import t

MOMENTS = 6

RoundStep = Plan | Observation | Draft | Reflection


def trace_html(replies: Sequence[Reply], *, working: bool = False) -> str:
    """Return the steps so far as a readable story; several meetings fold into one line each.

    Args:
        replies: The answers, finished or not.
        working: Whether the last of them is still being looked for.
    """
    told = [reply for reply in replies if reply.steps or (working and reply is replies[-1])]
    if not told:
        return ""
    title = f'<h3 class="g-title">{t("How it got there")}</h3>'
    if len(replies) == 1:
        body = steps_html(told[0].steps, told[0].meeting, key="", working=working)
    else:
        body = join(_of_meeting(reply, working=working and reply is replies[-1]) for reply in told)
    return f'<section class="g-panel g-trace">{title}{body}</section>'


def _of_meeting(reply: Reply, *, working: bool) -> str:
    body = steps_html(reply.steps, reply.meeting, key=reply.meeting_id, working=working)
    opened = " open" if working else ""
    figures = seconds_text(reply.answer.cost.seconds) if reply.answer else ""
    return (
        f'<details class="g-of" data-key="{escape(reply.meeting_id)}"{opened}><summary><b>{escape(reply.title)}</b>'
        f'<span class="g-num g-soft">{escape(figures)}</span></summary>{body}</details>'
    )


def steps_html(steps: Sequence[Step], meeting: Meeting | None, *, key: str, working: bool = False) -> str:
    """Return understanding and rounds, each foldable; once finished, only the last round is unfolded.

    Args:
        steps: So far.
        meeting: Whose moments are shown; None leaves them out.
        key: Tells these steps from others in the page, so that what a visitor unfolds stays so.
        working: Whether the next step is being taken; it is named.
    """
    groups: list[str] = []
    rounds: dict[int, list[RoundStep]] = {}
    for step in steps:
        if isinstance(step, Decomposition):
            figures = _figures([step], None)
            body = _understood(step, meeting)
            groups.append(_group(1, t("Understand"), figures, body, f"{key}.0", unfolded=True))
        elif not isinstance(step, Answer):
            rounds.setdefault(step.round, []).append(step)
    before: list[RoundStep] = []
    for number, parts in rounds.items():
        name = f"{key}.{number}"
        last = number == max(rounds)
        groups.append(_round(len(groups) + 1, parts, before, meeting, name, unfolded=last))
        before = parts
    if working:
        groups.append(f'<div class="g-working"><i></i>{escape(running(steps))}</div>')
    return join(groups)


def running(steps: Sequence[Step]) -> str:
    """Return what is being done after ``steps``, as a person would say it."""
    last = steps[-1] if steps else None
    if last is None:
        return t("Reading the question…")
    if isinstance(last, Plan | Observation):
        plan = next((step for step in reversed(steps) if isinstance(step, Plan)), None)
        done = sum(isinstance(step, Observation) and step.round == last.round for step in steps)
        if plan and done < len(plan.calls):
            return t("Running {tool}…", tool=plan.calls[done].name)
        return t("Writing a draft…")
    if isinstance(last, Draft):
        return t("Checking every sentence against its evidence…")
    return t("Planning the next look…")


def _group(position: int, title: str, figures: str, body: str, key: str, *, unfolded: bool) -> str:
    return (
        f'<details data-key="trace{escape(key)}"{" open" if unfolded else ""}>'
        f'<summary><span class="g-n">{position}</span><b>{escape(title)}</b>'
        f'<span class="g-num g-soft">{escape(figures)}</span></summary>'
        f'<div class="g-step">{body}</div></details>'
    )


def _figures(parts: Sequence[Decomposition | RoundStep], found: int | None) -> str:
    """Return seconds, tokens and cache hits of some steps, and how much was found."""
    used = sum((part.tokens for part in parts), Tokens())
    figures = [seconds_text(sum(part.seconds for part in parts))]
    if used.prompt + used.completion:
        figures.append(t("{n} tokens", n=f"{used.prompt + used.completion:,}"))
    if used.cached:
        figures.append(t("{n} from the cache", n=used.cached))
    if found is not None:
        figures.append(t("{n} found", n=found))
    return " · ".join(figures)


def _understood(step: Decomposition, meeting: Meeting | None) -> str:
    meta = step.metadata
    names = {speaker.id: speaker.name for speaker in meeting.speakers} if meeting else {}
    parts = [
        t("{type} question, {subtask}", type=t(meta.question_type.value), subtask=t(meta.subtask)),
        t("wants: {form}", form=t(meta.form.value.replace("_", " "))),
    ]
    words = ", ".join(dict.fromkeys((*step.entities, *step.concepts)))
    if words:
        parts.append(t("about {words}", words=words))
    if meta.speakers:
        parts.append(t("by {names}", names=", ".join(names.get(id, id) for id in meta.speakers)))
    for limit in step.time:
        where = span_text(limit.span) if limit.span else (limit.anchor or limit.text)
        parts.append(t("time: {relation} {where}", relation=t(limit.relation), where=where))
    if meta.acoustic:
        parts.append(t("sound: {sounds}", sounds=", ".join(meta.acoustic)))
    return escape(" · ".join(parts))


def _draft_text(draft: Draft) -> str:
    return " ".join(sentence.text for sentence in draft.sentences)


def _round(
    position: int,
    parts: Sequence[RoundStep],
    before: Sequence[RoundStep],
    meeting: Meeting | None,
    key: str,
    *,
    unfolded: bool,
) -> str:
    """Return one round; what led to it comes from ``before``, the round before it."""
    plan = next((part for part in parts if isinstance(part, Plan)), None)
    looks = [part for part in parts if isinstance(part, Observation)]
    seen = {one.id for look in looks for one in look.found}
    lines = [_replanned(before)] if plan and before else []
    if plan and not plan.calls:
        lines.append(f"<div>{t('No plan left that could bring more.')}</div>")
    lines += [_look(look, meeting) for look in looks]
    earlier = next((_draft_text(part) for part in before if isinstance(part, Draft)), "")
    for part in parts:
        if isinstance(part, Draft):
            lines.append(_draft(part, earlier))
        elif isinstance(part, Reflection):
            lines.append(_checked(part))
    goal = f" · {plan.goal}" if plan and plan.goal else ""
    title = t("Round {n}", n=parts[0].round) + goal
    figures = _figures(parts, len(seen) if looks else None)
    return _group(position, title, figures, join(lines), key, unfolded=unfolded)


def _replanned(before: Sequence[RoundStep]) -> str:
    """Say why there is another round: what the check before it missed."""
    check = next((part for part in reversed(before) if isinstance(part, Reflection)), None)
    if check is None or not check.missing:
        return ""
    return f'<div class="g-replan">{escape(t("Planned again for: {missing}", missing=", ".join(check.missing)))}</div>'


def _draft(part: Draft, earlier: str) -> str:
    words = t("as before") if _draft_text(part) == earlier else _draft_text(part)
    notes = join(f'<div class="g-soft">{escape(note)}</div>' for note in part.notes)
    return f'<div class="g-draft"><b>{t("Draft")}</b> {escape(words)}</div>{notes}'


def _checked(part: Reflection) -> str:
    critique = part.critique.rstrip(".") + "."
    if part.missing:
        critique += " " + t("Missing: {missing}.", missing=", ".join(part.missing))
    return (
        f'<div><b>{t("Checked")}</b> <span class="g-num">{part.score:.3g}/5</span> '
        f"<em>{escape(critique)}</em></div>"
    )


def _look(step: Observation, meeting: Meeting | None) -> str:
    arguments = ", ".join(f"{name}={_short(value)}" for name, value in step.call.arguments.items())
    line = f"<code>{escape(step.call.name)}({escape(arguments)})</code> "
    if step.error:
        return f'<div>{line}<span class="g-bad">{escape(step.error)}</span></div>'
    line += f'→ <span class="g-num">{count(len(step.found), "utterance")}</span>'
    sounds = _sounds(step.measurements)
    if sounds:
        line += f', <span class="g-num">{escape(sounds)}</span>'
    figures = _figures([step], None)
    line = f'<div class="g-look">{line}<span class="g-num">{escape(figures)}</span></div>'
    if meeting is None:
        return line
    known = [one.id for one in step.found if one.id < len(meeting.utterances)]
    times = join(_moment(id, meeting) for id in known[:MOMENTS])
    more = f'<span class="g-soft">+{len(step.found) - MOMENTS}</span>' if len(step.found) > MOMENTS else ""
    return f'{line}<div class="g-moments">{times}{more}</div>' if times else line


def _sounds(values: Mapping[str, Any]) -> str:
    shown = (("loudness_db", "{:.1f} dB"), ("loudness_z", "{:+.1f} z"), ("f0_mean_hz", "{:.0f} Hz"))
    measured = [form.format(values[name]) for name, form in shown if name in values]
    heard = {**(values.get("emotions") or {}), **(values.get("events") or {})}
    return ", ".join([*measured, *(f"{t(name)} {number}×" for name, number in heard.items())])


def _moment(id: int, meeting: Meeting) -> str:
    spoken = meeting.utterances[id]
    letter = badges(meeting)[spoken.speaker].letter
    name = meeting.name_of(spoken)
    label = f"{name}, {clock(spoken.start)}"
    return (
        f'<button type="button" class="g-time" {plays(meeting.id, spoken.span)} '
        f'data-tip="{escape(f"{name}: {spoken.text}")}" aria-label="{escape(label)}">'
        f"{letter} {escape(clock(spoken.start))}</button>"
    )


def _short(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

"""The cited moments beside the answer: who said it, when, the words, and why it was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grga.agent.steps import Observation, Step
from grga.types import Citation
from grga.ui.asking import Reply
from grga.ui.moments import Numbers, plays
from grga.ui.render import badges, chip, escape, join, span_text
from grga.ui.texts import t

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


def evidence_html(
    replies: Sequence[Reply], numbers: Numbers, cited_by: Mapping[tuple[str, int], str] | None = None
) -> str:
    """Return the list of cited moments in order of their numbers.

    Args:
        replies: The answers shown together.
        numbers: Of all their moments.
        cited_by: When answers are compared, the letters of those that cite a moment.
    """
    title = f'<h3 class="g-title">{t("Evidence")}<span>{len(numbers) or ""}</span></h3>'
    if not numbers:
        none = t("Nothing is cited: no moment answers this.")
        return f'<section class="g-panel g-evidence">{title}<p class="g-none">{none}</p></section>'
    several = len({reply.meeting_id for reply in replies}) > 1
    items: dict[int, str] = {}
    for reply in replies:
        why = provenance(reply.steps)
        for citation in reply.answer.citations if reply.answer else ():
            key = reply.meeting_id, citation.utterance
            if numbers[key] in items:
                continue
            notes = [reply.title] if several else []
            notes += [why[citation.utterance]] if citation.utterance in why else []
            letters = cited_by.get(key, "") if cited_by else ""
            items[numbers[key]] = _moment(numbers[key], reply, citation, " · ".join(notes), letters)
    listed = join(items[number] for number in sorted(items))
    return f'<section class="g-panel g-evidence" tabindex="0" aria-label="{t("Evidence")}">{title}<ol>{listed}</ol></section>'


def _moment(number: int, reply: Reply, citation: Citation, note: str, letters: str) -> str:
    meeting = reply.meeting
    if meeting is None:
        who = f'<span class="g-speaker">{escape(citation.speaker)}</span>'
    else:
        who = chip(badges(meeting)[meeting.utterances[citation.utterance].speaker], citation.speaker)
    button = ""
    if meeting is not None and meeting.has_audio:
        label = t("Play citation {number}", number=number)
        button = f'<button type="button" class="g-play" aria-label="{label}">▶</button>'
    by = join(f"<i>{letter}</i>" for letter in letters)
    cited = t("cited by {letters}", letters=", ".join(letters))
    by = f'<span class="g-letters" role="img" aria-label="{cited}">{by}</span>' if letters else ""
    why = f'<p class="g-why">{escape(note)}</p>' if note else ""
    return (
        f'<li class="g-moment" {plays(reply.meeting_id, citation.span, number)}>'
        f'<span class="g-pill" aria-hidden="true">{number}</span>'
        f'<div class="g-who">{who}<span class="g-num g-soft">{escape(span_text(citation.span))}</span>{by}</div>{button}'
        f"<grga-quote><blockquote>“{escape(citation.text)}”</blockquote></grga-quote>{why}</li>"
    )


def provenance(steps: Iterable[Step]) -> dict[int, str]:
    """Return, per utterance id, in a few words by which relation, sound or search it was found."""
    reasons: dict[int, list[str]] = {}
    for step in steps:
        if isinstance(step, Observation):
            for one in step.found:
                reasons.setdefault(one.id, []).append(_reason(step.call.name, one.why))
    return {
        id: t("found by {reasons}", reasons=" · ".join(_most_telling(found))) for id, found in reasons.items()
    }


def _most_telling(reasons: list[str]) -> list[str]:
    """Return at most three different reasons: what only this utterance has before what any search gives."""
    searches = [t(WORDS), t(MEANING), t(BOTH)]
    different = list(dict.fromkeys(reasons))
    if set(searches[:2]) <= set(different) or searches[2] in different:
        different = [reason for reason in different if reason not in searches] + [searches[2]]
    return sorted(different, key=lambda reason: reason in searches)[:3]


def _reason(tool: str, why: str) -> str:
    kind, colon, rest = why.partition(": ")
    if tool == "traverse_relations" and colon and kind in RELATIONS:
        label = rest.partition(" (")[2].removesuffix(")")
        return f"{t(RELATIONS[kind])} ({label})" if label else t(RELATIONS[kind])
    if tool == "audio_segment" and why:
        return f"{t('listening')} ({why})"
    return t(FOUND_BY[tool]) if tool in FOUND_BY else tool

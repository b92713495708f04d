"""Answers that are counted or measured: mentions, turns, people, seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grga.agent.policies.offline.answers.extract import regions
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.phrases import at, joined, length, often, turns
from grga.text import content_terms, folded, has_han
from grga.types import Sentence, Utterance

SHOWN = 12
"""Most single turns cited for a count; the number itself is over all of them."""


def mentions(case: Case) -> tuple[Sentence, ...]:
    """Count how often the topic's words are said, over all turns that fit the question."""
    focus = case.reading.focus
    term = focus.quoted[0] if focus.quoted else focus.topic
    hits = [(one, _occurrences(term, one.text)) for one in _narrowed(case, "words")]
    hits = [(one, count) for one, count in hits if count]
    if not hits:
        return ()
    total = sum(count for _, count in hits)
    ids = [one.id for one, _ in hits]
    head = case.say(
        "count_mentions",
        _spread(ids),
        term=term,
        count=often(case.language, total),
        turns=turns(case.language, len(ids)),
    )
    return (
        head,
        *(case.quote("said", one) for one, _ in (hits[:1] if len(hits) == 1 else [hits[0], hits[-1]])),
    )


def turns_of(case: Case) -> tuple[Sentence, ...]:
    """Count a speaker's turns."""
    sentences = []
    for id in case.speakers:
        own = _turns(case, id)
        if own:
            seconds = length(case.language, _seconds(own))
            count = often(case.language, len(own))
            name = case.meeting.speaker(id).name
            cites = _spread([one.id for one in own])
            sentences.append(case.say("count_turns", cites, name=name, count=count, seconds=seconds))
    return tuple(sentences)


def people(case: Case) -> tuple[Sentence, ...]:
    """Count who speaks, citing each one's first turn."""
    first: dict[str, Utterance] = {}
    for one in case.in_time_order(case.found("all")):
        first.setdefault(one.speaker, one)
    if not first:
        return ()
    names = joined(case.language, [case.meeting.speaker(id).name for id in first])
    cites = [one.id for one in first.values()]
    return (case.say("count_people", cites, count=len(first), names=names),)


def talk_time(case: Case) -> tuple[Sentence, ...]:
    """Measure how long the named speakers talk."""
    everybody = _seconds(case.meeting.utterances)
    sentences = []
    for id in case.speakers:
        own = _turns(case, id)
        if own:
            sentences.append(
                case.say(
                    "talk_time",
                    _spread([one.id for one in own]),
                    name=case.meeting.speaker(id).name,
                    seconds=length(case.language, _seconds(own)),
                    share=f"{_seconds(own) / everybody:.0%}",
                    turns=turns(case.language, len(own)),
                )
            )
    return tuple(sentences)


def longest_turn(case: Case) -> tuple[Sentence, ...]:
    """Find the longest turn of each named speaker, or of all."""
    pools = [_turns(case, id) for id in case.speakers] or [case.in_time_order(case.found("all"))]
    return tuple(
        case.quote(
            "longest_turn",
            longest,
            seconds=length(case.language, longest.span.duration),
            start=at(longest.start),
            end=at(longest.end),
        )
        for longest in (max(pool, key=lambda one: one.span.duration) for pool in pools if pool)
    )


def talk_share(case: Case) -> tuple[Sentence, ...]:
    """Rank the speakers by seconds of talk in the window."""
    spoken: dict[str, list[Utterance]] = {}
    for one in case.in_time_order(case.found("all")):
        spoken.setdefault(one.speaker, []).append(one)
    if not spoken:
        return ()
    total = sum(_seconds(own) for own in spoken.values()) or 1.0
    least = re.search(r"\bleast\b|最少", case.belief.question, re.IGNORECASE) is not None
    order = sorted(spoken, key=lambda id: _seconds(spoken[id]), reverse=not least)
    sentences = []
    for place, id in enumerate(order):
        key = "talk_other" if place else "talk_least" if least else "talk_most"
        longest = sorted(spoken[id], key=lambda one: -one.span.duration)[:3]
        sentences.append(
            case.say(
                key,
                [one.id for one in longest],
                name=case.meeting.speaker(id).name,
                seconds=length(case.language, _seconds(spoken[id])),
                share=f"{_seconds(spoken[id]) / total:.0%}",
            )
        )
    return tuple(sentences)


def topic_time(case: Case) -> tuple[Sentence, ...]:
    """Measure how long a topic is discussed: the passages that the close candidates span."""
    chosen = case.best(limit=30, margin=2.5)
    passages = [group for group in regions(chosen) if len(group) > 1 or chosen[0] in group]
    if not passages:
        return ()
    total = sum(group[-1].end - group[0].start for group in passages)
    start, end = passages[0][0].start, passages[-1][-1].end
    cites = [id for group in passages for id in (group[0].id, group[-1].id)]
    head = case.say("topic_time", cites, seconds=length(case.language, total), start=at(start), end=at(end))
    parts = [
        case.quote("topic_part", group[0], group[-1].id, start=at(group[0].start), end=at(group[-1].end))
        for group in passages
    ]
    return (head, *parts)


def meeting_time(case: Case) -> tuple[Sentence, ...]:
    """Say how long the meeting lasts, citing its first and last turn."""
    ids = sorted(case.found("all"))
    if not ids:
        return ()
    return (
        case.say("meeting_time", [ids[0], ids[-1]], seconds=length(case.language, case.meeting.duration)),
    )


def _turns(case: Case, speaker: str) -> list[Utterance]:
    own = case.in_time_order(case.found(f"turns-{speaker}"))
    return [one for one in own if case.window is None or case.window.touches(one.span)]


def _narrowed(case: Case, result: str) -> list[Utterance]:
    return [one for one in case.in_time_order(case.found(result)) if case.fits(one)]


def _seconds(utterances: Sequence[Utterance]) -> float:
    return sum(one.span.duration for one in utterances)


def _occurrences(term: str, text: str) -> int:
    """Count ``term`` in ``text``: the phrase itself, in any inflection; for several words that are never
    said in a row, 1 when all of them are in the turn.
    """
    if has_han(term):
        return folded(text).count(folded(term))
    wanted, said = content_terms(term), content_terms(text)
    if not wanted:
        return 0
    size = len(wanted)
    rows = sum(said[place : place + size] == wanted for place in range(len(said) - size + 1))
    return rows or int(size > 1 and set(wanted) <= set(said))


def _spread(ids: Sequence[int]) -> list[int]:
    """Return at most ``SHOWN`` ids, spread evenly from the first to the last."""
    if len(ids) <= SHOWN:
        return list(ids)
    step = (len(ids) - 1) / (SHOWN - 1)
    return [ids[round(place * step)] for place in range(SHOWN)]

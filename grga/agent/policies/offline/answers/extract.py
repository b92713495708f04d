"""Answers that the meeting gives in its own words: who, when, how much, what, and yes or no."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from grga.agent.policies.offline.answers.naming import naming, thing_named
from grga.agent.policies.offline.answers.people import asks_who_speaks, who
from grga.agent.policies.offline.answers.replies import replies, with_replies
from grga.agent.policies.offline.answers.verdict import verdict
from grga.agent.policies.offline.case import CLOSE, Case
from grga.agent.policies.offline.classify import form_of
from grga.agent.policies.offline.kinds import asks_for_moment, holds, kind_asked
from grga.agent.policies.offline.phrases import at, joined
from grga.agent.policies.offline.relevance import terms_of
from grga.agent.steps import Form
from grga.types import Sentence, Utterance

QUOTES = 5
"""Most quotes of an answer; further close utterances of the passage are cited with the nearest one."""
REGION_GAP = 60.0
"""Utterances further apart than this many seconds belong to different passages."""
ASKED = 3
"""Best candidates among which a question of the meeting may ask just what is asked here."""
FOLLOW_UP = 2
"""Turns behind it in which a question about the same thing may follow."""
KIND_MARGIN = 4.5
"""How far below the best candidate one that holds the kind of thing asked for (a date, a price) may lie."""


def extract(case: Case) -> tuple[Sentence, ...]:
    """Answer with the passages that fit best, led by a person or a time if one is asked for."""
    form = case.reading.constraints.metadata.form
    kind = kind_asked(case.belief.question, form)
    exact = case.word_for_word(case.reading.focus.quoted, case.speakers)
    chosen = exact or (_of_kind(case, kind) if kind else _by_speakers(case, case.best()))
    if not exact:
        chosen = with_replies(case, chosen)
    if not chosen:
        return ()
    if exact and form is Form.WHO and asks_who_speaks(case.belief.question):
        names = joined(case.language, list(dict.fromkeys(case.meeting.name_of(one) for one in exact)))
        return (case.say("who_all", [one.id for one in exact], names=names), *quoted(case, exact))
    if form is Form.WHO and not case.speakers:
        head, own = who(case, chosen)
        return (*head, *quoted(case, own))
    if form is Form.YES_NO:
        decided = verdict(case, chosen)
        if decided is None:
            return quoted(case, chosen)
        shows = [case.utterance(id) for id in decided.citations]
        return (decided, *quoted(case, [*shows, *(one for one in chosen if one not in shows)]))
    if form is Form.WHEN and asks_for_moment(case.belief.question):
        first = min(_passage(chosen), key=lambda one: one.start)
        return (case.say("when", [chosen[0].id], time=at(first.start)), *quoted(case, chosen))
    return quoted(case, chosen)


def quoted(case: Case, chosen: Sequence[Utterance]) -> tuple[Sentence, ...]:
    """Return quotes of the best utterances in order of time; the others are cited beside them.

    ``chosen`` comes best first.
    """
    leads = list(chosen[:QUOTES])
    beside: dict[int, list[int]] = defaultdict(list)
    for one in chosen[QUOTES:]:
        nearest = min(leads, key=lambda lead: abs(lead.start - one.start))
        beside[nearest.id].append(one.id)
    return tuple(
        case.quote("said", one, *sorted(beside[one.id])) for one in sorted(leads, key=lambda lead: lead.start)
    )


def regions(chosen: Sequence[Utterance]) -> list[list[Utterance]]:
    """Return the utterances grouped into passages, by time."""
    groups: list[list[Utterance]] = []
    for one in sorted(chosen, key=lambda utterance: utterance.start):
        if groups and one.start - groups[-1][-1].end <= REGION_GAP:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _of_kind(case: Case, kind: str) -> list[Utterance]:
    """Return the candidates that hold the kind of thing asked for; the close ones if none does."""
    if kind == "name":
        about = [one.id for one in case.meeting.utterances if thing_named(case) & terms_of(one.text)]
        return naming(case) or case.best(among=about) or case.best()
    if answered := _asked_and_answered(case, kind):
        return answered
    holding = [one for one in case.best(limit=60, margin=KIND_MARGIN) if holds(kind, one.text)]
    if not holding:
        return case.best()
    topic = set(case.terms)
    holding = [one for one in holding if topic & terms_of(one.text)] or holding
    scores = case.relevance.scores
    return [one for one in holding[:12] if scores[one.id] >= scores[holding[0].id] - CLOSE]


def _asked_and_answered(case: Case, kind: str) -> list[Utterance]:
    """Return a question of the meeting that asks for the same kind of thing as this one, and its short answer.

    It may follow up on a question about the topic: "谁来写计划？" — "我来。" — "什么时候能写好？" — "星期四。"
    """
    topic = set(case.terms)
    for lead in case.best()[:ASKED]:
        if not topic & terms_of(lead.text):
            continue
        for asked in case.meeting.utterances[lead.id : lead.id + 1 + FOLLOW_UP]:
            if kind_asked(asked.text, form_of(asked.text)) != kind:
                continue
            if answered := [one for one in replies(case, asked) if holds(kind, one.text)]:
                return [lead, asked, *answered] if lead != asked else [asked, *answered]
    return []


def _by_speakers(case: Case, chosen: list[Utterance]) -> list[Utterance]:
    """Return ``chosen``, led by what the named speakers say there when a Chinese question cites nothing of theirs."""
    if not case.speakers or case.language != "zh" or any(one.speaker in case.speakers for one in chosen):
        return chosen
    near = {
        id
        for one in chosen
        for id in case.belief.evidence
        if abs(case.utterance(id).span.middle - one.span.middle) <= REGION_GAP
    }
    theirs = [id for id in near if case.utterance(id).speaker in case.speakers]
    return [*case.best(among=theirs)[:QUOTES], *chosen[:1]] if theirs else chosen


def _passage(chosen: Sequence[Utterance]) -> list[Utterance]:
    """Return the passage that the best utterance belongs to."""
    return next(group for group in regions(chosen) if chosen[0] in group)

"""Answers that the meeting gives in its own words: who, when, how much, what, and yes or no."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from grga.agent.policies.offline.answers.naming import naming, thing_named
from grga.agent.policies.offline.answers.people import asks_who_speaks, who
from grga.agent.policies.offline.answers.verdict import verdict
from grga.agent.policies.offline.case import CLOSE, Case
from grga.agent.policies.offline.kinds import asks_for_moment, holds, kind_asked
from grga.agent.policies.offline.phrases import at, joined
from grga.agent.policies.offline.relevance import terms_of
from grga.agent.steps import Form
from grga.types import Sentence, Utterance

QUOTES = 5
"""Most quotes of an answer; further close utterances of the passage are cited with the nearest one."""
REGION_GAP = 60.0
"""Utterances further apart than this many seconds belong to different passages."""
KIND_MARGIN = 4.5
"""How far below the best candidate one that holds the kind of thing asked for (a date, a price) may lie."""


def extract(case: Case) -> tuple[Sentence, ...]:
    """Answer with the passages that fit best, led by a person or a time if one is asked for."""
    form = case.reading.constraints.metadata.form
    kind = kind_asked(case.belief.question, form)
    exact = case.word_for_word(case.reading.focus.quoted, case.speakers)
    chosen = exact or (_of_kind(case, kind) if kind else case.best())
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
    holding = [one for one in case.best(limit=60, margin=KIND_MARGIN) if holds(kind, one.text)]
    if not holding:
        return case.best()
    topic = set(case.terms)
    holding = [one for one in holding if topic & terms_of(one.text)] or holding
    scores = case.relevance.scores
    return [one for one in holding[:12] if scores[one.id] >= scores[holding[0].id] - CLOSE]


def _passage(chosen: Sequence[Utterance]) -> list[Utterance]:
    """Return the passage that the best utterance belongs to."""
    return next(group for group in regions(chosen) if chosen[0] in group)

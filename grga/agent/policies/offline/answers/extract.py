"""Answers that the meeting gives in its own words: who, when, how much, what, and yes or no."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.phrases import at
from grga.agent.steps import Form
from grga.types import Sentence, Utterance

QUOTES = 5
"""Most quotes of an answer; further close utterances of the passage are cited with the nearest one."""
REGION_GAP = 60.0
"""Utterances further apart than this many seconds belong to different passages."""
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|million|half|dozen)\b|[一二两三四五六七八九十百千万]+[个块元年月天分小米公斤%次人]",
    re.IGNORECASE,
)


def extract(case: Case) -> tuple[Sentence, ...]:
    """Answer with the passages that fit best, led by a person, a time or a number if one is asked for."""
    chosen = case.best()
    if not chosen:
        return ()
    form = case.reading.constraints.metadata.form
    if form is Form.WHO and not case.speakers:
        return _who(case, chosen)
    if form is Form.WHEN:
        first = min(_passage(chosen), key=lambda one: one.start)
        return (case.say("when", [chosen[0].id], time=at(first.start)), *quoted(case, chosen))
    if form is Form.HOW_MANY:
        with_number = [one for one in chosen if has_number(one.text)]
        chosen = with_number or chosen
    return quoted(case, chosen)


def has_number(text: str) -> bool:
    """Return whether ``text`` says a number, in digits or in words."""
    return _NUMBER.search(text) is not None


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


def _passage(chosen: Sequence[Utterance]) -> list[Utterance]:
    """Return the passage that the best utterance belongs to."""
    return next(group for group in regions(chosen) if chosen[0] in group)


def _who(case: Case, chosen: Sequence[Utterance]) -> tuple[Sentence, ...]:
    """The speaker with the most support: the sum of exp(score) over what they say close to the best."""
    scores = case.relevance.scores
    top = scores[chosen[0].id]
    support: dict[str, float] = defaultdict(float)
    for one in chosen:
        support[one.speaker] += float(np.exp(scores[one.id] - top))
    winner = max(support, key=lambda id: support[id])
    own = [one for one in chosen if one.speaker == winner]
    name = case.meeting.speaker(winner).name
    return (case.say("who", [own[0].id], name=name), *quoted(case, own))

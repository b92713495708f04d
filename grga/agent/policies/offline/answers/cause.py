"""Why: the event, and backwards from it the reasons that were given and what led to it."""

from __future__ import annotations

import re

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.types import Sentence, Utterance

_CUE = re.compile(
    r"\b(because|'cause|cos|since|due to|that's why|so that|the reason|as a result|otherwise|therefore|thanks to"
    r"|in order to|the problem (?:is|was)|so we (?:have|need|can't|cannot|decided?)|which means|means that)\b"
    r"|因为|由于|所以|原因|否则|不然|导致|问题(?:是|在于)|为了",
    re.IGNORECASE,
)
CUE_BONUS = 1.2
LINK_BONUS = 0.8
"""What a stated reason, and a link to the event in the graph, add to an utterance's relevance."""
MOST = 4
NEXT = 2
"""Turns after an event in which its reason may be given without naming it again."""
_OPENS_WITH_REASON = re.compile(r"^[嗯哦啊这那，,\s]*(?:主要)?(?:是)?(?:因为|由于)|^原因是|^主要是")


def cause(case: Case) -> tuple[Sentence, ...]:
    """Name the reasons, then the event they explain."""
    chosen = case.best()
    if not chosen:
        return ()
    reasons = sorted(_reasons(case, chosen), key=lambda one: one.start)
    head = [case.quote("because" if has_cue(one.text) else "cause_before", one) for one in reasons[:MOST]]
    rest = [one for one in chosen if one not in reasons][: MOST + 1]
    return (*head, *(case.quote("event", one) for one in sorted(rest, key=lambda one: one.start)))


def has_cue(text: str) -> bool:
    """Return whether ``text`` states a reason or a consequence."""
    return _CUE.search(text) is not None


def _given_next(case: Case, chosen: list[Utterance]) -> list[Utterance]:
    """Return the reasons that open with 因为 right after the best candidates, which seldom repeat their words."""
    found: dict[int, Utterance] = {}
    for one in chosen[:2]:
        for later in case.meeting.utterances[one.id : one.id + 1 + NEXT]:
            if _OPENS_WITH_REASON.search(later.text) and later.id not in case.weak:
                found.setdefault(later.id, later)
                break
    return list(found.values())


def _reasons(case: Case, chosen: list[Utterance]) -> list[Utterance]:
    """Return the likeliest reasons among the evidence: relevant, with a cue, linked to the event."""
    scores = case.relevance.scores
    top = scores[chosen[0].id]
    linked = set(case.found("threads")) | set(case.found("threads-wide"))
    terms = set(case.terms)
    ranked: list[tuple[float, Utterance]] = []
    for id in dict.fromkeys((*(one.id for one in chosen), *case.relevance.candidates[:60], *linked)):
        one = case.utterance(id)
        if id in case.weak or not says_something(one):
            continue
        bonus = CUE_BONUS * has_cue(one.text) + LINK_BONUS * (
            id in linked and bool(terms & terms_of(one.text))
        )
        ranked.append((float(scores[id] - top) + bonus, one))
    ranked.sort(key=lambda pair: (-pair[0], pair[1].start))
    if given := _given_next(case, chosen):
        return given
    best = [one for score, one in ranked if score >= ranked[0][0] - 1.0 and has_cue(one.text)]
    if not best and case.belief.reflection:
        # No reason in so many words: what the event is linked to and came before it is the next best.
        event = chosen[0]
        best = [one for _, one in ranked if one.id in linked and one.start < event.start]
    return best[:2] or [ranked[0][1]]

"""Yes or no, only where somebody says so in words: an agreement, a decision, a negation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grga.agent.policies.offline.answers.people import asks_who_speaks
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.relevance import terms_of
from grga.agent.policies.offline.support import rarity
from grga.text import sentences
from grga.types import Sentence, Utterance

COVERED = 0.6
"""Least share of the question's terms, by rarity, in the one sentence that decides."""
REPLY_WITHIN = 3.0
_DECIDED = re.compile(
    r"\b(?:decid\w+|agreed|settled|we will|we'll|we are going to|we're going to|we go (?:for|with)|it is (?:the|a)|final\w*|let(?:'s| us))\b"
    r"|决定|同意|定了|就这样|我们(?:就|要|今年)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|no|never|none|cannot|nobody|nothing|without|\w+n't|won't)\b|不|没", re.IGNORECASE
)
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|agreed|exactly|right|sure|absolutely(?! not)|of course|fine|对|是的|好|可以|同意)(?!\w)",
    re.IGNORECASE,
)
_NO = re.compile(r"^\W*(?:no|nope|absolutely not|never|不|没有)(?!\w)", re.IGNORECASE)


def verdict(case: Case, chosen: Sequence[Utterance]) -> Sentence | None:
    """Return "Yes." or "No." with what says so; None when nobody does."""
    if _NEGATED.search(case.belief.question):
        return None
    for one in chosen:
        for text in sentences(one.text):
            if _share(case, text) < COVERED:
                continue
            answer, cites = _decides(case, one, text)
            if answer:
                return case.say(answer, cites)
    return None


def _decides(case: Case, one: Utterance, text: str) -> tuple[str | None, list[int]]:
    reply = _reply(case, one)
    if reply is not None and text == sentences(one.text)[-1]:
        for key, pattern in (("yes", _YES), ("no", _NO)):
            if pattern.search(reply.text) and not _NEGATED.search(text):
                return key, [one.id, reply.id]
    if text.rstrip().endswith(("?", "？")):
        return None, []
    if _NEGATED.search(text):
        return "no", [one.id]
    said = bool(case.speakers) and one.speaker in case.speakers and asks_who_speaks(case.belief.question)
    return ("yes", [one.id]) if said or _DECIDED.search(text) else (None, [])


def _reply(case: Case, one: Utterance) -> Utterance | None:
    """Return what another speaker says next, at once, if it is among the evidence."""
    following = one.id + 1
    if following >= len(case.meeting.utterances) or following not in case.belief.evidence:
        return None
    other = case.utterance(following)
    return other if other.speaker != one.speaker and other.start - one.end <= REPLY_WITHIN else None


def _share(case: Case, text: str) -> float:
    weights = {term: rarity(case, term) for term in case.terms}
    total = sum(weights.values())
    return sum(weights[term] for term in weights if term in terms_of(text)) / total if total else 0.0

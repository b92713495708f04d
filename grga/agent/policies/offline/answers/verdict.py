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
    r"\b(?:decided|agreed|settled|we will|we'll|we are going to|we're going to|we go (?:for|with)|it is (?:the|a)|final\w*|let(?:'s| us))\b"
    r"|(?<!要)决定|(?<!不)同意|定了|就这样|我们就",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|no|never|none|cannot|nobody|nothing|without|\w+n't)\b"
    r"|不(?:要|能|会|是|行|可以|同意|打算|想|买|用|做|种)|没有|没(?:能|人|同意)|别(?:买|用|做|种|去)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"([\u4e00-\u9fff])不\1")
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|agreed|exactly|right|sure|absolutely(?! not)|of course|fine|对|是的|好|可以|同意)(?!\w)",
    re.IGNORECASE,
)
_NO = re.compile(r"^\W*(?:no|nope|absolutely not|never|不|没有)(?!\w)", re.IGNORECASE)


def denies(text: str) -> bool:
    """Return whether ``text`` holds a negation; "买不买" is a question, no denial."""
    return _NEGATED.search(_EITHER.sub("", text)) is not None


def asks_for_denial(question: str) -> bool:
    """Return whether the question itself says not ("Who does not like it?")."""
    return re.search(r"\bnot\b|n't\b|不|没", question, re.IGNORECASE) is not None


def verdict(case: Case, chosen: Sequence[Utterance]) -> Sentence | None:
    """Return "Yes." or "No." with what says so; None when nobody does."""
    for one in chosen:
        for text in sentences(one.text):
            if _share(case, text) < COVERED:
                continue
            answer, cites = _decides(case, one, text)
            if answer:
                return case.say(answer, cites)
    return None


def _decides(case: Case, one: Utterance, text: str) -> tuple[str | None, list[int]]:
    denied, asked_denied = denies(text), denies(case.belief.question)
    if case.speakers and asks_who_speaks(case.belief.question):
        # "Did Henry promise no hidden costs?" asks whether he said so.
        said = one.speaker in case.speakers and denied == asked_denied
        return ("yes", [one.id]) if said else (None, [])
    if asked_denied:
        return None, []
    reply = _reply(case, one)
    if reply is not None and text == sentences(one.text)[-1]:
        for key, pattern in (("yes", _YES), ("no", _NO)):
            if pattern.search(reply.text) and not denied:
                return key, [one.id, reply.id]
    if text.rstrip().endswith(("?", "？")):
        return None, []
    if denied:
        return "no", [one.id]
    return ("yes", [one.id]) if _DECIDED.search(text) else (None, [])


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

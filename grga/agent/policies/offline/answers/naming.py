"""What something is called: the name that keeps company with it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.kinds import names_kind
from grga.agent.policies.offline.relevance import terms_of
from grga.text import content_terms, names
from grga.types import Utterance

NEAR = 12.0
"""Seconds around a mention in which a name may be the mentioned thing's."""
LEAST_TIMES = 2
"""How often a word in small letters must be used like a name to be taken for one."""
NameFinder = Callable[[Case, Utterance], set[str]]
_CALENDAR = frozenset(
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "christmas",
        "easter",
    ]
)
_LIKE_A_NAME = re.compile(
    r"\b(?:for|with|by|from|as|like|called|named)\s+(?P<name>[a-z]{4,}[^s\W])\b(?! of\b)"
)
_SET_PHRASES = frozenset(["example", "instance", "granted", "everybody", "everyone"])


def naming(case: Case) -> list[Utterance]:
    """Return the utterances that say the name which keeps company with the thing asked about.

    A name said only near mentions of the thing is more likely its own than one said everywhere. Speech
    recognition may write a name like a word: then it is one that is used like a name ("a job for biscuit").
    """
    return _saying(case, _capitalised) or _saying(case, _used_like_names)


def thing_named(case: Case) -> set[str]:
    """Return the terms of the thing whose name is asked for."""
    return {term for term in case.terms if not names_kind("name", term)}


def has_name(case: Case, ids: list[int]) -> bool:
    """Return whether these utterances say a name that may be the thing's, written as one."""
    return any(_capitalised(case, case.utterance(id)) for id in ids)


def _saying(case: Case, find: NameFinder) -> list[Utterance]:
    topic = thing_named(case)
    mentions = [one for one in case.meeting.utterances if topic & terms_of(one.text)]
    near: Counter[str] = Counter()
    everywhere: Counter[str] = Counter()
    saying: dict[str, list[Utterance]] = defaultdict(list)
    for one in case.meeting.utterances:
        for name in find(case, one):
            everywhere[name] += 1
            if any(abs(one.span.middle - other.span.middle) <= NEAR for other in mentions):
                near[name] += 1
                saying[name].append(one)
    if not near:
        return []
    # A squared share keeps a name of the whole meeting from winning by its number alone.
    best = max(near, key=lambda name: (near[name] * (near[name] / everywhere[name]) ** 2, name))
    return [one for one in saying[best] if one.id in case.belief.evidence]


def _capitalised(case: Case, one: Utterance) -> set[str]:
    """Return names in the utterance, but for the speakers', the calendar's and titles ("the Riverside Hall")."""
    people = {word for speaker in case.meeting.speakers for word in speaker.name.casefold().split()}
    topic = thing_named(case)
    found = set()
    for name in set(names(one.text)):
        words = set(name.casefold().split())
        titled = re.search(rf"\bthe\s+{re.escape(name)}", one.text, re.IGNORECASE)
        if not (words & people or words & _CALENDAR or topic & terms_of(name) or titled):
            found.add(name)
    return found


def _used_like_names(case: Case, one: Utterance) -> set[str]:
    """Return words in small letters that this meeting only ever uses without an article, after a preposition."""
    return {
        match["name"]
        for match in _LIKE_A_NAME.finditer(one.text)
        if match["name"] not in _SET_PHRASES
        and content_terms(match["name"])
        and _always_bare(case, match["name"])
    }


def _always_bare(case: Case, word: str) -> bool:
    anywhere = re.compile(rf"\b{word}(?:s|es)?\b", re.IGNORECASE)
    bare = re.compile(rf"\b(?:for|with|by|from|as|like|called|named)\s+{word}\b")
    said = [one.text for one in case.meeting.utterances if word in one.text.casefold()]
    times = sum(len(anywhere.findall(text)) for text in said)
    return LEAST_TIMES <= times == sum(len(bare.findall(text)) for text in said)

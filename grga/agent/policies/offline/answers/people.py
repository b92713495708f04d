"""Who: told apart from the one who only talks about it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from grga.agent.policies.offline.answers.replies import question_before
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.phrases import at, joined
from grga.agent.policies.offline.relevance import terms_of
from grga.text import sentences
from grga.types import Sentence, Utterance

_SPEAKING = re.compile(
    r"\b(?:sa(?:y|ys|id)|tell|told|mention\w*|suggest\w*|propos\w*|ask\w*|promis\w+|bring\w* up|brought up|rais\w+|recommend\w*"
    r"|complain\w*|argu\w+|agree\w*|object\w*|explain\w*|report\w*|announc\w+|introduc\w+|present\w*|talk\w*|speak\w*|spoke|think\w*|thought"
    r"|want\w*|like[sd]?|prefer\w*|vot\w+|discuss\w*|describ\w+|apologi\w+|warn\w*|point\w* out|wonder\w*)\b"
    r"|说|提|建议|讨论|问|承诺|反对|同意|认为|觉得|喜欢|介绍",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i'll|i've|i'd|my|me|let me|mine)\b|我(?!们)", re.IGNORECASE)
_ASKS_FOR_SOMEBODY = re.compile(r"谁|哪位|哪个人")
_CLAUSE = re.compile(r"[,;，；、]|\band\b")
TALKED_ABOUT = 0.3
"""Weight of somebody who talks about the thing without saying who does it."""


def asks_who_speaks(question: str) -> bool:
    """Return whether a "who" asks for the one who says something, not for the one who does it."""
    return _SPEAKING.search(question) is not None


def doer(case: Case, one: Utterance) -> str | None:
    """Return the id of the speaker who, by this utterance, does what the question is about; None if unsaid.

    "Maya paints the lighthouse, Oliver calls the insurance" names Oliver for the insurance; "I will call the
    insurance" is about its speaker.
    """
    topic = set(case.terms)
    asked = question_before(case, one)
    if asked is not None and _ASKS_FOR_SOMEBODY.search(asked.text) and topic & terms_of(asked.text):
        return _answering(case, one)
    best: tuple[int, str] | None = None
    for sentence in sentences(one.text):
        if not topic & terms_of(sentence):
            continue
        for clause in _CLAUSE.split(sentence):
            held = len(topic & terms_of(clause))
            named = _named_in(case, clause)
            if held and named and named != one.speaker and (best is None or held > best[0]):
                best = (held, named)
        if best is None and _FIRST_PERSON.search(sentence):
            best = (0, one.speaker)
    return best[1] if best else None


def _answering(case: Case, one: Utterance) -> str | None:
    """Return whom a short answer to "谁来写？" names: its speaker ("我来") or somebody by name ("小红吧")."""
    if _FIRST_PERSON.search(one.text):
        return one.speaker
    return next((other.id for other in case.meeting.speakers if other.name in one.text), None)


def who(case: Case, chosen: Sequence[Utterance]) -> tuple[tuple[Sentence, ...], list[Utterance]]:
    """Return the sentence that names the person, and the utterances that show it.

    The person with the most support: the sum of exp(score) over what is close to the best.
    """
    scores = case.relevance.scores
    top = scores[chosen[0].id]
    speaking = asks_who_speaks(case.belief.question)
    support: dict[str, float] = defaultdict(float)
    shows: dict[str, list[Utterance]] = defaultdict(list)
    for one in chosen:
        doing = one.speaker if speaking else doer(case, one)
        person = doing or one.speaker
        # A short answer fits as well as the question that it answers.
        asked = question_before(case, one)
        score = scores[one.id] if asked is None else max(scores[one.id], scores[asked.id])
        support[person] += float(np.exp(score - top)) * (1.0 if doing else TALKED_ABOUT)
        shows[person].append(one)
    winner = max(support, key=lambda id: support[id])
    name = case.meeting.speaker(winner).name
    own = shows[winner]
    if speaking:
        everybody = _all_who_say_it(case, own[0])
        if len({one.speaker for one in everybody}) < 2:
            return (case.say("who", [own[0].id], name=name),), own
        said_by = dict.fromkeys(case.meeting.name_of(one) for one in everybody)
        names = joined(case.language, list(said_by))
        return (case.say("who_all", [one.id for one in everybody], names=names),), everybody
    told = [one for one in own if doer(case, one) == winner]
    if not told:
        return (case.say("who_unsaid", [own[0].id], name=name, time=at(own[0].start)),), own
    first = told[0]
    key = "who_self" if first.speaker == winner else "who_named"
    head = case.say(key, [first.id], name=name, speaker=case.meeting.name_of(first), time=at(first.start))
    return (head,), own


def _all_who_say_it(case: Case, found: Utterance) -> list[Utterance]:
    """Return everything that says as many of the question's words as ``found`` does, if that is all of them."""
    topic = set(case.terms)
    if len(topic) < 2 or not topic <= terms_of(found.text):
        return [found]
    # "You promised" tells of the other one.
    verb = _SPEAKING.search(case.belief.question)
    reported = re.compile(rf"\byou\s+(?:\w+\s+)?{re.escape(verb[0][:5]) if verb else ''}", re.IGNORECASE)
    return [
        one
        for one in case.in_time_order(case.relevance.candidates)
        if topic <= terms_of(one.text) and not reported.search(one.text)
    ] or [found]


def _named_in(case: Case, clause: str) -> str | None:
    """Return the speaker whose name is followed by more words in the clause; a bare name only addresses."""
    for speaker in case.meeting.speakers:
        if re.search(rf"\b{re.escape(speaker.name)}\b\s+\w+", clause):
            return speaker.id
    return None

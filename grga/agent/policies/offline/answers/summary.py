"""Summaries and portraits: the telling utterances of a topic, of the whole meeting, of one speaker."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from grga.agent.policies.offline.answers.extract import QUOTES, quoted
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.people import role_of
from grga.agent.policies.offline.phrases import at, length
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.graph.topics import find_topics
from grga.text import word_count
from grga.types import Sentence, Utterance

TOPICS = 6
"""Most topics of a whole meeting's summary."""
SPARE = 0.6
"""Cosine distance weight against repeating what is already said (maximal marginal relevance)."""
_ROLE_IN_HAN = re.compile(
    r"我是[^。！？]{0,24}?的(?P<role>[\u4e00-\u9fff]{1,4}?(?:长|员|经理|主任|负责人|主管|主持人|师))(?![\u4e00-\u9fff])"
)
_DUTY = re.compile(
    r"\b(i(?:'ll| will|'m going to|'ve| have|'m| am| can| need| want)|my|let me|i'd)\b.*\b(budget|approve\w*|sign\w*|schedule|design\w*|test\w*"
    r"|market\w*|survey|cost\w*|code|customer\w*|legal|contract\w*|team|report\w*|agenda|minutes|order\w*|supplier\w*|figures|numbers|account\w*"
    r"|sketch\w*|prototype\w*|engineer\w*|sales|client\w*)\b|我(?:来|会|负责|的).*",
    re.IGNORECASE,
)


def summary(case: Case) -> tuple[Sentence, ...]:
    """Summarise the topic asked for, or the whole meeting (or window) topic by topic."""
    if case.reading.focus.terms:
        chosen = case.best()
        first = spread_out(case, chosen, QUOTES)
        return quoted(case, [*first, *(one for one in chosen if one not in first)])
    heard = [one for one in case.in_time_order(case.found("all")) if case.fits(one)]
    if not any(says_something(one) for one in heard):
        return ()
    return _whole(case, heard)


def profile(case: Case) -> tuple[Sentence, ...]:
    """Describe a speaker: role, share of talk, what they talk about, with typical turns."""
    sentences: list[Sentence] = []
    for id in case.speakers:
        speaker = case.meeting.speaker(id)
        own = case.in_time_order(case.found(f"turns-{id}"))
        if not own:
            continue
        facts, evidence = speaker.profile.facts, speaker.profile.evidence
        role, stated = _role(case, id)
        if role and role.casefold() != speaker.name.casefold():
            sentences.append(case.say("role", stated or [own[0].id], name=speaker.name, role=role))
            sentences += [case.quote("role_stated", case.utterance(one)) for one in stated[:2]]
        elif asks_role(case.belief.question):
            sentences.append(case.say("role_unsaid", [own[0].id], name=speaker.name))
        typical = [one for one in evidence.get("contributions", ()) if one in case.belief.evidence]
        duties = [one for one in own if _DUTY.search(one.text) and says_something(one)]
        duties.sort(key=lambda one: (-case.relevance.scores[one.id], one.start))
        if facts.get("keywords"):
            total = sum(one.span.duration for one in case.meeting.utterances) or 1.0
            seconds = sum(one.span.duration for one in own)
            sentences.append(
                case.say(
                    "profile",
                    typical or [own[0].id],
                    name=speaker.name,
                    seconds=length(case.language, seconds),
                    share=f"{seconds / total:.0%}",
                    keywords=facts["keywords"],
                )
            )
        shown = dict.fromkeys([*(one.id for one in duties[:3]), *typical[:2]])
        sentences += [case.quote("contribution", one) for one in case.in_time_order(shown)]
    return tuple(sentences)


def asks_role(question: str) -> bool:
    """Return whether a question about a speaker asks for the role."""
    return re.search(r"\b(?:role|position|job)\b|角色|职位|职务", question, re.IGNORECASE) is not None


def told_role(case: Case) -> bool:
    """Return whether every speaker in question has a role, given or stated."""
    return all(_role(case, id)[0] for id in case.speakers)


def _role(case: Case, id: str) -> tuple[str | None, list[int]]:
    """Return a speaker's role and the utterances that state it."""
    speaker = case.meeting.speaker(id)
    stated = [one for one in speaker.profile.evidence.get("role", ()) if one in case.belief.evidence]
    role = role_of(speaker)
    if role:
        return role, stated
    for one in case.in_time_order(case.found(f"turns-{id}")):
        match = _ROLE_IN_HAN.search(one.text)
        if match:
            return match["role"], [one.id]
    return None, []


def spread_out(case: Case, chosen: Sequence[Utterance], count: int) -> list[Utterance]:
    """Return up to ``count`` of ``chosen`` (best first), each adding something to those before it."""
    if len(chosen) <= 2:
        return list(chosen)
    vectors, scores = case.indexed.dense.vectors, case.relevance.scores
    spread = float(np.ptp([scores[one.id] for one in chosen])) or 1.0
    taken = [chosen[0]]
    rest = list(chosen[1:])
    while rest and len(taken) < count:

        def gain(one: Utterance) -> float:
            repeated = max(float(vectors[one.id] @ vectors[other.id]) for other in taken)
            return float(scores[one.id] - scores[chosen[0].id]) / spread - SPARE * repeated

        best = max(rest, key=gain)
        rest.remove(best)
        taken.append(best)
    return taken


def _whole(case: Case, heard: Sequence[Utterance]) -> tuple[Sentence, ...]:
    """One sentence per topic, the longest topics first in choice and all in order of time."""
    vectors = case.indexed.dense.vectors
    topics = find_topics(case.meeting.utterances, vectors=vectors)
    inside = {one.id for one in heard}
    parts = []
    for topic in topics:
        members = [one for one in case.meeting.utterances[topic.first : topic.last + 1] if one.id in inside]
        telling = [one for one in members if says_something(one)]
        if telling:
            parts.append((topic, telling))
    longest = sorted(parts, key=lambda part: -sum(one.span.duration for one in part[1]))[:TOPICS]
    sentences = []
    for topic, telling in sorted(longest, key=lambda part: part[0].first):
        centre = vectors[[one.id for one in telling]].mean(axis=0)
        keywords = set().union(*(terms_of(word) for word in topic.keywords))

        def weight(one: Utterance, centre: np.ndarray = centre, keywords: set[str] = keywords) -> float:
            shared = len(keywords & terms_of(one.text))
            return float(vectors[one.id] @ centre) + 0.05 * shared + 0.02 * min(word_count(one.text), 25)

        best = max(telling, key=weight)
        others = sorted((one for one in telling if one is not best), key=weight, reverse=True)[:1]
        sentences.append(
            case.quote(
                "topic_head",
                best,
                *(one.id for one in others),
                start=at(telling[0].start),
                end=at(telling[-1].end),
                keywords=", ".join(topic.keywords[:3]),
            )
        )
    return tuple(sentences)

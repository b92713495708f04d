"""Questions about a stretch of the meeting or a whole person: topics, subjects, share of the talk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from annotation.generation.offline.draft import Draft
from annotation.generation.offline.facts import Facts
from annotation.generation.offline.wording import at, cut, say, seconds, turns
from annotation.schema import AnswerKey
from grga.agent.steps import QuestionType
from grga.graph.topics import Topic, find_topics
from grga.types import Utterance

SHOWN = 3
"""Turns that stand for a topic or a person."""
CLEARLY_MORE = 1.1
"""How many times the next speaker's talk the most talkative one must have."""
FEWEST_TURNS = 4
"""A person with fewer turns has no portrait."""


def topics(facts: Facts) -> Iterator[Draft]:
    """What a stretch of the meeting is about."""
    for topic in _topics(facts):
        said = [one for one in facts.telling if topic.first <= one.id <= topic.last]
        shown = _richest(facts, said, topic.keywords)
        if len(topic.keywords) < 3 or not shown:
            continue
        yield Draft(
            QuestionType.SUMMARIZATION,
            "topic summarisation",
            say(facts.language, "topic", start=at(topic.span.start), end=at(topic.span.end)),
            say(
                facts.language, "topic.a", keywords=_listed(facts, topic.keywords), lines=_lines(facts, shown)
            ),
            tuple(one.id for one in shown),
            AnswerKey(utterances=tuple(one.id for one in said)),
            say(facts.language, "topic.r"),
        )


def main_topics(facts: Facts) -> Iterator[Draft]:
    """What the whole meeting is about."""
    found = [topic for topic in _topics(facts) if len(topic.keywords) >= 3]
    shown = []
    for topic in found:
        said = [one for one in facts.telling if topic.first <= one.id <= topic.last]
        shown += _richest(facts, said, topic.keywords)[:1]
    if len(shown) < 2:
        return
    parts = [
        say(
            facts.language,
            "part",
            start=at(topic.span.start),
            end=at(topic.span.end),
            keywords=_listed(facts, topic.keywords[:3]),
        )
        for topic in found
    ]
    yield Draft(
        QuestionType.SUMMARIZATION,
        "topic summarisation",
        say(facts.language, "all_topics"),
        " ".join(parts),
        tuple(one.id for one in shown),
        None,
        say(facts.language, "all_topics.r"),
    )


def portraits(facts: Facts) -> Iterator[Draft]:
    """A person's share of the talk, number of turns and subjects."""
    total = _seconds(facts.meeting.utterances)
    for speaker in facts.meeting.speakers:
        own, words = facts.turns.get(speaker.id, []), _keywords(speaker.profile.facts.get("keywords", ""))
        typical = speaker.profile.evidence.get("contributions", ())
        if len(own) < FEWEST_TURNS or len(words) < 2 or not typical:
            continue
        name, share = facts.name(speaker.id), 100 * _seconds(own) / total
        yield Draft(
            QuestionType.SUMMARIZATION,
            "speaker profiling",
            say(facts.language, "portrait", name=name),
            say(
                facts.language,
                "portrait.a",
                name=name,
                seconds=seconds(facts.language, _seconds(own)),
                share=round(share),
                turns=turns(facts.language, len(own)),
                keywords=_listed(facts, words),
            ),
            tuple(typical),
            AnswerKey(percent=round(share), utterances=tuple(one.id for one in own)),
            say(facts.language, "portrait.r", name=name),
        )


def subjects(facts: Facts) -> Iterator[Draft]:
    """What a person talks about most."""
    for speaker in facts.meeting.speakers:
        own, words = facts.turns.get(speaker.id, []), _keywords(speaker.profile.facts.get("keywords", ""))
        shown = _richest(facts, [one for one in own if one in facts.telling], words)
        if len(own) < FEWEST_TURNS or len(words) < 3 or len(shown) < 2:
            continue
        yield Draft(
            QuestionType.SUMMARIZATION,
            "topic summarisation",
            say(facts.language, "topics_of", name=facts.name(speaker.id)),
            say(facts.language, "topics_of.a", keywords=_listed(facts, words), lines=_lines(facts, shown)),
            tuple(one.id for one in shown),
            AnswerKey(utterances=tuple(one.id for one in own if one in facts.telling)),
            say(facts.language, "topics_of.r", name=facts.name(speaker.id)),
        )


def most_and_least(facts: Facts) -> Iterator[Draft]:
    """Who talks the most and the least, where the difference is clear."""
    order = sorted(facts.turns, key=lambda speaker: -_seconds(facts.turns[speaker]))
    if len(order) < 3:
        return
    for key, winner, other, factor in (("most", order[0], order[1], 1), ("least", order[-1], order[-2], -1)):
        mine, next_one = _seconds(facts.turns[winner]), _seconds(facts.turns[other])
        if (mine / next_one) ** factor < CLEARLY_MORE:
            continue
        share = round(100 * mine / _seconds(facts.meeting.utterances))
        longest = sorted(facts.turns[winner], key=lambda one: -one.span.duration)[:SHOWN]
        yield Draft(
            QuestionType.SUMMARIZATION,
            "speaker profiling",
            say(facts.language, key),
            say(
                facts.language,
                "most.a",
                name=facts.name(winner),
                seconds=seconds(facts.language, mine),
                share=share,
            ),
            tuple(one.id for one in longest),
            AnswerKey(speakers=(winner,)),
            say(facts.language, "most.r", seconds=seconds(facts.language, next_one)),
        )


MAKERS = (topics, portraits, subjects, most_and_least, main_topics)


def _topics(facts: Facts) -> tuple[Topic, ...]:
    found = find_topics(facts.meeting.utterances, vectors=facts.indexed.dense.vectors)
    return tuple(topic._replace(keywords=tuple(_wordy(topic.keywords))) for topic in found)


def _richest(facts: Facts, pool: Sequence[Utterance], words: Sequence[str]) -> list[Utterance]:
    """Return the turns that hold most of ``words``, in order of time; none that holds none."""
    wanted = set(words)

    def held(one: Utterance) -> int:
        return len(wanted & set(facts.prepared.tokens[one.id]))

    ranked = sorted((one for one in pool if held(one)), key=lambda one: (-held(one), one.id))
    return sorted(ranked[:SHOWN], key=lambda one: one.id)


def _lines(facts: Facts, shown: Sequence[Utterance]) -> str:
    lines = (
        say(facts.language, "line", name=facts.name(one.speaker), time=at(one.start), text=cut(one.text))
        for one in shown
    )
    return " ".join(lines)


def _listed(facts: Facts, words: Sequence[str]) -> str:
    return say(facts.language, "comma").join(words)


def _keywords(text: str) -> list[str]:
    return _wordy(word.strip() for word in text.split(","))


def _wordy(words: Iterable[str]) -> list[str]:
    """Return the words among ``words``: a bare number names no topic."""
    return [word for word in words if word and not any(sign.isdigit() for sign in word)]


def _seconds(utterances: Sequence[Utterance]) -> float:
    return sum(one.span.duration for one in utterances)

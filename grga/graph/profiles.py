"""Speaker profiles from statistics: what is typical of a speaker, each fact with its utterances."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from grga.graph.prepared import Prepared
from grga.graph.roles import stated_roles
from grga.graph.topics import Topic, find_topics
from grga.types import Speaker, SpeakerProfile, Utterance

KEYWORDS = 6
EVIDENCE = 3
TOPICS = 2


def profile_speakers(utterances: Sequence[Utterance], speakers: Sequence[Speaker]) -> tuple[Speaker, ...]:
    """Return the speakers with talk time, profile and, where somebody states it, role.

    Facts: "keywords" (words the speaker uses more than the others), "share" of talk, "topics" (the stretches
    in which the speaker talks most), "contributions" (the turns that hold most of those words, by id in the
    evidence) and "role" as it was said. A role that a
    speaker already has (from the import) is kept.
    """
    prepared = Prepared(utterances)
    roles = stated_roles(utterances, {speaker.id: speaker.name for speaker in speakers})
    turns: dict[str, list[int]] = {speaker.id: [] for speaker in speakers}
    for utterance in utterances:
        turns.setdefault(utterance.speaker, []).append(utterance.id)
    used = {speaker: _counts(prepared, ids) for speaker, ids in turns.items()}
    everybody = sum(used.values(), Counter[str]())
    total = sum(utterance.span.duration for utterance in utterances)
    topics = find_topics(utterances)
    profiled = []
    for speaker in speakers:
        ids = turns[speaker.id]
        seconds = sum(utterances[index].span.duration for index in ids)
        facts: dict[str, str] = {}
        evidence: dict[str, tuple[int, ...]] = {}
        if ids and total > 0:
            facts["share"] = f"{seconds / total:.0%} of the talk, {len(ids)} turns"
        keywords = _typical(used[speaker.id], everybody)
        if keywords:
            facts["keywords"] = ", ".join(_shown(prepared, ids, term) for term in keywords)
            evidence["keywords"] = _where(prepared, ids, keywords)
            evidence["contributions"] = _richest(prepared, ids, keywords)
            facts["contributions"] = " / ".join(utterances[i].text for i in evidence["contributions"])
        own_topics = _own_topics(utterances, topics, speaker.id)
        if own_topics:
            facts["topics"] = "; ".join(_named(topic) for topic, _ in own_topics)
            evidence["topics"] = tuple(longest for _, longest in own_topics)
        stated = roles.get(speaker.id)
        if stated is not None:
            facts["role"] = stated.role
            evidence["role"] = stated.evidence
        profiled.append(
            replace(
                speaker,
                role=speaker.role or (stated.role if stated else None),
                talk_seconds=seconds,
                profile=SpeakerProfile(facts, evidence),
            )
        )
    return tuple(profiled)


def _own_topics(
    utterances: Sequence[Utterance], topics: Sequence[Topic], speaker: str
) -> list[tuple[Topic, int]]:
    """Return the topics that hold most of the speaker's talk, each with the speaker's longest turn in it."""
    held = []
    for topic in topics:
        turns = [turn for turn in utterances[topic.first : topic.last + 1] if turn.speaker == speaker]
        seconds = sum(turn.span.duration for turn in turns)
        if seconds > 0 and topic.keywords:
            held.append((seconds, topic, max(turns, key=lambda turn: turn.span.duration).id))
    held.sort(key=lambda found: -found[0])
    return sorted((topic, longest) for _, topic, longest in held[:TOPICS])


def _named(topic: Topic) -> str:
    """Return "battery, solar, cells (3:10-5:20)"."""
    begin, end = (f"{int(at) // 60}:{int(at) % 60:02d}" for at in (topic.span.start, topic.span.end))
    return f"{', '.join(topic.keywords[:3])} ({begin}-{end})"


def _counts(prepared: Prepared, ids: list[int]) -> Counter[str]:
    return Counter(term for index in ids for term in prepared.terms[index])


def _typical(own: Counter[str], everybody: Counter[str]) -> list[str]:
    """Return the words with the largest log-odds against the other speakers, weighted by use."""
    own_total, all_total = sum(own.values()), sum(everybody.values())
    others_total = all_total - own_total

    def weight(term: str) -> float:
        mine = (own[term] + 0.5) / (own_total + 1)
        theirs = (everybody[term] - own[term] + 0.5) / (others_total + 1)
        return own[term] * math.log(mine / theirs)

    often = [term for term, count in own.items() if count >= 2 and weight(term) > 0]
    return sorted(often, key=lambda term: (-weight(term), term))[:KEYWORDS]


def _shown(prepared: Prepared, ids: list[int], term: str) -> str:
    """Return the form of ``term`` that the speaker uses most."""
    forms = Counter(prepared.terms[index][term] for index in ids if term in prepared.terms[index])
    return forms.most_common(1)[0][0]


def _where(prepared: Prepared, ids: list[int], terms: list[str]) -> tuple[int, ...]:
    """Return the first turn with each of the terms."""
    first = {next(index for index in ids if term in prepared.terms[index]) for term in terms}
    return tuple(sorted(first))


def _richest(prepared: Prepared, ids: list[int], terms: list[str]) -> tuple[int, ...]:
    """Return the turns with most of the terms, in order of time."""
    wanted = set(terms)
    ranked = sorted(ids, key=lambda index: (-len(wanted & prepared.terms[index].keys()), index))
    return tuple(sorted(ranked[:EVIDENCE]))

"""What was listened to for a question about emotions and sounds."""

from __future__ import annotations

from collections.abc import Iterable

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.phrases import phrase
from grga.agent.policies.offline.relevance import terms_of
from grga.types import Utterance

SHOWN = 4
"""Most moments quoted."""
CITED = 8
"""Most moments cited for a count."""
BESIDE_EVENT = 60.0
"""Seconds after (or before) an event in which a sound belongs to it."""
ABOUT = 20.0
"""Seconds for which a remark still reacts to a topic that somebody else has named."""


def pool_of(case: Case) -> list[Utterance]:
    """Return what was heard and fits the question, in order of time."""
    heard = [one for one in case.in_time_order(case.found("heard")) if _fits(case, one)]
    if case.reading.event is not None:
        heard = _beside_event(case, heard)
    quoted = case.word_for_word(case.reading.focus.quoted, case.speakers)
    if quoted:
        return [one for one in heard if one in quoted]
    topic = set(case.reading.focus.terms)
    return [one for one in heard if _is_about(case, one, topic)] if topic else heard


def _fits(case: Case, one: Utterance) -> bool:
    speaks = not case.speakers or one.speaker in case.speakers or one.second_speaker in case.speakers
    return speaks and (case.window is None or case.window.touches(one.span))


def _beside_event(case: Case, heard: list[Utterance]) -> list[Utterance]:
    from grga.agent.policies.offline.answers.order import event_moment  # which asks this for its own sounds

    event, moment = case.reading.event, event_moment(case)
    if event is None or moment is None:
        return []
    if event.relation == "after":
        return [one for one in heard if moment.start < one.start <= moment.end + BESIDE_EVENT]
    return [one for one in heard if moment.start - BESIDE_EVENT <= one.start < moment.start]


def _is_about(case: Case, one: Utterance, topic: set[str]) -> bool:
    """Return whether a remark names the topic, or comes right after one that does."""
    earlier = case.meeting.utterances[max(0, one.id - 2) : one.id]
    near = [other for other in earlier if one.start - other.end <= ABOUT]
    return any(topic & terms_of(other.text) for other in (one, *near))


def ends(pool: list[Utterance]) -> list[int]:
    """Return the ids of the first and the last: what "nothing was found from here to there" cites."""
    return [pool[0].id, pool[-1].id]


def any_of(case: Case, words: list[str]) -> str:
    """Return "angry or sad"."""
    return phrase(case.language, "or").join(words)


def names_in(case: Case, found: Iterable[Utterance]) -> list[str]:
    """Return who speaks in them, a second speaker too, each once."""
    ids = dict.fromkeys(id for one in found for id in (one.speaker, one.second_speaker) if id)
    known = {speaker.id: speaker.name for speaker in case.meeting.speakers}
    return [known[id] for id in ids if id in known]

"""When a meeting does not say: the honest "no", and how sure it is."""

from __future__ import annotations

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.classify import Operation
from grga.agent.policies.offline.feelings import SOUNDS
from grga.agent.policies.offline.people import stranger
from grga.agent.policies.offline.phrases import at, joined, phrase
from grga.agent.steps import Form
from grga.speech.emotion.words import event_word, events_of
from grga.text import content_terms

SAID, MEANT = 4.6, 20.6
ENOUGH, ENOUGH_FOR_A_FACT = 4.8, 6.0
"""A topic is there when ``SAID * said + MEANT * meant`` is enough.

``said`` is the share of its words (by rarity) said within half a minute of each other; ``meant`` how far the
best cosine lies above the encoder's threshold, on the way to 1. Fitted on questions of 62 AMI meetings
against questions about other domains asked of the same meetings: 95 % of the first pass, 82 % of the second
do not (those that do are mostly general, "the next step on features"). A question for a fact (who, when, how
many) names the thing itself, where one for an opinion or a summary describes it: it needs more.
"""
SAID_ALONE = 0.45
"""Least ``said`` when there was no search by meaning."""
MEANT_ALONE, MEANT_ALONE_FOR_A_FACT = 0.35, 0.5
"""Least ``meant`` when not one of the topic's words is ever said."""
HEARD_FOR_A_FACT = 0.4
"""Least share of a fact's words, by rarity, that the meeting must say at all, unless the meaning is clear."""
_FACTS = {Form.WHO, Form.WHEN, Form.WHERE, Form.HOW_MANY, Form.HOW_LONG}

_NEEDS_TOPIC = {
    Operation.EXTRACT,
    Operation.CAUSE,
    Operation.TOPIC_TIME,
    Operation.FIRST_MENTION,
    Operation.LAST_MENTION,
}


def absent(case: Case) -> str | None:
    """Return the sentence that says why the meeting does not answer, None when it may."""
    name = stranger(case.belief.question, case.meeting)
    if name is not None:
        return phrase(case.language, "nobody", name=name)
    window = case.reading.window
    if window is not None and window.span is not None and window.span.start > case.meeting.duration:
        return phrase(case.language, "outside", end=at(case.meeting.duration), time=window.text)
    sound = case.reading.constraints.metadata.acoustic
    by_ear = {Operation.SOUND_CAUSE, Operation.SOUND_CHECK, Operation.SOUND_EXTREME, Operation.SOUNDS}
    if case.reading.operation in by_ear:
        if sound == ("laugh",) and (unheard := _unheard(case)):
            return unheard
        if not {"overlap", "pause"} & set(sound) and not any(
            one.acoustics for one in case.meeting.utterances
        ):
            return phrase(case.language, "no_audio")
    if case.reading.operation in (Operation.MOODS, Operation.SOUNDS) and not _is_mentioned(case):
        return nothing_about(case)
    topical = case.reading.operation in _NEEDS_TOPIC or (
        case.reading.operation in (Operation.SUMMARY, Operation.IN_WINDOW) and case.reading.focus.terms
    )
    if topical and not is_there(case):
        return nothing_about(case)
    return None


def _unheard(case: Case) -> str | None:
    """Return why a sound beside speech cannot be told, None when it was listened for."""
    if not (case.indexed.tagged or any(events_of(one) for one in case.meeting.utterances)):
        return phrase(case.language, "laugh")
    if case.reading.operation is Operation.SOUNDS:
        return None
    listened_for = [event_word(name, case.language) for name in SOUNDS]
    return phrase(case.language, "other_sound", sounds=joined(case.language, listened_for))


def _is_mentioned(case: Case) -> bool:
    """Return whether any word of the topic is said at all; an open question has none."""
    terms = case.reading.focus.terms
    return not terms or any(case.indexed.bm25.idf(term) > 0 for term in terms)


def nothing_about(case: Case) -> str:
    """Return the sentence that says that the topic is not there, naming what is never said of it."""
    pieces = case.reading.focus.pieces
    unheard = [
        piece for piece in pieces if any(case.indexed.bm25.idf(term) == 0.0 for term in content_terms(piece))
    ]
    topic = joined(case.language, [f"“{piece}”" for piece in unheard or pieces])
    return phrase(case.language, "nothing_about", topic=topic) if topic else phrase(case.language, "nothing")


def is_there(case: Case) -> bool:
    """Return whether the meeting speaks of the topic: in its words, in its meaning, or a little of both.

    A topic asked about within a wider discussion is there when that discussion is.
    """
    found = case.relevance
    if not found.candidates:
        return False
    if _share_heard(case, case.reading.focus.setting) >= SAID_ALONE:
        return True
    said = found.covered_most * found.heard
    if found.similarity is None:
        return said >= SAID_ALONE
    threshold = case.indexed.encoder.min_similarity
    meant = (found.similarity - threshold) / (1 - threshold)
    fact = case.reading.constraints.metadata.form in _FACTS
    if fact and found.heard < HEARD_FOR_A_FACT and meant < MEANT_ALONE_FOR_A_FACT:
        return False
    if found.heard == 0.0:
        return meant >= (MEANT_ALONE_FOR_A_FACT if fact else MEANT_ALONE)
    return SAID * said + MEANT * meant >= (ENOUGH_FOR_A_FACT if fact else ENOUGH)


def _share_heard(case: Case, text: str) -> float:
    """Return the share of the text's content words that occur in the meeting."""
    terms = set(content_terms(text))
    return sum(case.indexed.bm25.idf(term) > 0 for term in terms) / len(terms) if terms else 0.0

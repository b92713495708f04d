"""Whether the measurements back what a question says about a sound, and whether the words give it away."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import fmean

from annotation.schema import QAItem
from grga.agent.policies.offline.classify import ACOUSTIC_TERMS, acoustic_conditions
from grga.agent.policies.offline.feelings import moods_asked
from grga.agent.policies.offline.people import find_speakers
from grga.store import IndexedMeeting
from grga.types import Acoustics, Utterance

NEAR = 15.0
"""Seconds around the evidence in which somebody who names the sound gives the answer away."""
LOUDER_DB, AS_USUAL_DB, PITCH_SEMITONES, RATE_SHARE = 1.5, 1.5, 1.0, 0.15
"""Least differences from the speaker's mean that can be heard, and for loudness the most that cannot."""
LEAST_PAUSE, LEAST_OVERLAP = 0.8, 0.3
"""Seconds of silence, and of two people at once, that can be heard."""

_QUOTED = re.compile(r"[“\"「]([^”\"」]+)[”\"」]")
_MOST = re.compile(r"\b\w+est\b(?<!\btest)|\bmost\b|最", re.IGNORECASE)
_EMOTION = re.compile(
    r"\b(?:angr\w*|anger|annoy\w*|irritat\w*|frustrat\w*|happ(?:y|iness|ily)|joy\w*|sad\w*|upset|fear\w*|afraid|surpris\w*|disgust\w*"
    r"|excite\w*|enthusias\w*|nervous\w*|calm\w*)\b|生气|愤怒|高兴|开心|难过|悲伤|害怕|惊讶|兴奋|激动|不耐烦|平静",
    re.IGNORECASE,
)
_NO = re.compile(r"\W*(?:no\b|not\b|没有|不是|否)", re.IGNORECASE)
_MEASURES: dict[str, Callable[[Acoustics], float | None]] = {
    "loud": lambda sound: sound.loudness_db,
    "quiet": lambda sound: None if sound.loudness_db is None else -sound.loudness_db,
    "fast": lambda sound: sound.rate,
    "pitch": lambda sound: sound.f0_semitones,
}


def backed(item: QAItem, meeting: IndexedMeeting) -> str | None:
    """Return what speaks against the claim, as one sentence; None when the measurements back it."""
    if not meeting.meeting.has_audio:
        return "the meeting has no recording"
    said = meeting.meeting.utterances
    heard = [said[one.utt_id] for one in item.evidence if one.utt_id < len(said)]
    if not any(one.acoustics for one in heard):
        return "nothing was measured in the evidence"
    unquoted = _QUOTED.sub(" ", item.question)
    emotion = _EMOTION.search(f"{unquoted} {_QUOTED.sub(' ', item.answer)}")
    if emotion is not None and not any(one.acoustics and one.acoustics.emotion for one in heard):
        return f"“{emotion[0]}” names an emotion, and none was measured"
    if re.search(r"\b(?:confidence|probability|score)\b|置信度", f"{unquoted} {item.answer}", re.IGNORECASE):
        return "it mentions a measurement's confidence"
    if problem := _other_mood(unquoted, item.answer, heard):
        return problem
    for condition in acoustic_conditions(unquoted):
        if condition in _MEASURES and _MOST.search(unquoted):
            problem = _is_most(item, meeting, heard, condition, unquoted)
        elif item.answer and _NO.match(item.answer):
            problem = _is_usual(meeting, heard, condition)
        else:
            problem = (
                None
                if any(_stands_out(meeting, one, condition) for one in heard)
                else (f"nothing in the evidence is clearly “{condition}”")
            )
        if problem:
            return problem
    return None


def _other_mood(question: str, answer: str, heard: Sequence[Utterance]) -> str | None:
    """Return which emotion the question or a plain answer claims that the evidence does not have.

    A question that is answered by "no" must ask for one that is not there. Words that no label stands for
    ("excited") are left to the measurements.
    """
    labels = {one.acoustics.emotion for one in heard if one.acoustics and one.acoustics.emotion}
    claimed = moods_asked(f"{question} {_QUOTED.sub(' ', answer)}")
    if not labels or not claimed:
        return None
    measured = [mood for mood in claimed if mood in labels]
    if _NO.match(answer):
        return f"“{measured[0]}” is what was measured" if measured else None
    return None if measured else f"“{claimed[0]}” is not among what was measured: {', '.join(sorted(labels))}"


def gives_away(item: QAItem, meeting: IndexedMeeting, conditions: Sequence[str]) -> str | None:
    """Return what somebody says in or near the evidence that names the sound; None when nobody does.

    "Why are you shouting?" answers a question about a loud remark without its sound.
    """
    spans = [one.span.widened(NEAR) for one in item.evidence]
    for one in meeting.meeting.utterances:
        if any(one.span.touches(span) for span in spans):
            for condition in acoustic_conditions(one.text):
                if condition in conditions and re.search(ACOUSTIC_TERMS[condition], one.text, re.IGNORECASE):
                    return one.text
    return None


def _is_most(
    item: QAItem, meeting: IndexedMeeting, heard: Sequence[Utterance], condition: str, question: str
) -> str | None:
    """Check a superlative: an utterance of the evidence is the most of all, or of the speaker's."""
    measure = _MEASURES[condition]
    named = find_speakers(question, meeting.meeting)
    pool = [one for one in meeting.meeting.utterances if not named or one.speaker in named]
    values = {
        one.id: value
        for one in pool
        if one.acoustics is not None
        and (value := measure(one.acoustics)) is not None
        and (condition in ("loud", "quiet") or len(one.text) > 12)
    }
    least = re.search(r"\b(?:slow\w*|lowest|least)\b|最慢|最低", question, re.IGNORECASE)
    if not values:
        return "nothing was measured"
    best = (min if least else max)(values, key=lambda id: values[id])
    if best in item.evidence_nodes:
        return None
    return f"utterance {best} is more so"


def _is_usual(meeting: IndexedMeeting, heard: Sequence[Utterance], condition: str) -> str | None:
    """Check a denial: what is asked about is like the speaker's other turns."""
    if condition not in ("loud", "quiet"):
        return None
    differs = [one for one in heard if abs(_louder(meeting, one) or 0.0) > AS_USUAL_DB]
    return f"utterance {differs[0].id} does differ from the speaker's average" if differs else None


def _stands_out(meeting: IndexedMeeting, one: Utterance, condition: str) -> bool:
    sound = one.acoustics
    if sound is None:
        return False
    match condition:
        case "loud":
            return (_louder(meeting, one) or 0.0) >= LOUDER_DB
        case "quiet":
            return (_louder(meeting, one) or 0.0) <= -LOUDER_DB
        case "pitch":
            return abs(sound.f0_semitones or 0.0) >= PITCH_SEMITONES
        case "fast":
            rates = [r for r in (_rate(o) for o in _own(meeting, one)) if r is not None]
            return bool(rates) and abs((sound.rate or 0.0) / fmean(rates) - 1) >= RATE_SHARE
        case "pause":
            return (sound.pause_before or 0.0) >= LEAST_PAUSE
        case "overlap":
            return (sound.overlap or 0.0) * one.span.duration >= LEAST_OVERLAP
        case "excited":
            return (sound.arousal or 0.0) >= 1.0 or sound.emotion is not None
        case "laugh":
            return bool(sound.events)
        case _:
            return False


def _louder(meeting: IndexedMeeting, one: Utterance) -> float | None:
    """Return by how many decibels ``one`` exceeds its speaker's mean."""
    levels = [
        other.acoustics.loudness_db
        for other in _own(meeting, one)
        if other.acoustics is not None and other.acoustics.loudness_db is not None
    ]
    if not levels or one.acoustics is None or one.acoustics.loudness_db is None:
        return None
    return one.acoustics.loudness_db - fmean(levels)


def _own(meeting: IndexedMeeting, one: Utterance) -> list[Utterance]:
    return [other for other in meeting.meeting.utterances if other.speaker == one.speaker]


def _rate(one: Utterance) -> float | None:
    return one.acoustics.rate if one.acoustics else None

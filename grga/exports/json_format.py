"""JSON: everything known about a meeting, in the form that the importer reads back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from grga.types import Meeting, Speaker, Utterance, Word


def export(meeting: Meeting) -> str:
    """Return the meeting as JSON text, two spaces deep, non-ASCII letters as they are."""
    return json.dumps(to_dict(meeting), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_dict(meeting: Meeting) -> dict[str, Any]:
    """Return the object that the export writes.

    Keys: ``meeting`` (its id), ``title``, ``duration`` (s), ``language``, ``has_audio``,
    ``speakers`` [{id, name, role, talk_seconds, profile}] and ``utterances`` [{id, speaker (name),
    speaker_id, second_speaker_id (who talks beside, or null), start, end (s), text, confidence, words,
    acoustics}].
    """
    return {
        "meeting": meeting.id,
        "title": meeting.title,
        "duration": _seconds(meeting.duration),
        "language": meeting.language,
        "has_audio": meeting.has_audio,
        "speakers": [_speaker(speaker) for speaker in meeting.speakers],
        "utterances": [_utterance(meeting, utterance) for utterance in meeting.utterances],
    }


def _seconds(value: float) -> float:
    """Return microseconds at most: 0.1 + 0.2 is written 0.3."""
    return round(value, 6)


def _speaker(speaker: Speaker) -> dict[str, Any]:
    profile = speaker.profile
    return {
        "id": speaker.id,
        "name": speaker.name,
        "role": speaker.role,
        "talk_seconds": _seconds(speaker.talk_seconds),
        "profile": {
            "facts": dict(profile.facts),
            "evidence": {name: list(ids) for name, ids in profile.evidence.items()},
            "source": profile.source,
        },
    }


def _utterance(meeting: Meeting, utterance: Utterance) -> dict[str, Any]:
    return {
        "id": utterance.id,
        "speaker": meeting.name_of(utterance),
        "speaker_id": utterance.speaker,
        "second_speaker_id": utterance.second_speaker,
        "start": _seconds(utterance.start),
        "end": _seconds(utterance.end),
        "text": utterance.text,
        "confidence": utterance.confidence,
        "words": [_word(word) for word in utterance.words],
        "acoustics": asdict(utterance.acoustics) if utterance.acoustics else None,
    }


def _word(word: Word) -> dict[str, Any]:
    entry = {"text": word.text, "start": _seconds(word.span.start), "end": _seconds(word.span.end)}
    return entry | {"confidence": word.confidence} | ({"speaker": word.speaker} if word.speaker else {})

"""The JSON that GRGA itself exports: ``{"utterances": [{"speaker", "start", "end", "text", …}]}``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from grga.speech.emotion.words import EMOTIONS, EVENTS
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import label, number, probability, records, seconds, timed_words
from grga.types import Acoustics

_WORDS = ("emotion", "events")
_MEASURES = tuple(field.name for field in fields(Acoustics) if field.name not in _WORDS)


def _matches(source: Source) -> bool:
    document = source.document
    return isinstance(document, Mapping) and isinstance(document.get("utterances"), list)


def _read(source: Source, notes: Notes) -> Parsed:
    document = source.document
    people = records(document.get("speakers"))
    by_id = {str(person["id"]): person for person in people if person.get("id") is not None}
    items = records(document["utterances"])
    ids_given = bool(items) and all(_speaker(item) in by_id for item in items)
    turns = []
    for item in items:
        start, end = seconds(item.get("start")), seconds(item.get("end"))
        words = timed_words(records(item.get("words")), start or 0.0, end or start or 0.0, notes)
        turns.append(
            Turn(
                _speaker(item) if ids_given else label(item.get("speaker")),
                start,
                end,
                str(item.get("text") or ""),
                words,
                confidence=probability(item.get("confidence")),
                acoustics=_acoustics(item.get("acoustics"), notes),
                second=label(item.get("second_speaker_id")) if ids_given else None,
            )
        )
    return Parsed(
        turns,
        title=label(document.get("title")),
        language=label(document.get("language")),
        duration=number(document.get("duration")),
        names={key: str(person.get("name") or key) for key, person in by_id.items()} if ids_given else {},
        roles={
            (key if ids_given else str(person.get("name") or key)): str(person["role"])
            for key, person in by_id.items()
            if person.get("role")
        },
        labels_are_ids=ids_given,
        exact=True,
    )


def _speaker(item: Mapping[str, Any]) -> str | None:
    return label(item.get("speaker_id")) or label(item.get("speaker"))


def _acoustics(value: Any, notes: Notes) -> Acoustics | None:
    if not isinstance(value, Mapping):
        return None
    known: dict[str, float | None] = {name: number(value.get(name)) for name in _MEASURES}
    known["emotion_score"] = probability(value.get("emotion_score"))
    heard = value.get("events")
    events = tuple(dict.fromkeys(map(str, heard))) if isinstance(heard, list) else ()
    emotion = label(value.get("emotion"))
    # Only words of ours: they are shown, spoken of and read by models.
    unknown = ({emotion} - {None, *EMOTIONS}) | ({*events} - {*EVENTS})
    for word in sorted(map(str, unknown)):
        notes.add(f"unknown emotion or sound left out: {word[:40]!r}", kind="unknown emotions or sounds")
    return Acoustics(
        **known,
        emotion=emotion if emotion in EMOTIONS else None,
        events=tuple(event for event in events if event in EVENTS),
    )


FORMAT = Format("GRGA JSON", (".json",), _matches, _read)

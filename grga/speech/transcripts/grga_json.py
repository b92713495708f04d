"""The JSON that GRGA itself exports: ``{"utterances": [{"speaker", "start", "end", "text", …}]}``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import label, number, probability, records, seconds, timed_words
from grga.types import Acoustics

_MEASURES = tuple(field.name for field in fields(Acoustics))


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
                acoustics=_acoustics(item.get("acoustics")),
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


def _acoustics(value: Any) -> Acoustics | None:
    if not isinstance(value, Mapping):
        return None
    known = {
        name: label(value[name]) if name == "emotion" else number(value[name])
        for name in _MEASURES
        if value.get(name) is not None
    }
    return Acoustics(**known)  # type: ignore[arg-type]  # names and types come from the class itself


FORMAT = Format("GRGA JSON", (".json",), _matches, _read)

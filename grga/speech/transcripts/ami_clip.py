"""Reference of a clip: ``turns`` [{speaker, start, end, text}] and ``words`` [{agent, start, end, text}]."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any

from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import first, label, number, records, timed_words
from grga.types import Word


def _matches(source: Source) -> bool:
    document = source.document
    return isinstance(document, Mapping) and all(
        isinstance(document.get(name), list) for name in ("words", "turns")
    )


def _read(source: Source, notes: Notes) -> Parsed:
    document = source.document
    duration = number(document.get("duration_s"))
    listed = records(document["words"])
    spoken: dict[str | None, list[Word]] = {}
    for item in listed:
        written: dict[str, Any] = {**item, "word": first(item, "text_punct", "text"), "text": None}
        who = label(first(item, "agent", "speaker"))
        spoken.setdefault(who, []).extend(timed_words([written], 0.0, duration or 0.0, notes))
    for own in spoken.values():
        own.sort(key=lambda word: word.span.start)
    turns = []
    for item in records(document["turns"]):
        who = label(first(item, "speaker", "agent"))
        start, end = number(item.get("start")), number(item.get("end"))
        words = _inside(spoken.get(who, []), start, end)
        turns.append(Turn(who, start, end, str(item.get("text") or ""), words))
    names = {
        str(item["agent"]): str(item["participant"])
        for item in listed
        if item.get("agent") and item.get("participant")
    }
    return Parsed(turns, title=label(document.get("clip")), duration=duration, names=names)


def _inside(words: list[Word], start: float | None, end: float | None) -> tuple[Word, ...]:
    if start is None or end is None:
        return ()
    first_index = bisect_left(words, start - 0.005, key=lambda word: word.span.start)
    last_index = bisect_right(words, end - 0.005, key=lambda word: word.span.start)
    return tuple(words[first_index:last_index])


FORMAT = Format("clip reference JSON", (".json",), _matches, _read)

"""JSON with segments: Whisper, WhisperX, faster-whisper, whisper.cpp, the AMI segment lists, and kin.

An object with ``segments`` (or ``chunks``, ``transcription``), a list of segments, or one segment a
line. Anything but the text may be missing from a segment or a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from grga.speech.transcripts.labels import labelled
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.recordings import chosen_recording
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import first, label, number, probability, records, seconds, timed_words
from grga.types import Word

_LISTS = ("segments", "chunks", "transcription")
_TEXTS = ("text", "transcript", "content")


def _matches(source: Source) -> bool:
    document = source.document
    if isinstance(document, Mapping):
        return any(isinstance(document.get(name), list) for name in _LISTS)
    items = records(document)
    return bool(items) and all(first(item, *_TEXTS) is not None for item in items[:20])


def _read(source: Source, notes: Notes) -> Parsed:
    document = source.document
    header: Mapping[str, Any] = document if isinstance(document, Mapping) else {}
    listed = next((header[name] for name in _LISTS if isinstance(header.get(name), list)), document)
    items = records(listed)
    if isinstance(listed, list) and len(items) < len(listed):
        notes.add(f"{len(listed) - len(items)} entries that are no segments were skipped")
    meetings = [label(item.get("meeting")) or "" for item in items]
    recording = chosen_recording(meetings, source, notes)
    items = [item for item, name in zip(items, meetings, strict=True) if name == recording]
    turns = [_turn(item, notes) for item in items]
    if all(turn.label is None for turn in turns):
        turns = labelled(turns)
    language = label(header.get("language")) or label(_part(header, "result").get("language"))
    return Parsed(
        turns,
        title=label(header.get("title")) or recording or None,
        language=language.lower() if language and len(language) == 2 else None,
        duration=number(header.get("duration")),
        roles={who: str(item["role"]) for item in items if item.get("role") and (who := _speaker(item))},
    )


def _part(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key)
    return value if isinstance(value, Mapping) else {}


def _speaker(item: Mapping[str, Any]) -> str | None:
    return label(first(item, "speaker", "participant", "agent", "speaker_id"))


def _turn(item: Mapping[str, Any], notes: Notes) -> Turn:
    listed = records(item.get("words"))
    start, end = _times(item)
    if start is None:
        start = min(
            (found for word in listed if (found := seconds(word.get("start"))) is not None), default=None
        )
    if end is None:
        end = max((found for word in listed if (found := seconds(word.get("end"))) is not None), default=None)
    words: tuple[Word, ...] = ()
    if start is not None and end is not None:
        words = timed_words(listed, start, end, notes)
    text = str(first(item, *_TEXTS) or "") or " ".join(str(first(w, "word", "text") or "") for w in listed)
    confidence = probability(first(item, "confidence", "score"))
    return Turn(_speaker(item) or _most_common(words), start, end, text, words, confidence=confidence)


def _times(item: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return start and end in seconds, however the tool writes them.

    AMI lists give the bounds of the words beside the wider ones of the annotator: the words' are kept.
    """
    stamp = item.get("timestamp")
    if isinstance(stamp, list) and len(stamp) == 2:
        return seconds(stamp[0]), seconds(stamp[1])
    offsets = _part(item, "offsets")  # whisper.cpp, milliseconds
    if offsets:
        bounds = number(offsets.get("from")), number(offsets.get("to"))
        return tuple(None if bound is None else bound / 1000 for bound in bounds)  # type: ignore[return-value]
    return (
        seconds(first(item, "words_start", "start", "start_time")),
        seconds(first(item, "words_end", "end", "end_time")),
    )


def _most_common(words: Sequence[Word]) -> str | None:
    spoken = Counter(word.speaker for word in words if word.speaker)
    return spoken.most_common(1)[0][0] if spoken else None


FORMAT = Format("JSON with segments (Whisper and kin)", (".json", ".jsonl"), _matches, _read)

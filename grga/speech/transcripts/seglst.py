"""SegLST (CHiME, meeteval): a list of {session_id, speaker, start_time, end_time, words}."""

from __future__ import annotations

from collections.abc import Mapping

from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.recordings import chosen_recording
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import label, records, seconds


def _matches(source: Source) -> bool:
    document = source.document
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(item, Mapping) and isinstance(item.get("words"), str) for item in document[:20])
    )


def _read(source: Source, notes: Notes) -> Parsed:
    items = records(source.document)
    names = [label(item.get("session_id")) or "" for item in items]
    recording = chosen_recording(names, source, notes)
    turns = [
        Turn(
            label(item.get("speaker")),
            seconds(item.get("start_time")),
            seconds(item.get("end_time")),
            str(item.get("words") or ""),
        )
        for item, name in zip(items, names, strict=True)
        if name == recording
    ]
    return Parsed(turns, title=recording or None)


FORMAT = Format("SegLST JSON", (".json",), _matches, _read)

"""QMSum meetings: with a start and an end for every turn, or as published, without times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grga.errors import TranscriptError
from grga.speech.transcripts.assemble import assemble
from grga.speech.transcripts.model import Format, ImportedTranscript, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.recordings import chosen_recording
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import label, number, records

_MARK = re.compile(r"\{[a-z]+\}")
_SPACE_BEFORE = re.compile(r"\s+([,.?!;:])(?=\s|$)")
_ROLES = frozenset({"Project Manager", "Marketing", "User Interface", "Industrial Designer"})


def _matches(source: Source) -> bool:
    document = source.document
    if isinstance(document, list):
        return bool(document) and all(_is_meeting(item) for item in document)
    return _is_meeting(document)


def _is_meeting(value: Any) -> bool:
    return isinstance(value, Mapping) and (
        "meeting_transcripts" in value or ("turns" in value and "meeting" in value)
    )


def _read(source: Source, notes: Notes) -> Parsed:
    document = source.document
    if isinstance(document, list):
        meetings = {str(meeting.get("meeting", "")): meeting for meeting in records(document)}
        return parse(meetings[chosen_recording(list(meetings), source, notes)])
    return parse(document)


def parse(record: Mapping[str, Any]) -> Parsed:
    """Return the turns of one QMSum record, timed or plain (then without times)."""
    timed = "turns" in record
    turns = []
    for item in records(record["turns"] if timed else record["meeting_transcripts"]):
        text = tidy(str(item.get("text" if timed else "content") or ""))
        start, end = (number(item.get("start")), number(item.get("end"))) if timed else (None, None)
        turns.append(Turn(label(item.get("speaker")), start, end, text))
    labels = {turn.label for turn in turns if turn.label}
    return Parsed(
        turns,
        title=str(record["meeting"]) if record.get("meeting") else None,
        language="en",
        duration=number(record.get("duration_last_word")),
        roles={role: role for role in labels & _ROLES},
    )


def tidy(text: str) -> str:
    """Return the text as people write it: "{vocalsound} Okay , yes ." becomes "Okay, yes."

    A turn that holds nothing but marks keeps them, so that no turn disappears.
    """
    plain = _SPACE_BEFORE.sub(r"\1", " ".join(_MARK.sub(" ", text).split()))
    return plain if re.search(r"\w", plain) else " ".join(text.split())


def meeting_from_qmsum(record: Mapping[str, Any]) -> ImportedTranscript:
    """Return the transcript of one QMSum record (a line of a timed collection, or a whole file).

    Raises:
        TranscriptError: the record is not a QMSum meeting or has no utterances.
    """
    if not _is_meeting(record):
        raise TranscriptError("this is not a QMSum meeting", expected="meeting and turns with times")
    return assemble(
        parse(record),
        Notes(),
        name=str(record.get("meeting") or "meeting"),
        format="qmsum",
        encoding="utf-8",
    )


FORMAT = Format("QMSum JSON", (".json", ".jsonl"), _matches, _read)

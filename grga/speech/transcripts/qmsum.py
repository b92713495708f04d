"""QMSum meetings: with a start and an end for every turn, or as published, without times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grga.errors import TranscriptError
from grga.speech.transcripts.assemble import assemble
from grga.speech.transcripts.model import Format, ImportedTranscript, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.timing import estimate_times
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
        return parse(_chosen(records(document), source, notes), notes)
    return parse(document, notes)


def _chosen(meetings: list[Mapping[str, Any]], source: Source, notes: Notes) -> Mapping[str, Any]:
    names = [str(meeting.get("meeting", "")) for meeting in meetings]
    if source.meeting is None:
        if len(meetings) > 1:
            notes.add(f"the file holds {len(meetings)} meetings; the first, {names[0]}, was read")
        return meetings[0]
    if source.meeting not in names:
        raise TranscriptError(
            f"{source.path.name} holds no meeting {source.meeting!r}",
            found=f"{len(names)} meetings, {', '.join(names[:5])}{', …' if len(names) > 5 else ''}",
        )
    return meetings[names.index(source.meeting)]


def parse(record: Mapping[str, Any], notes: Notes) -> Parsed:
    """Return the turns of one QMSum record, timed or plain; plain times are estimated and noted."""
    timed = "turns" in record
    turns = []
    for item in records(record["turns"] if timed else record["meeting_transcripts"]):
        text = tidy(str(item.get("text" if timed else "content") or ""))
        start, end = (number(item.get("start")), number(item.get("end"))) if timed else (None, None)
        turns.append(Turn(label(item.get("speaker")), start, end, text))
    labels = {turn.label for turn in turns if turn.label}
    return Parsed(
        turns if timed else estimate_times(turns, notes),
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
    notes = Notes()
    return assemble(
        parse(record, notes),
        notes,
        name=str(record.get("meeting") or "meeting"),
        format="qmsum",
        encoding="utf-8",
    )


FORMAT = Format("QMSum JSON", (".json", ".jsonl"), _matches, _read)

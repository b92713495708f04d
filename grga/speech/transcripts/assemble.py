"""Turns as read -> utterances with ids, speakers with ids, and the report of what was repaired."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grga.errors import TranscriptError
from grga.speech.transcripts.model import ImportedTranscript, ImportReport, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.timing import complete_times
from grga.types import UNKNOWN_SPEAKER, Speaker, TimeSpan, Utterance

_NOBODY = frozenset({"", "unknown", "<na>", "none", "null", "n/a"})
_CONTROL = {code: None for code in range(32) if chr(code) not in "\t\n\v\f\r\x1c\x1d\x1e\x1f"}


def clean_text(text: str) -> str:
    """Return ``text`` on one line: control characters removed, runs of white space become one space."""
    return " ".join(text.translate(_CONTROL).split())


def assemble(parsed: Parsed, notes: Notes, *, name: str, format: str, encoding: str) -> ImportedTranscript:
    """Return the finished transcript.

    Args:
        parsed: What the reader found.
        notes: Goes on collecting here.
        name: Title when the file has none.
        format: Name of the reader, for the report.
        encoding: How the bytes were read, for the report.

    Raises:
        TranscriptError: nothing with words and a length is left.
    """
    read = len(parsed.turns)
    turns = [
        good
        for turn in complete_times(parsed.turns, notes)
        if (good := _repaired(turn, parsed.exact, notes)) is not None
    ]
    if not turns:
        raise TranscriptError(
            f"the transcript {name!r} has no utterances",
            found=f"{read} turns, none with words and a length" if read else "no turns",
            fix="; ".join(str(note) for note in notes.result(most=3)[:3]) or "choose another file",
        )
    turns.sort(key=lambda turn: turn.start or 0.0)
    ids = _speaker_ids(turns, keep=parsed.labels_are_ids)
    utterances = tuple(_utterance(i, turn, ids) for i, turn in enumerate(turns))
    silent = sum(not utterance.text.strip() for utterance in utterances)
    if silent:
        notes.add(f"{silent} of {len(utterances)} utterances have no words")
    if UNKNOWN_SPEAKER in ids.values():
        nobody = sum(u.speaker == UNKNOWN_SPEAKER for u in utterances)
        notes.add(f'{nobody} of {len(utterances)} utterances have no speaker; shown as "{UNKNOWN_SPEAKER}"')
    last = max(utterance.end for utterance in utterances)
    return ImportedTranscript(
        title=parsed.title or name,
        utterances=utterances,
        speakers=_speakers(ids, utterances, parsed),
        language=parsed.language,
        duration=max(last, parsed.duration or 0.0),
        report=ImportReport(
            format=format,
            encoding=encoding,
            counts={
                "read": read,
                "kept": len(utterances),
                "dropped": read - len(utterances),
                "speakers": len(ids),
                "words": sum(len(utterance.words) for utterance in utterances),
            },
            notes=notes.result(),
        ),
    )


def _repaired(turn: Turn, exact: bool, notes: Notes) -> Turn | None:
    """Return the turn with sound times, text and label, or None (noted) when nothing is left of it."""
    text = turn.text if exact else clean_text(turn.text)
    if not text.strip() and not exact:
        notes.add(
            f"a turn without words{_at(turn)} was dropped", turn.line, "turns without words were dropped"
        )
        return None
    start, end = turn.start, turn.end
    if start is None or end is None or not (math.isfinite(start) and math.isfinite(end)):
        notes.add("a turn without times was dropped", turn.line, "turns without times were dropped")
        return None
    if end < start:
        notes.add(
            f"the turn ends ({end:g} s) before it starts ({start:g} s); the two were exchanged",
            turn.line,
            "turns that end before they start had their times exchanged",
        )
        start, end = end, start
    if start < 0:
        notes.add(
            f"the start {start:g} s is before the recording; set to 0",
            turn.line,
            "starts before the recording were set to 0",
        )
        start, end = 0.0, max(0.0, end)
    if end == start:
        notes.add(
            f"a turn of length zero at {start:g} s was dropped",
            turn.line,
            "turns of length zero were dropped",
        )
        return None
    # + 0.0 turns the negative zero of some tools into zero.
    return replace(turn, label=_label(turn.label), start=start + 0.0, end=end + 0.0, text=text)


def _at(turn: Turn) -> str:
    return f" at {turn.start:g} s" if turn.start is not None else ""


def _label(label: str | None) -> str:
    """Return the label in one Unicode form, so that two spellings of "é" are one speaker."""
    plain = clean_text(unicodedata.normalize("NFC", label or ""))
    return UNKNOWN_SPEAKER if plain.lower() in _NOBODY else plain


def _speaker_ids(turns: Sequence[Turn], *, keep: bool) -> dict[str | None, str]:
    ids: dict[str | None, str] = {}
    for turn in turns:
        if turn.label == UNKNOWN_SPEAKER:
            ids.setdefault(turn.label, UNKNOWN_SPEAKER)
        elif turn.label not in ids:
            numbered = sum(known != UNKNOWN_SPEAKER for known in ids.values()) + 1
            ids[turn.label] = str(turn.label) if keep else f"S{numbered}"
    return ids


def _utterance(index: int, turn: Turn, ids: Mapping[str | None, str]) -> Utterance:
    span, speaker = TimeSpan(turn.start or 0.0, turn.end or 0.0), ids[turn.label]
    # Somebody who only ever talks beside others has no line of their own, and so no id.
    second = None if turn.second is None else ids.get(_label(turn.second))
    return Utterance(
        index,
        speaker,
        span,
        turn.text,
        turn.words,
        turn.confidence,
        turn.acoustics,
        None if second == speaker else second,
    )


def _speakers(
    ids: dict[str | None, str], utterances: Sequence[Utterance], parsed: Parsed
) -> tuple[Speaker, ...]:
    seconds = dict.fromkeys(ids.values(), 0.0)
    for utterance in utterances:
        seconds[utterance.speaker] += utterance.span.duration
    names = {_label(label): name for label, name in parsed.names.items()}
    roles = {_label(label): role for label, role in parsed.roles.items()}
    return tuple(
        Speaker(
            id=speaker,
            name=names.get(str(label), str(label)),
            role=roles.get(str(label)),
            talk_seconds=round(seconds[speaker], 3),
        )
        for label, speaker in ids.items()
    )

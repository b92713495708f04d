"""NIST RTTM: who speaks when. The words come from a second file, or from LEXEME lines."""

from __future__ import annotations

from collections.abc import Iterator

from grga.speech.transcripts.matching import match_words
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.recordings import chosen_recording
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import number, probability
from grga.speech.transcripts.words import turns_of_words
from grga.types import TimeSpan, Word

_WITHOUT_TURNS = frozenset(
    {"SEGMENT", "NOSCORE", "NO_RT_METADATA", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "SU", "IP", "CB"}
    | {"A/P", "SPKR-INFO"}
)
_TYPES = _WITHOUT_TURNS | {"SPEAKER", "LEXEME"}
_LEAST_FIELDS = 8  # the standard has 9, many tools write 10, some leave the last ones out


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    for line_number, line in enumerate(source.lines, start=1):
        fields = line.split()
        if fields and not fields[0].startswith((";", "#")):
            yield line_number, fields


def _matches(source: Source) -> bool:
    opening = next((fields for _, fields in _rows(source)), [])
    return len(opening) >= _LEAST_FIELDS and opening[0].upper() in _TYPES


def _read(source: Source, notes: Notes) -> Parsed:
    rows = list(_rows(source))
    recording = chosen_recording((fields[1] for _, fields in rows if len(fields) > 1), source, notes)
    turns: list[Turn] = []
    words: list[Word] = []
    for line, fields in rows:
        kind = fields[0].upper()
        if kind not in _TYPES:
            notes.add(
                f"{fields[0]!r} is no RTTM type; the line was skipped",
                line,
                "lines of no RTTM type were skipped",
            )
        if kind not in ("SPEAKER", "LEXEME") or (len(fields) > 1 and fields[1] != recording):
            continue
        start, length = (number(field) for field in [*fields, *[""] * 5][3:5])
        if len(fields) < _LEAST_FIELDS or start is None or length is None:
            notes.add(
                f"expected at least {_LEAST_FIELDS} fields with start and length; the line was skipped",
                line,
                "lines without start, length or speaker were skipped",
            )
        elif kind == "SPEAKER":
            turns.append(Turn(fields[7], start, start + length, "", line=line))
        elif length >= 0:
            confidence = probability(fields[8]) if len(fields) > 8 else None
            words.append(Word(fields[5], TimeSpan(start, start + length), confidence, fields[7]))
    if source.words is not None:
        if source.words.title not in (None, recording):
            notes.add(f"the turns are of {recording!r}, the words of {source.words.title!r}")
        matched = match_words(turns, source.words.turns, notes)
        return Parsed(matched, recording, language=source.words.language)
    if words:
        return Parsed(turns_of_words(words), recording)
    notes.add(
        "RTTM says who speaks when, but not what: "
        "import it together with a file that holds the words (CTM, STM, SRT, JSON, text)"
    )
    return Parsed(turns, recording, exact=True)


FORMAT = Format("RTTM", (".rttm",), _matches, _read)

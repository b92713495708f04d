"""NIST CTM: one timed word a line, ``file channel start length word [confidence]``.

The channel is the speaker; words become turns where a speaker is silent for a while.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grga.speech.transcripts.model import Format, Parsed
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.recordings import chosen_recording
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import number, probability
from grga.speech.transcripts.words import turns_of_words
from grga.types import TimeSpan, Word

_SILENT = frozenset({"<eps>", "<sil>", "sil", "<unk-sil>"})
_GUESSED_LENGTH = 0.3  # seconds, for words of length zero


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    for line_number, line in enumerate(source.lines, start=1):
        if line.strip() and not line.lstrip().startswith((";;", "#")):
            yield line_number, line.split()


def _matches(source: Source) -> bool:
    rows = [fields for _, fields in _rows(source)][:20]
    fitting = [5 <= len(fields) <= 8 and _times(fields) is not None for fields in rows]
    return bool(fitting) and sum(fitting) * 2 >= len(fitting)


def _times(fields: list[str]) -> tuple[float, float] | None:
    start, length = number(fields[2]), number(fields[3])
    return (start, length) if start is not None and length is not None else None


def _read(source: Source, notes: Notes) -> Parsed:
    rows = list(_rows(source))
    recording = chosen_recording((fields[0] for _, fields in rows), source, notes)
    words = []
    for line, fields in rows:
        times = _times(fields) if len(fields) >= 5 else None
        if times is None or times[1] < 0:
            notes.add(
                "expected file, channel, start, length, word; the line was skipped",
                line,
                "lines that are no words were skipped",
            )
        elif fields[0] == recording and fields[4].lower() not in _SILENT:
            confidence = probability(fields[5]) if len(fields) > 5 else None
            span = TimeSpan(times[0], round(times[0] + times[1], 6))
            words.append(Word(fields[4], span, confidence, fields[1]))
    return Parsed(turns_of_words(_with_lengths(words, notes)), title=recording or None)


def _with_lengths(words: list[Word], notes: Notes) -> list[Word]:
    """Let words of length zero last until the speaker's next word, 0.3 s at most."""
    following: dict[str | None, float] = {}
    lengthened = []
    for word in sorted(words, key=lambda word: word.span.start, reverse=True):
        start = word.span.start
        if word.span.duration == 0:
            latest = following.get(word.speaker, float("inf"))
            end = min(start + _GUESSED_LENGTH, latest)
            word = replace(word, span=TimeSpan(start, end if end > start else start + _GUESSED_LENGTH))
        following[word.speaker] = start
        lengthened.append(word)
    guessed = sum(word.span.duration == 0 for word in words)
    if guessed:
        notes.add(
            f"{guessed} words of length zero were given {_GUESSED_LENGTH:g} s or the time until the next"
        )
    return lengthened[::-1]


FORMAT = Format("CTM", (".ctm",), _matches, _read)

"""Reading loosely typed JSON values without trusting them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from grga.speech.transcripts.clock import ClockError, parse_clock
from grga.speech.transcripts.notes import Notes
from grga.types import TimeSpan, Word

_LONGEST_GUESS = 1.0  # seconds that a word without times may last


def number(value: Any) -> float | None:
    """Return a finite number from a number or its text ("1.5"); anything else is None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def seconds(value: Any) -> float | None:
    """Return seconds from a number, its text, or a clock time ("1:04:13.283"); anything else is None."""
    if isinstance(value, str) and ":" in value:
        try:
            return parse_clock(value)
        except ClockError:
            return None
    return number(value)


def first(record: Mapping[str, Any], *keys: str) -> Any:
    """Return the value of the first key that is there and not None."""
    return next((record[key] for key in keys if record.get(key) is not None), None)


def label(value: Any) -> str | None:
    """Return a speaker label from text or a whole number; anything else is None."""
    if isinstance(value, Mapping):
        value = first(value, "name", "label", "id")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    return None


def records(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a JSON list; everything else in it is left out."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def probability(value: Any) -> float | None:
    """Return a confidence in 0..1, or None."""
    result = number(value)
    return result if result is not None and 0.0 <= result <= 1.0 else None


def timed_words(
    items: Sequence[Mapping[str, Any]], start: float, end: float, notes: Notes, line: int | None = None
) -> tuple[Word, ...]:
    """Return words whose missing times are spread evenly between their timed neighbours.

    Args:
        items: Objects with ``word`` or ``text`` and perhaps ``start``, ``end``, ``score``.
        start: Start of the turn in seconds: where untimed first words begin.
        end: End of the turn in seconds: where untimed last words end.
        notes: Is told how many times were guessed.
        line: Line of the turn for that note.
    """
    found = [item for item in items if str(first(item, "word", "text") or "").strip()]
    bounds = [_bounds(item) for item in found]
    guessed = sum(bound is None for bound in bounds)
    if guessed:
        notes.add(
            f"{guessed} words without times were placed between their neighbours",
            line,
            "words without times were placed between their neighbours",
        )
    words = []
    for item, (word_start, word_end) in zip(found, _filled(bounds, start, end), strict=True):
        words.append(
            Word(
                text=str(first(item, "word", "text")).strip(),
                span=TimeSpan(word_start, word_end),
                confidence=probability(first(item, "score", "probability", "confidence")),
                speaker=label(item.get("speaker")),
            )
        )
    return tuple(words)


def _bounds(item: Mapping[str, Any]) -> tuple[float, float] | None:
    start, end = seconds(item.get("start")), seconds(item.get("end"))
    if start is None or end is None:
        return None
    return (start, end) if start <= end else (end, start)


def _filled(
    bounds: Sequence[tuple[float, float] | None], start: float, end: float
) -> list[tuple[float, float]]:
    """Return all bounds, each run of missing ones cut evenly out of the gap it stands in."""
    filled: list[tuple[float, float]] = []
    index = 0
    while index < len(bounds):
        known = bounds[index]
        if known is not None:
            filled.append(known)
            index += 1
            continue
        run = 1
        while index + run < len(bounds) and bounds[index + run] is None:
            run += 1
        left = filled[-1][1] if filled else start
        following = bounds[index + run] if index + run < len(bounds) else None
        right = max(left, following[0] if following else end)
        step = min((right - left) / run, _LONGEST_GUESS)
        filled.extend((left + i * step, left + (i + 1) * step) for i in range(run))
        index += run
    return filled

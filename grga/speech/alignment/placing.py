"""From what an aligner measured to words in order inside their clip; shared by all aligners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from grga.types import TimeSpan, Word


@dataclass(frozen=True, slots=True)
class Found:
    """Where an aligner heard a word: seconds from the start of the recording, confidence as in a word."""

    start: float
    end: float
    confidence: float | None = None


def placed(words: Sequence[Word], clip: TimeSpan, found: Sequence[Found | None]) -> tuple[Word, ...]:
    """Return the words with what was found: in order, not overlapping, inside the clip.

    A word that was not found keeps its own times as far as they lie between its neighbours, and its
    confidence becomes None.

    Args:
        words: In order.
        clip: What the words must not leave, seconds.
        found: One for each word, in order; None where the aligner could not tell.
    """
    latest = _starts_after(found, clip)
    result: list[Word] = []
    earliest = clip.start
    for word, one, limit in zip(words, found, latest, strict=True):
        wanted = one or Found(word.span.start, word.span.end)
        limit = max(limit, earliest)
        start = min(max(round(wanted.start, 3), earliest), limit)
        end = min(max(round(wanted.end, 3), start), limit)
        span = TimeSpan(start, end)
        result.append(replace(word, span=span, confidence=one.confidence if one else None))
        earliest = end
    return tuple(result)


def _starts_after(found: Sequence[Found | None], clip: TimeSpan) -> list[float]:
    """Return for each word where the next one begins that was found, at most the clip's end."""
    starts = [clip.end]
    for one in reversed(found[1:]):
        starts.append(min(starts[-1], max(one.start, clip.start)) if one else starts[-1])
    return starts[::-1][: len(found)]


def by_letters(words: Sequence[Word], heard: Sequence[tuple[str, Found]]) -> list[Found | None]:
    """Return for each word where its letters were heard, None where none was.

    Other programs split, join and drop words in their own ways ("can't" is "can" and "'t", "GRGA" is
    four letters, an unknown word is missing), but keep the order of letters.

    Args:
        words: As recognised.
        heard: What the program wrote and where, in order.
    """
    ours = [(letter, index) for index, word in enumerate(words) for letter in _letters(word.text)]
    theirs = [(letter, index) for index, (text, _) in enumerate(heard) for letter in _letters(text)]
    matcher = SequenceMatcher(None, [a for a, _ in ours], [b for b, _ in theirs], autojunk=False)
    where: dict[int, list[Found]] = {}
    for first, second, size in matcher.get_matching_blocks():
        for offset in range(size):
            where.setdefault(ours[first + offset][1], []).append(heard[theirs[second + offset][1]][1])
    return [
        Found(where[index][0].start, where[index][-1].end, word.confidence) if index in where else None
        for index, word in enumerate(words)
    ]


def _letters(text: str) -> list[str]:
    return [letter for letter in text.lower() if letter.isalnum()]

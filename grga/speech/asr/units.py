"""From what a recogniser wrote to words: Han characters one by one, other scripts by spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grga.types import TimeSpan, Word

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{HAN}]|[^\s{HAN}]+")
_MARKS = re.compile(r"^[\W_]+$")
_LEADING_MARKS = re.compile(r"^[、，。？！；：,.?!;:]+")


def split_units(text: str) -> list[str]:
    """Split text into Han characters and other words; a mark hangs on the unit before it.

    >>> split_units("我们用 GRGA 做，好吗？")
    ['我', '们', '用', 'GRGA', '做，', '好', '吗？']
    """
    units: list[str] = []
    for unit in _UNIT.findall(text):
        if _MARKS.match(unit):
            if units:
                units[-1] += unit
            continue
        lead = _LEADING_MARKS.match(unit)
        if lead and units:
            units[-1] += lead[0]
        units.append(unit[lead.end() :] if lead else unit)
    return units


def letters(text: str) -> str:
    """Return letters, digits and Han characters alone, in lower case: what two writings of a word share.

    >>> letters("It's 5%，好。")
    'its5好'
    """
    return "".join(re.findall(r"[^\W_]", text)).lower()


def spread(words: Sequence[str], clip: TimeSpan) -> tuple[Word, ...]:
    """Give each word a share of the clip by its length: an estimate, for backends without word times."""
    lengths = [max(1, len(word)) for word in words]
    total = sum(lengths)
    spans, done = [], 0
    for length in lengths:
        first, done = done, done + length
        spans.append(
            TimeSpan(
                round(clip.start + clip.duration * first / total, 3),
                round(clip.start + clip.duration * done / total, 3),
            )
        )
    return tuple(Word(text, span) for text, span in zip(words, spans, strict=True))


def timed_words(
    text: str, pieces: Sequence[str], stamps: Sequence[Sequence[float]], clip: TimeSpan
) -> tuple[Word, ...]:
    """Return the words of ``text`` with the times of the pieces that they were written in.

    Libraries cut text into pieces of their own (parts of words, marks, several characters at once); a word
    lasts from its first letter to its last. Where pieces and text disagree nobody knows which time is
    whose, and the words are spread over the clip.

    Args:
        text: What was written, with spaces and marks.
        pieces: The same text in the library's pieces.
        stamps: Start and end of each piece in milliseconds from the start of the clip.
        clip: Where it was heard, seconds.

    Returns:
        Words in order, each inside the clip.
    """
    units = split_units(text)
    if len(pieces) != len(stamps) or letters("".join(pieces)) != letters("".join(units)):
        return spread(units, clip)
    times = [time for piece, stamp in zip(pieces, stamps, strict=True) for time in _per_letter(piece, stamp)]
    words: list[Word] = []
    earliest, done = clip.start, 0
    for unit in units:
        own = times[done : done + len(letters(unit))]
        done += len(own)
        first = min(max(clip.start + own[0][0] / 1000, earliest), clip.end)
        last = min(max(clip.start + own[-1][1] / 1000, first), clip.end)
        words.append(Word(unit, TimeSpan(round(first, 3), round(last, 3))))
        earliest = first
    return tuple(words)


def _per_letter(piece: str, stamp: Sequence[float]) -> list[tuple[float, float]]:
    """Share a piece's time evenly among its letters; marks take none."""
    begin, end = stamp
    count = len(letters(piece))
    step = (end - begin) / max(count, 1)
    return [(begin + step * number, begin + step * (number + 1)) for number in range(count)]

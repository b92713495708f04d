"""From what a recogniser wrote to words: Han characters one by one, other scripts by spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grga.types import TimeSpan, Word

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{HAN}]|[^\s{HAN}]+")
_GLUED = re.compile(rf"^[^\w{HAN}]+$")


def split_units(text: str) -> list[str]:
    """Split text into Han characters and other words; a mark hangs on the unit before it.

    >>> split_units("我们用 GRGA 做，好吗？")
    ['我', '们', '用', 'GRGA', '做，', '好', '吗？']
    """
    units: list[str] = []
    for unit in _UNIT.findall(text):
        if units and _GLUED.match(unit):
            units[-1] += unit
        elif not _GLUED.match(unit):
            lead = re.match(r"^[、，。？！；：,.?!;:]+", unit)
            if lead and units:
                units[-1] += lead[0]
                unit = unit[lead.end() :]
            if unit:
                units.append(unit)
    return units


def timed_words(units: Sequence[str], stamps: Sequence[Sequence[float]], clip: TimeSpan) -> tuple[Word, ...]:
    """Return words whose times lie in order inside the clip.

    Args:
        units: What was written; a unit of marks alone hangs on the word before it.
        stamps: Start and end of each unit in milliseconds from the start of the clip.
        clip: Where the units were heard, seconds.
    """
    words: list[Word] = []
    earliest = clip.start
    for unit, (begin, end) in zip(units, stamps, strict=True):
        if _GLUED.match(unit):
            if words:
                words[-1] = Word(words[-1].text + unit, words[-1].span)
            continue
        first = min(max(clip.start + begin / 1000, earliest), clip.end)
        last = min(max(clip.start + end / 1000, first), clip.end)
        words.append(Word(unit, TimeSpan(round(first, 3), round(max(last, first), 3))))
        earliest = words[-1].span.start
    return tuple(words)

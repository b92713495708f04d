"""The vocabulary of a meeting, used without letting it put words into anybody's mouth.

A recogniser that is shown a list of names also writes names that nobody said, and skips sentences
(the figures stand in docs/speech.md). So it listens twice, without and with the hints; what it heard
without them stands, and a hint may only give another spelling to what was heard there anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from grga.speech.asr.units import letters, spread
from grga.types import TimeSpan, Word

ALIKE = 0.5
"""Least share of letters that two spellings of one word have in common; Mandarin has one sign per syllable."""


def fitting(hints: Sequence[str], count: Callable[[str], int], most: int) -> tuple[str, ...]:
    """Return the first hints, each whole, that take at most ``most`` tokens together.

    Args:
        hints: As people gave them; empty ones and repetitions are left out.
        count: Returns the tokens of a text.
        most: How many there is room for.
    """
    kept: list[str] = []
    for hint in dict.fromkeys(hint.strip() for hint in hints):
        if hint and count(", ".join([*kept, hint])) <= most:
            kept.append(hint)
    return tuple(kept)


def respelt(plain: Sequence[Word], hinted: Sequence[Word], hints: Sequence[str]) -> tuple[Word, ...]:
    """Return ``plain`` with the spelling of hints where both hearings speak of the same sounds.

    Args:
        plain: Words heard without hints: their number, order and times are kept but for what is respelt.
        hinted: Words of the same clip heard with hints.
        hints: Names and product words.
    """
    before, after = [letters(word.text) for word in plain], [letters(word.text) for word in hinted]
    named = _named(after, [letters(hint) for hint in hints])
    words: list[Word] = []
    for change, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        same_sounds = change == "replace" and _alike("".join(before[i:j]), "".join(after[k:m]))
        if same_sounds and all(named[k:m]):
            words += _in_place_of(plain[i:j], hinted[k:m])
        else:
            words += plain[i:j]
    return tuple(words)


def _named(words: Sequence[str], hints: Sequence[str]) -> list[bool]:
    """Return for each word whether it is part of a hint: all its letters lie inside one."""
    begins = [sum(map(len, words[:number])) for number in range(len(words) + 1)]
    named = [False] * len(words)
    for first, last in _places("".join(words), hints):
        if first in begins and last in begins:
            for number in range(begins.index(first), begins.index(last)):
                named[number] = True
    return named


def _places(text: str, hints: Sequence[str]) -> Iterator[tuple[int, int]]:
    for hint in filter(None, hints):
        found = text.find(hint)
        while found >= 0:
            yield found, found + len(hint)
            found = text.find(hint, found + 1)


def _alike(one: str, other: str) -> bool:
    if not (one.isascii() and other.isascii()):
        return len(one) == len(other)
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def _in_place_of(plain: Sequence[Word], hinted: Sequence[Word]) -> tuple[Word, ...]:
    """Return the hinted words at the times of the plain ones."""
    if len(plain) == len(hinted):
        spans = [word.span for word in plain]
    else:
        whole = TimeSpan(plain[0].span.start, max(word.span.end for word in plain))
        spans = [word.span for word in spread([word.text for word in hinted], whole)]
    return tuple(Word(word.text, span, word.confidence) for word, span in zip(hinted, spans, strict=True))

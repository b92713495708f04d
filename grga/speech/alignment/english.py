"""How an English word sounds, in the sounds of the CMU dictionary: enough to find its place in a recording."""

from __future__ import annotations

import re
from collections.abc import Callable

Lookup = Callable[[str], str | None]

_PART = re.compile(r"[a-z']+")
# Letters of words that no dictionary has; only how long they take and roughly what they sound like matters.
_SOUNDS = {
    "tion": "SH AH N",
    "sh": "SH",
    "ch": "CH",
    "th": "TH",
    "ph": "F",
    "ck": "K",
    "ng": "NG",
    "qu": "K W",
    "ee": "IY",
    "ea": "IY",
    "oo": "UW",
    "ou": "AW",
    "ai": "EY",
    "ay": "EY",
    "a": "AE",
    "b": "B",
    "c": "K",
    "d": "D",
    "e": "EH",
    "f": "F",
    "g": "G",
    "h": "HH",
    "i": "IH",
    "j": "JH",
    "k": "K",
    "l": "L",
    "m": "M",
    "n": "N",
    "o": "AA",
    "p": "P",
    "q": "K",
    "r": "R",
    "s": "S",
    "t": "T",
    "u": "AH",
    "v": "V",
    "w": "W",
    "x": "K S",
    "y": "Y",
    "z": "Z",
}
_LETTERS = re.compile("|".join(_SOUNDS))
SHORTEST_PART = 3


def parts_of(text: str, lookup: Lookup) -> list[tuple[str, str | None]]:
    """Return the dictionary words of one spoken word, each with the sounds to add when it is not listed.

    A word that is not listed is cut into two that are ("rightclick"), or spelled by its letters.

    Args:
        text: In lower case, numbers in words.
        lookup: The dictionary: a word's sounds, None when it is not listed.
    """
    parts: list[tuple[str, str | None]] = []
    for run in _PART.findall(text):
        word = next((form for form in (run, run.strip("'"), run.replace("'", "")) if lookup(form)), None)
        if word is not None:
            parts.append((word, None))
        elif bare := run.replace("'", ""):
            parts += [(half, None) for half in _halves(bare, lookup)] or [(bare, _spelled(bare))]
    return parts


def _halves(word: str, lookup: Lookup) -> tuple[str, ...]:
    for cut in range(len(word) - SHORTEST_PART, SHORTEST_PART - 1, -1):
        if lookup(word[:cut]) and lookup(word[cut:]):
            return word[:cut], word[cut:]
    return ()


def _spelled(word: str) -> str:
    return " ".join(_SOUNDS[letters] for letters in _LETTERS.findall(word))

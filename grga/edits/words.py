"""When were the words of a corrected line spoken? Those that stayed keep their times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from grga.types import TimeSpan, Word

# One Han or kana character with the marks after it, or a run of anything else without spaces.
_PIECE = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff][\u3001-\u303f\uff00-\uffef]*|[^\s\u3040-\u30ff\u3400-\u9fff]+"
)


@dataclass(frozen=True)
class _Piece:
    """A piece of text with its time; ``place`` is the recognised word that it belongs to, if any."""

    text: str
    span: TimeSpan
    place: int | None = None


def aligned(words: Sequence[Word], text: str) -> tuple[Word, ...]:
    """Return the words of ``text``, timed by the ``words`` of the line that it replaces.

    A word that stayed is the same :class:`Word`. Words in the place of others share the time of these, by
    length; words put in between get the pause there, which may be of length zero. What is new has no
    confidence. Without ``words`` there is nothing to time by, and the result is empty.
    """
    old = [piece for place, word in enumerate(words) for piece in _pieces(word, place)]
    if not old:
        return ()
    new = _PIECE.findall(text)
    matcher = SequenceMatcher(
        None, [_core(one.text) for one in old], [_core(one) for one in new], autojunk=False
    )
    found: list[_Piece] = []
    for kind, i, j, first, last in matcher.get_opcodes():
        if kind == "equal":
            pairs = zip(old[i:j], new[first:last], strict=True)
            found += [_Piece(text, piece.span, piece.place) for piece, text in pairs]
        else:
            found += _shared_out(_room(old, i, j), new[first:last])
    return tuple(_joined(found, words, old))


def _pieces(word: Word, place: int) -> list[_Piece]:
    return [_Piece(one.text, one.span, place) for one in _shared_out(word.span, _PIECE.findall(word.text))]


def _shared_out(span: TimeSpan, texts: Sequence[str]) -> list[_Piece]:
    """Return the texts one after the other, each with a part of ``span`` by its length."""
    total = sum(len(text) for text in texts)
    pieces, done = [], 0
    for text in texts:
        begin = span.start + span.duration * done / total
        done += len(text)
        end = span.end if done == total else span.start + span.duration * done / total
        pieces.append(_Piece(text, TimeSpan(round(begin, 3), max(round(begin, 3), round(end, 3)))))
    return pieces


def _room(old: Sequence[_Piece], i: int, j: int) -> TimeSpan:
    """Return the time of the pieces ``i`` to ``j``, or the pause in front of ``i`` when there are none."""
    if i < j:
        start, end = old[i].span.start, old[j - 1].span.end
    else:
        start = old[i - 1].span.end if i else old[0].span.start
        end = old[i].span.start if i < len(old) else start
    return TimeSpan(start, max(start, end))


def _joined(found: Sequence[_Piece], words: Sequence[Word], old: Sequence[_Piece]) -> list[Word]:
    """Return the pieces as words; those of a recognised word that are all there become it again."""
    size = Counter(piece.place for piece in old)
    was = {place: [one.text for one in group] for place, group in groupby(old, key=lambda one: one.place)}
    result: list[Word] = []
    for place, group in groupby(found, key=lambda piece: piece.place):
        pieces = list(group)
        if place is None:
            result += [Word(piece.text, piece.span, speaker=words[0].speaker) for piece in pieces]
        elif len(pieces) == size[place] and [piece.text for piece in pieces] == was[place]:
            result.append(words[place])
        else:
            known = words[place]
            result += [Word(piece.text, piece.span, known.confidence, known.speaker) for piece in pieces]
    return result


def _core(text: str) -> str:
    """Return what makes two pieces the same word: not case, not the marks around it."""
    return "".join(char for char in text.casefold() if char.isalnum()) or text

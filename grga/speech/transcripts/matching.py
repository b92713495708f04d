"""Turns from one file, words from another: matched by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grga.speech.transcripts.model import Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.timing import complete_times
from grga.speech.transcripts.words import join_words, span_of
from grga.types import TimeSpan, Word

_NEAR = 1.0  # seconds that a word may lie outside every turn and still belong to the nearest one


def match_words(turns: Sequence[Turn], spoken: Sequence[Turn], notes: Notes) -> list[Turn]:
    """Return ``turns`` with the words that overlap each of them most.

    Args:
        turns: Who speaks when; their texts are ignored.
        spoken: Turns with words, or texts with times, or texts without times. Texts without times
            go line by line to the turns when there are as many lines as turns, else all words are
            dealt out in proportion to the turns' lengths (noted: it is a guess).
        notes: Is told of words outside all turns and of guesses.
    """
    timed = [
        turn for turn in turns if turn.start is not None and turn.end is not None and turn.end > turn.start
    ]
    timed.sort(key=lambda turn: turn.start or 0.0)
    if len(timed) < len(turns):
        notes.add(f"{len(turns) - len(timed)} turns of length zero were dropped")
    if not timed:
        return []
    if all(turn.start is None for turn in spoken):
        return _dealt_out(timed, [turn.text for turn in spoken], notes)
    return _by_overlap(timed, _items(complete_times(spoken, notes)), notes)


@dataclass(frozen=True, slots=True)
class _Item:
    """A word, or a whole text whose words have no times of their own."""

    word: Word
    whole: bool

    @property
    def span(self) -> TimeSpan:
        return self.word.span


def _items(spoken: Sequence[Turn]) -> list[_Item]:
    items: list[_Item] = []
    for turn in spoken:
        if turn.words:
            items += [_Item(replace(word, speaker=word.speaker or turn.label), False) for word in turn.words]
        elif turn.text.strip() and turn.start is not None and turn.end is not None:
            word = Word(turn.text.strip(), span_of(turn.start, turn.end), speaker=turn.label)
            items.append(_Item(word, True))
    return sorted(items, key=lambda item: item.span.start)


def _by_overlap(turns: Sequence[Turn], items: Sequence[_Item], notes: Notes) -> list[Turn]:
    """Give each item to the turn it fits best; one pass over both lists, which are in time order."""
    spans = [TimeSpan(turn.start or 0.0, turn.end or 0.0) for turn in turns]
    given: dict[int, list[_Item]] = {}
    lost: list[_Item] = []
    active: list[int] = []
    following = 0
    for item in items:
        while following < len(spans) and spans[following].start <= item.span.end + _NEAR:
            active.append(following)
            following += 1
        active = [i for i in active if spans[i].end >= item.span.start - _NEAR]
        if active:
            best = max(active, key=lambda i: _fit(turns[i].label, spans[i], item))
            given.setdefault(best, []).append(item)
        else:
            lost.append(item)
    if lost:
        notes.add(f"{len(lost)} words lie outside every turn of the RTTM; they have no speaker")
    matched = [_with_words(turn, given.get(i, [])) for i, turn in enumerate(turns)]
    silent = sum(not turn.text for turn in matched)
    if silent:
        notes.add(f"{silent} turns of the RTTM have no words in the other file; they were dropped")
    strays = [_with_words(Turn(None, item.span.start, item.span.end, ""), [item]) for item in lost]
    return [turn for turn in matched if turn.text] + strays


def _fit(label: str | None, span: TimeSpan, item: _Item) -> tuple[bool, float, float]:
    """Return how well an item fits a turn; the larger the better.

    Where turns overlap, the same label decides; then a whole text goes to the turn most like it, a
    single word to the turn that covers it, the longer one of two: who holds the floor is heard best.
    """
    near = -max(0.0, span.start - item.span.end, item.span.start - span.end)
    same = near == 0 and _same_label(label, item.word.speaker)
    if item.whole:
        return same, near or span.iou(item.span), 0.0
    return same, near or round(span.overlap(item.span), 3), span.duration


def _same_label(one: str | None, other: str | None) -> bool:
    """Return whether two labels mean one person; RTTM has no spaces and writes "Ann_Lee" for "Ann Lee"."""
    return bool(one and other) and "_".join(str(one).split()) == "_".join(str(other).split())


def _with_words(turn: Turn, items: Sequence[_Item]) -> Turn:
    words = () if any(i.whole for i in items) else tuple(replace(i.word, speaker=None) for i in items)
    return replace(turn, text=join_words(item.word.text for item in items), words=words)


def _dealt_out(turns: Sequence[Turn], texts: Sequence[str], notes: Notes) -> list[Turn]:
    if len(texts) == len(turns):
        return [replace(turn, text=text) for turn, text in zip(turns, texts, strict=True)]
    notes.add(
        f"the words have no times and {len(texts)} lines do not fit {len(turns)} turns; "
        "they were dealt out by the length of the turns, so speakers may be wrong"
    )
    words = " ".join(texts).split()
    total = sum((turn.end or 0.0) - (turn.start or 0.0) for turn in turns)
    dealt, passed, begin = [], 0.0, 0
    for turn in turns:
        passed += (turn.end or 0.0) - (turn.start or 0.0)
        end = round(len(words) * passed / total)
        dealt.append(replace(turn, text=" ".join(words[begin:end])))
        begin = end
    return [turn for turn in dealt if turn.text]

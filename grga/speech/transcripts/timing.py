"""Guessed times for turns that lack them, always said so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from grga.speech.transcripts.model import Turn
from grga.speech.transcripts.notes import Notes

WORDS_PER_SECOND = 2.5  # 150 words a minute: ordinary English conversation
_HAN = re.compile(r"[\u3400-\u9fff]")


def spoken_seconds(text: str) -> float:
    """Return about how long it takes to say ``text`` (a Han character counts as two thirds of a word)."""
    han = len(_HAN.findall(text))
    words = len(_HAN.sub(" ", text).split())
    return max(0.3, (words + han * 2 / 3) / WORDS_PER_SECOND)


def complete_times(turns: Sequence[Turn], notes: Notes) -> list[Turn]:
    """Return the turns with a start and an end each; what was guessed is noted.

    Without any start, turns follow one another, each as long as its words take to say. A turn
    between timed ones begins where the one before it ends, and ends with its words or at the next start.
    """
    if all(turn.start is None and turn.end is None for turn in turns):
        return _one_after_the_other(turns, notes)
    return _with_ends(_with_starts(turns, notes), notes)


def _one_after_the_other(turns: Sequence[Turn], notes: Notes) -> list[Turn]:
    if turns:
        notes.add(
            f"the file has no times; they are estimated from the number of words "
            f"({WORDS_PER_SECOND:g} words per second) and do not fit a recording"
        )
    timed, now = [], 0.0
    for turn in turns:
        end = now + spoken_seconds(turn.text)
        timed.append(replace(turn, start=round(now, 3), end=round(end, 3)))
        now = end
    return timed


def _with_starts(turns: Sequence[Turn], notes: Notes) -> list[Turn]:
    started, previous = [], 0.0
    for turn in turns:
        if turn.start is None:
            guess = previous if turn.end is None else turn.end - spoken_seconds(turn.text)
            turn = replace(turn, start=round(max(0.0, guess), 3))
            notes.add(
                f"no start time; {turn.start:g} s was taken", turn.line, "turns without a start were placed"
            )
        started.append(turn)
        previous = next(bound for bound in (turn.end, turn.start, previous) if bound is not None)
    return started


def _with_ends(turns: Sequence[Turn], notes: Notes) -> list[Turn]:
    guessed = sum(turn.end is None for turn in turns)
    if not guessed:
        return list(turns)
    notes.add(f"{guessed} turns have no end; it is estimated from their words and the next start")
    starts = sorted({turn.start for turn in turns if turn.start is not None})
    following = dict(pairwise(starts))
    return [_with_end(turn, following) for turn in turns]


def _with_end(turn: Turn, following: dict[float, float]) -> Turn:
    if turn.end is not None or turn.start is None:
        return turn
    natural = turn.start + spoken_seconds(turn.text)
    return replace(turn, end=round(min(natural, following.get(turn.start, natural)), 3))

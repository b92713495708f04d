"""Guessed times for turns that have none, always said so."""

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


def estimate_times(turns: Sequence[Turn], notes: Notes) -> list[Turn]:
    """Return the turns one after the other, each as long as its words take to say."""
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


def fill_ends(turns: Sequence[Turn], notes: Notes) -> list[Turn]:
    """Return turns that have a start with an end: the next start, or sooner if the words need less."""
    guessed = sum(turn.end is None and turn.start is not None for turn in turns)
    if guessed:
        notes.add(f"{guessed} turns have no end; it is estimated from their words and the next start")
    starts = sorted({turn.start for turn in turns if turn.start is not None})
    following = dict(pairwise(starts))
    return [_with_end(turn, following) for turn in turns]


def _with_end(turn: Turn, following: dict[float, float]) -> Turn:
    if turn.end is not None or turn.start is None:
        return turn
    natural = turn.start + spoken_seconds(turn.text)
    limit = following.get(turn.start)
    return replace(turn, end=round(natural if limit is None else min(natural, limit), 3))

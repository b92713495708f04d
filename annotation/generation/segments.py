"""The stretches of a meeting that a model reads at once: an oracle view, by topic and by what it can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grga.agent.sounding import Habit, compared, habits_of
from grga.graph.topics import find_topics
from grga.llm.material import plain
from grga.llm.usage import estimate_tokens
from grga.scopes import clock
from grga.speech.emotion.words import events_of
from grga.store import IndexedMeeting
from grga.types import Meeting, Utterance

FEWEST = 4
"""Utterances that are not cut further."""
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Segment:
    """Utterances ``first`` to ``last`` (ids, both included)."""

    first: int
    last: int

    @property
    def name(self) -> str:
        """What the segment is called in the record of what is done ("12-40")."""
        return f"{self.first}-{self.last}"

    def halves(self) -> tuple[Segment, Segment] | None:
        """Return the segment cut in two; None when it is short already."""
        if self.last - self.first + 1 <= FEWEST:
            return None
        middle = (self.first + self.last) // 2
        return Segment(self.first, middle), Segment(middle + 1, self.last)


def segments(meeting: IndexedMeeting, tokens: int) -> tuple[Segment, ...]:
    """Return the topics of the meeting as segments, cut where one has more than ``tokens`` tokens."""
    found = find_topics(meeting.meeting.utterances, vectors=meeting.dense.vectors)
    return tuple(
        part
        for topic in found
        for part in _fitting(Segment(topic.first, topic.last), meeting.meeting, tokens)
    )


def lines(meeting: Meeting, segment: Segment, *, sounds: bool = False) -> list[str]:
    """Return the segment's utterances as harmless lines with number, times, speaker and words.

    ``sounds`` adds how each one sounded, in words: never an emotion's score.
    """
    habits = habits_of(meeting.utterances) if sounds else {}
    said = meeting.utterances[segment.first : segment.last + 1]
    return [_line(meeting, one, habits if sounds else None) for one in said]


def _line(meeting: Meeting, one: Utterance, habits: dict[str, Habit] | None) -> str:
    name = plain(meeting.name_of(one), _LONGEST_NAME)
    line = f"[utt {one.id}] {clock(one.start)}-{clock(one.end)} {name}: {plain(one.text)}"
    if habits is None or one.acoustics is None:
        return line
    heard = compared(one.acoustics, habits.get(one.speaker), name, rate=False)
    pause = one.acoustics.pause_before
    parts = [heard, f"after {pause:.1f} s of silence" if pause and pause >= 1 else "", _emotion(one)]
    return f"{line} ({'; '.join(part for part in parts if part)})"


def _emotion(one: Utterance) -> str:
    emotion = one.acoustics.emotion if one.acoustics else None
    emotions = [f"emotion: {plain(emotion, 20)}"] if emotion else []
    return "; ".join([*emotions, *(f"[{plain(event, 20)}]" for event in events_of(one))])


def _fitting(segment: Segment, meeting: Meeting, tokens: int) -> Iterator[Segment]:
    halves = segment.halves()
    if halves is None or _size(lines(meeting, segment)) <= tokens:
        yield segment
        return
    for half in halves:
        yield from _fitting(half, meeting, tokens)


def _size(text: Sequence[str]) -> int:
    return sum(estimate_tokens(line) for line in text)

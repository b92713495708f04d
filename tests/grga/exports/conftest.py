"""A small meeting with everything that breaks exports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from grga.types import Acoustics, Meeting, Speaker, SpeakerProfile, TimeSpan, Utterance, Word

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "a --> b",
    "00:00:01.000 --> 00:00:02.000",
    "first\n\nsecond",
    "\\",
    "</script> ${alert(1)} {{x}}",
    "<b>bold</b> &lt;b&gt; &amp; AT&T <v Bob>",
    "NOTE this is no note",
    "Bob: quoted",
    "[Bob]: quoted",
    "7",
    "*star* _line_ # `code` | cell",
    "{\\an8}top",
    "你好，会议 – “naïve” 👋🏽 \u202eabc",
]


@pytest.fixture
def meeting_of() -> Callable[..., Meeting]:
    """``meeting_of(texts, names=(…))`` makes a meeting whose speakers take turns, two seconds each."""

    def make(texts: list[str], names: tuple[str, ...] = ("Ann Lee",)) -> Meeting:
        speakers = tuple(Speaker(f"S{i + 1}", name) for i, name in enumerate(names[: len(texts)]))
        utterances = tuple(
            Utterance(i, speakers[i % len(speakers)].id, TimeSpan(2.0 * i + 0.001, 2.0 * i + 3.4567), text)
            for i, text in enumerate(texts)
        )
        return Meeting("m 1", "A title", 2.0 * len(texts) + 2, utterances, speakers, "en")

    return make


@pytest.fixture
def hostile(meeting_of: Callable[..., Meeting]) -> Meeting:
    """A meeting whose texts try to break out of every format."""
    return meeting_of(HOSTILE, ("Ann Lee", "unknown", "<i>É:</i> [x]", "-->", "anna", "张伟"))


@pytest.fixture
def felt(rich: Meeting) -> Meeting:
    """The rich meeting, after an emotion model and an event tagger, with Bob talking beside Ann."""
    first, second = rich.utterances
    sound = Acoustics(
        loudness_db=-21.5, emotion="happy", emotion_score=0.875, events=("laughter", "applause")
    )
    first = replace(first, acoustics=sound, second_speaker="S1")
    return replace(rich, utterances=(first, second))


@pytest.fixture
def rich() -> Meeting:
    """A meeting with words, measurements, a role and a profile, and a time over an hour."""
    first = Utterance(
        0,
        "S2",
        TimeSpan(0.1 + 0.2, 1.5),
        "hello there",
        (Word("hello", TimeSpan(0.3, 0.7), 0.9, "S2"), Word("there", TimeSpan(0.8, 1.5))),
        confidence=0.75,
        acoustics=Acoustics(loudness_db=-21.5, overlap=0.0, emotion=None),
    )
    second = Utterance(1, "S1", TimeSpan(3853.283, 3860.0), "goodbye")
    profile = SpeakerProfile({"keywords": "hello"}, {"keywords": (0,)})
    speakers = (Speaker("S2", "Ann", "Chair", 1.2, profile), Speaker("S1", "Bob", None, 6.717))
    return Meeting("m1", "A title", 3870.5, (first, second), speakers, "en", has_audio=True)

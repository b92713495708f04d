"""What the transcript's element is told about a meeting."""

from __future__ import annotations

from dataclasses import replace

from grga.edits import Overlay
from grga.types import Acoustics, Meeting, TimeSpan, Utterance, Word
from grga.ui.transcript import lines, probably_silent, samples, sound_of, speaker_lines, word_starts


def spoken(id: int, seconds: float, **values: object) -> Utterance:
    return replace(Utterance(id, "S1", TimeSpan(10.0 * id, 10.0 * id + seconds), "…"), **values)  # type: ignore[arg-type]


def test_a_line_carries_what_a_reader_needs(meeting: Meeting) -> None:
    doubtful = replace(meeting.utterances[1], confidence=0.314)
    changed = replace(meeting, utterances=(meeting.utterances[0], doubtful, *meeting.utterances[2:]))
    told = lines(changed, Overlay(texts={3: "Then who signed this?"}))
    assert told[1] == [5.0, 7.0, 1, "Good.", 0.31, 0, 0, []]
    assert [line[5] for line in told] == [0, 0, 0, 1]


def test_speakers_come_with_share_and_samples(meeting: Meeting) -> None:
    dana, imran, rosa = speaker_lines(meeting)
    assert (dana["name"], dana["letter"], dana["lines"], dana["share"]) == ("Dana", "A", 2, 0.571)
    assert dana["samples"] == [[0.0, 4.0], [60.0, 64.0]]
    assert imran["samples"] == [[5.0, 7.0]]
    assert rosa["seconds"] == 4.0


def test_samples_are_clear_long_enough_and_not_too_long() -> None:
    interrupted = spoken(0, 5, acoustics=Acoustics(overlap=0.6), confidence=0.99)
    short = spoken(1, 1.9, confidence=1.0)
    long = spoken(2, 9.5, confidence=0.9)
    unsure = spoken(3, 5, confidence=0.2)
    clear = spoken(4, 4, confidence=0.8)
    assert samples([interrupted, short, long, unsure, clear]) == [
        TimeSpan(20.0, 28.0),
        TimeSpan(30.0, 35.0),
        TimeSpan(40.0, 44.0),
    ]


def test_words_are_found_in_the_text_they_were_heard_in() -> None:
    words = (
        Word("Good", TimeSpan(1.0, 1.3)),
        Word("evening,", TimeSpan(1.5, 2.0)),
        Word("all", TimeSpan(2.25, 2.5)),
    )
    line = Utterance(0, "S1", TimeSpan(1.0, 3.0), "Good evening, all.", words)
    assert word_starts(line) == [0, 0, 5, 50, 9, 75]


def test_corrected_words_have_no_time_and_do_not_shift_the_others() -> None:
    words = (Word("I", TimeSpan(0.0, 0.1)), Word("saw", TimeSpan(0.2, 0.4)), Word("caff", TimeSpan(0.5, 0.9)))
    line = Utterance(0, "S1", TimeSpan(0.0, 1.0), "I saw café", words)
    assert word_starts(line) == [0, 0, 2, 20]


def test_a_line_far_quieter_than_the_meeting_is_probably_silence() -> None:
    levels = (-30.0, -28.0, -31.0, -60.0)
    heard = [spoken(id, 3, acoustics=Acoustics(loudness_db=level)) for id, level in enumerate(levels)]
    assert probably_silent(heard) == {3}
    assert probably_silent([spoken(0, 3)]) == set()


def test_a_line_says_what_is_heard_beside_its_words() -> None:
    place = {"S1": 0, "S2": 1}
    sound = Acoustics(emotion="angry", emotion_score=0.93, events=("laughter",))
    heard = spoken(0, 3, acoustics=sound, second_speaker="S2")
    assert sound_of(heard, place) == {"mood": "angry", "sure": 1, "events": ["laughter"], "beside": 1}
    doubtful = Acoustics(emotion="sad", emotion_score=0.41)
    assert sound_of(spoken(0, 3, acoustics=doubtful), place) == {"mood": "sad", "sure": 0}


def test_a_neutral_line_and_one_without_measurements_say_nothing_more(meeting: Meeting) -> None:
    plain = Acoustics(emotion="neutral", emotion_score=0.99)
    assert sound_of(spoken(0, 3, acoustics=plain), {"S1": 0}) == {}
    assert sound_of(spoken(0, 3, second_speaker="gone"), {"S1": 0}) == {}
    assert {len(line) for line in lines(meeting, Overlay())} == {8}

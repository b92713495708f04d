"""Measurements are told against the speaker's own average, in words."""

from __future__ import annotations

from grga.agent.sounding import compared, felt, habits_of
from grga.types import Acoustics, TimeSpan, Utterance


def said(id: int, **sound: float) -> Utterance:
    return Utterance(id, "S1", TimeSpan(id, id + 1), "Something is said.", acoustics=Acoustics(**sound))


CALM = [said(id, loudness_db=-26.0, rate=3.0, f0_semitones=0.0) for id in range(9)]
SHOUT = said(9, loudness_db=-14.0, rate=4.5, f0_semitones=3.9)
HABIT = habits_of([*CALM, SHOUT])["S1"]


def sound(one: Utterance) -> Acoustics:
    assert one.acoustics is not None
    return one.acoustics


def test_a_shout_is_louder_higher_and_faster() -> None:
    assert compared(sound(SHOUT), HABIT, "Oliver") == (
        "11 dB louder than Oliver's average, pitch 4 semitones higher, faster than usual"
    )
    assert compared(sound(SHOUT), HABIT, "阿明", language="zh") == (
        "比阿明平时响11分贝，音调高4个半音，语速比平时快"
    )


def test_small_differences_are_not_told() -> None:
    assert compared(Acoustics(loudness_db=-25.0), HABIT, "Oliver") == "about as loud as Oliver usually is"


def test_speed_is_told_in_words_a_second_when_asked() -> None:
    assert compared(sound(SHOUT), HABIT, "Oliver", rate=True).startswith("4.5 words a second, 11 dB louder")


def test_a_single_turn_has_nothing_to_be_compared_with() -> None:
    habit = habits_of([SHOUT])["S1"]
    assert compared(sound(SHOUT), habit, "Oliver") == "Oliver's only turn, nothing to compare with"


def test_what_was_not_measured_is_not_told() -> None:
    assert compared(Acoustics(), HABIT, "Oliver") == "not measured"


def test_what_models_heard_is_said_without_their_numbers() -> None:
    assert felt(Acoustics(emotion="angry", emotion_score=0.93)) == "sounded angry"
    assert felt(Acoustics(emotion="angry", emotion_score=0.41)) == "perhaps sounded angry"
    assert felt(Acoustics(emotion="neutral", emotion_score=0.9, events=("laughter", "cough"))) == (
        "[laughter], [cough]"
    )
    assert felt(Acoustics(loudness_db=-20.0)) == ""

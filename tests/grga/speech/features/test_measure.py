"""Measurements match sounds of known level, pitch and timing."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from grga.audio import SAMPLE_RATE, Waveform, write_wav
from grga.errors import ConfigError
from grga.speech.diarization import SpeakerSegment
from grga.speech.features import load_pitch, measure
from grga.speech.features.measurements import remeasured
from grga.types import Acoustics, TimeSpan, Utterance


def voice(hz: float, seconds: float, level: float = 0.2) -> np.ndarray:
    """A buzz with falling harmonics, like a vowel."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    wave = sum(np.sin(2 * np.pi * hz * k * time) / k for k in range(1, 12))
    return (level * wave / np.abs(wave).max()).astype(np.float32)


def recording(folder: Path, *pieces: np.ndarray) -> Waveform:
    write_wav(folder / "w.wav", np.concatenate(pieces))
    return Waveform.open(folder / "w.wav")


def said(*rows: tuple[str, float, float, str]) -> list[Utterance]:
    return [Utterance(i, who, TimeSpan(start, end), text) for i, (who, start, end, text) in enumerate(rows)]


def acoustics(utterances: list[Utterance], waveform: Waveform, pitch: str = "none") -> list[Acoustics]:
    found = [utterance.acoustics for utterance in measure(utterances, waveform, pitch)]
    assert all(row is not None for row in found)
    return [row for row in found if row is not None]


@pytest.mark.parametrize("hz", [80, 110, 150, 220, 330, 440])
def test_the_pitch_of_a_voice_is_right_within_a_quarter_semitone(tmp_path: Path, hz: float) -> None:
    [row] = acoustics(said(("A", 0, 2, "ah")), recording(tmp_path, voice(hz, 2.0)), "swift_f0")
    assert row.f0_mean_hz is not None
    assert abs(12 * np.log2(row.f0_mean_hz / hz)) < 0.25
    assert row.f0_range_semitones is not None
    assert row.f0_range_semitones < 0.5


def test_noise_and_silence_have_no_pitch(tmp_path: Path) -> None:
    hiss = 0.05 * np.random.default_rng(0).normal(size=SAMPLE_RATE).astype(np.float32)
    waveform = recording(tmp_path, hiss, np.zeros(SAMPLE_RATE, np.float32))
    rows = acoustics(said(("A", 0, 1, "sh"), ("A", 1, 2, "")), waveform, "swift_f0")
    assert [row.f0_mean_hz for row in rows] == [None, None]


def test_semitones_are_against_the_same_speaker(tmp_path: Path) -> None:
    waveform = recording(
        tmp_path, voice(100, 1), voice(200, 1), voice(100, 1), voice(200, 1), voice(100, 1), voice(200, 1)
    )
    rows = acoustics(
        said(*[("A", float(i), i + 1.0, "ah") for i in (0, 2, 4)], ("A", 5, 6, "ah")), waveform, "swift_f0"
    )
    assert [row.f0_semitones for row in rows] == pytest.approx([0, 0, 0, 12], abs=0.3)


def test_loudness_is_the_recorded_level(tmp_path: Path) -> None:
    tone = np.sin(2 * np.pi * 200 * np.arange(SAMPLE_RATE) / SAMPLE_RATE).astype(np.float32)
    waveform = recording(tmp_path, 0.1 * tone, np.zeros(SAMPLE_RATE, np.float32))
    [whole, silent] = acoustics(said(("A", 0, 1, "a"), ("A", 1, 2, "b")), waveform)
    assert whole.loudness_db == pytest.approx(-23.0, abs=0.1)
    assert silent.loudness_db == -100


def test_a_raised_voice_stands_out_against_the_same_speaker_only(tmp_path: Path) -> None:
    quiet, loud = voice(120, 1, 0.05), voice(120, 1, 0.4)
    waveform = recording(tmp_path, quiet, quiet, quiet, loud, loud, loud, quiet, loud)
    rows = acoustics(
        said(*[("A" if i in (0, 1, 2, 3, 6) else "B", float(i), i + 1.0, "yes it is") for i in range(8)]),
        waveform,
    )
    assert rows[3].loudness_z is not None
    assert rows[3].loudness_z > 3
    assert rows[3].arousal == max(row.arousal or 0 for row in rows)
    assert rows[4].loudness_z == pytest.approx(0, abs=0.1)


def test_a_speaker_heard_less_than_three_times_is_not_compared(tmp_path: Path) -> None:
    rows = acoustics(said(("A", 0, 1, "a"), ("A", 1, 2, "b")), recording(tmp_path, voice(100, 2)), "swift_f0")
    assert [(row.loudness_z, row.f0_semitones, row.arousal) for row in rows] == [(None, None, None)] * 2
    assert rows[0].loudness_db is not None


def test_rate_counts_words_and_han_characters(tmp_path: Path) -> None:
    rows = acoustics(
        said(("A", 0, 2, "well, that is it"), ("A", 2, 4, "欢迎大家 to GRGA"), ("A", 4, 4.1, "hm")),
        recording(tmp_path, voice(100, 5)),
    )
    assert [row.rate for row in rows] == [2.0, 3.0, None]


def test_pauses_and_overlaps(tmp_path: Path) -> None:
    rows = acoustics(
        said(
            ("A", 0, 4, "a"), ("B", 3, 5, "b"), ("C", 3.5, 4.5, "c"), ("A", 4.2, 4.4, "d"), ("B", 7, 8, "e")
        ),
        recording(tmp_path, voice(100, 8)),
    )
    assert [row.pause_before for row in rows] == [None, 0, 0, 0, 2]
    assert [row.overlap for row in rows] == [0.25, 0.75, 1.0, 1.0, 0]


def test_segments_that_overlap_tell_more_than_words_one_after_the_other(tmp_path: Path) -> None:
    spoken = said(("A", 0, 4, "a"), ("B", 4, 6, "b"), ("A", 6, 8, "a"))
    turns = [
        SpeakerSegment("A", TimeSpan(0, 4)),
        SpeakerSegment("B", TimeSpan(3, 6.5)),
        SpeakerSegment("C", TimeSpan(3.5, 4.5)),
        SpeakerSegment("A", TimeSpan(6, 8)),
    ]
    waveform = recording(tmp_path, voice(100, 8))
    shares = [one.acoustics and one.acoustics.overlap for one in measure(spoken, waveform, "none", turns)]
    # A: B and C within the last second; B: C for half a second; A again: the last half second of B.
    assert shares == [0.25, 0.25, 0.25]
    assert [one.acoustics and one.acoustics.overlap for one in measure(spoken, waveform, "none")] == [0, 0, 0]


def test_turns_one_after_the_other_add_nothing_however_roughly_they_meet(tmp_path: Path) -> None:
    spoken = said(("A", 0, 4.3, "a"), ("B", 4.3, 6, "b"))
    turns = [SpeakerSegment("A", TimeSpan(0, 4)), SpeakerSegment("B", TimeSpan(4, 6))]
    measured = measure(spoken, recording(tmp_path, voice(100, 6)), "none", turns)
    assert [one.acoustics and one.acoustics.overlap for one in measured] == [0, 0]


def test_times_outside_the_recording_are_not_measured(tmp_path: Path) -> None:
    [row] = acoustics(said(("A", 9, 10, "late")), recording(tmp_path, voice(100, 1)), "swift_f0")
    assert (row.loudness_db, row.f0_mean_hz) == (None, None)


def test_pitch_can_be_left_out_and_unknown_names_are_refused() -> None:
    assert load_pitch("none") is None
    with pytest.raises(ConfigError, match="unknown pitch backend 'crepe'"):
        load_pitch("crepe")


def test_other_speakers_give_what_measuring_them_would_have_given(tmp_path: Path) -> None:
    tones = [100, 210, 105, 220, 98, 230, 112, 205, 103, 215]
    waveform = recording(tmp_path, *[voice(hz, 1.0, 0.1 + 0.01 * i) for i, hz in enumerate(tones)])
    wrong = said(*[("AB"[i % 2], float(i), i + 1.0, "ah oh") for i in range(10)])
    right = [replace(one, speaker="B") if one.id in (4, 6) else one for one in wrong]
    right[8] = replace(right[8], text="ah oh ah oh ah oh")
    derived = remeasured(measure(wrong, waveform), right_of(right, measure(wrong, waveform)))
    for found, expected in zip(derived, measure(right, waveform), strict=True):
        assert found.acoustics is not None
        assert expected.acoustics is not None
        for name, value in asdict(expected.acoustics).items():
            assert getattr(found.acoustics, name) == pytest.approx(value, abs=0.06), (found.id, name)


def right_of(corrected: list[Utterance], measured: tuple[Utterance, ...]) -> list[Utterance]:
    """Corrected lines as they are before anything is derived again: with the old measurements."""
    return [replace(one, acoustics=old.acoustics) for one, old in zip(corrected, measured, strict=True)]


def test_what_segments_said_of_overlaps_outlives_a_correction(tmp_path: Path) -> None:
    spoken = said(("A", 0, 4, "a"), ("B", 4, 6, "b"), ("A", 5.5, 7, "c"))
    turns = [SpeakerSegment("A", TimeSpan(0, 4)), SpeakerSegment("B", TimeSpan(3, 5))]
    found = measure(spoken, recording(tmp_path, voice(100, 8)), "none", turns)
    assert [one.acoustics and one.acoustics.overlap for one in found] == [0.25, 0.25, 0.333]
    corrected = [replace(one, speaker="B") if one.id == 2 else one for one in found]
    shares = [one.acoustics and one.acoustics.overlap for one in remeasured(found, corrected)]
    assert shares == [0.25, 0, 0]


def test_nothing_changed_is_nothing_derived(tmp_path: Path) -> None:
    waveform = recording(tmp_path, *[voice(100 + 7 * i, 1.0) for i in range(6)])
    found = measure(said(*[("A", float(i), i + 1.0, "ah") for i in range(6)]), waveform)
    assert remeasured(found, found) == found
    unmeasured = tuple(said(("A", 0, 1, "ah")))
    assert remeasured(unmeasured, unmeasured) == unmeasured


def test_what_a_transcript_says_of_emotions_and_sounds_stays_beside_the_measurements(tmp_path: Path) -> None:
    sound = Acoustics(loudness_db=-3.0, emotion="angry", emotion_score=0.9, events=("laughter",))
    [one] = said(("A", 0, 1, "ah"))
    [row] = acoustics([replace(one, acoustics=sound)], recording(tmp_path, voice(110, 1.0)))
    assert (row.emotion, row.emotion_score, row.events) == ("angry", 0.9, ("laughter",))
    assert row.loudness_db is not None
    assert row.loudness_db < -10.0

"""Speech is found in pieces of bounded size and packed into clips for recognition."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grga.audio import SAMPLE_RATE, Waveform, decode, write_wav
from grga.errors import ConfigError
from grga.speech.vad import load_vad
from grga.speech.vad.clips import pack, spans_above
from grga.speech.vad.silero import SileroVad, choose_threshold
from grga.types import TimeSpan

SETTINGS = {"threshold": 0.5, "min_silence": 0.2, "pad": 0.0, "duration": 10.0}


def spoken(*spans: tuple[int, int], frames: int = 100, rest: float = 0.0) -> np.ndarray:
    probabilities = np.full(frames, rest, dtype=np.float32)
    for first, last in spans:
        probabilities[first:last] = 0.9
    return probabilities


def test_a_short_pause_belongs_to_the_speech_around_it() -> None:
    assert spans_above(spoken((10, 20), (21, 30)), 0.1, **SETTINGS) == [TimeSpan(1.0, 3.0)]
    assert len(spans_above(spoken((10, 20), (24, 30)), 0.1, **SETTINGS)) == 2


def test_begun_speech_is_held_through_quiet_syllables() -> None:
    probabilities = spoken((10, 20))
    probabilities[20:30] = 0.1
    assert spans_above(probabilities, 0.1, **SETTINGS)[0].end == pytest.approx(3.0)
    assert spans_above(np.full(100, 0.1, np.float32), 0.1, **SETTINGS) == []


def test_padding_stays_inside_the_recording_and_shares_small_gaps() -> None:
    found = spans_above(spoken((0, 20), (25, 100)), 0.1, **{**SETTINGS, "pad": 0.4})
    assert [(round(s.start, 2), round(s.end, 2)) for s in found] == [(0.0, 2.25), (2.25, 10.0)]


def test_neighbours_share_a_clip_until_it_is_full() -> None:
    spans = [TimeSpan(0, 10), TimeSpan(12, 20), TimeSpan(24, 30), TimeSpan(50, 52)]
    assert pack(spans, 28) == [TimeSpan(0, 20), TimeSpan(24, 52)]


def test_speech_without_a_pause_is_cut_into_equal_parts() -> None:
    assert [clip.duration for clip in pack([TimeSpan(0, 60)], 28)] == [20, 20, 20]


@given(
    gaps=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 900)), max_size=30),
    max_clip=st.integers(2, 28),
)
def test_clips_cover_all_speech_in_order_and_never_overlap(
    gaps: list[tuple[int, int]], max_clip: int
) -> None:
    spans, time = [], 0.0
    for gap, length in gaps:
        spans.append(TimeSpan(time + gap / 10, time + gap / 10 + length / 10))
        time = spans[-1].end
    clips = pack(spans, max_clip)
    assert all(clip.duration <= max_clip + 1e-6 for clip in clips)
    assert all(a.end <= b.start + 1e-9 for a, b in pairwise(clips))
    for span in spans:
        covered = sum(clip.overlap(span) for clip in clips)
        assert covered == pytest.approx(span.duration, abs=1e-6)


def test_quiet_recordings_get_a_lower_threshold() -> None:
    assert choose_threshold(-48) == 0.25
    assert choose_threshold(-10) == 0.4
    assert 0.25 < choose_threshold(-28) < 0.4


@pytest.mark.parametrize("level", [0.0, 0.0005])
def test_silence_and_hiss_hold_no_speech(tmp_path: Path, level: float) -> None:
    hiss = level * np.random.default_rng(0).normal(size=SAMPLE_RATE * 10)
    write_wav(tmp_path / "hiss.wav", hiss.astype(np.float32))
    found = load_vad().detect(Waveform.open(tmp_path / "hiss.wav"))
    assert (found.clips, found.speech) == ((), ())


@pytest.mark.parametrize("samples", [0, 1, 511, 512, 800])
def test_any_length_works(tmp_path: Path, samples: int) -> None:
    write_wav(tmp_path / "tiny.wav", np.zeros(samples, np.float32))
    assert load_vad().detect(Waveform.open(tmp_path / "tiny.wav")).speech == ()


def test_pieces_give_what_the_whole_gives(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from faster_whisper.vad import get_vad_model

    decode(shared_data / "audio/ami_clips/EN2001a_0000_0030.flac", tmp_path / "w.wav", max_hours=1)
    waveform = Waveform.open(tmp_path / "w.wav")
    monkeypatch.setattr("grga.speech.vad.silero.BATCH", 7)
    ours = SileroVad().probabilities(waveform)
    samples = waveform.samples()
    whole = get_vad_model()(np.pad(samples, (0, -len(samples) % 512))).reshape(-1)
    assert np.abs(ours - whole).max() < 1e-4


def test_the_speech_of_a_real_clip_is_found(tmp_path: Path, shared_data: Path) -> None:
    decode(shared_data / "audio/ami_clips/EN2001e_0000_0030.flac", tmp_path / "w.wav", max_hours=1)
    found = load_vad().detect(Waveform.open(tmp_path / "w.wav"))
    assert sum(span.duration for span in found.speech) > 25
    assert found.threshold == pytest.approx(0.297, abs=0.005)
    given = load_vad().detect(Waveform.open(tmp_path / "w.wav"), threshold=0.5)
    assert given.threshold == 0.5


def test_an_unknown_backend_answers_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown vad backend 'fsmm' \(known: fsmn, silero\)"):
        load_vad("fsmm")

"""Voices are told apart; wishes about their number are honoured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from grga.audio import SAMPLE_RATE, Waveform, write_wav
from grga.errors import ConfigError
from grga.speech.diarization import CLUSTERINGS, diarize, load_encoder
from grga.speech.diarization.mel import mel_spectrogram
from grga.speech.diarization.segments import cut_windows, to_segments
from grga.types import TimeSpan

ETA = 0.72
SAME = 0.84


def voices(turns: list[int], *, windows: int = 12, spread: float = 0.35, seed: int = 0) -> np.ndarray:
    """Windows of unit vectors around one direction per speaker, with a common offset like GE2E's."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=64)
    centres = np.stack([common + 0.8 * rng.normal(size=64) for _ in range(max(turns) + 1)])
    rows = np.repeat(centres[turns], windows, axis=0)
    rows = rows + spread * rng.normal(size=rows.shape) * np.linalg.norm(rows[0]) / 8
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def cluster(name: str, rows: np.ndarray, **limits: float | None) -> np.ndarray:
    from grga import registry

    settings = {"eta": ETA, "same": SAME, "min_speakers": 1, "max_speakers": None, **limits}
    return registry.load("clustering", name, CLUSTERINGS)(rows, **settings)


@pytest.mark.parametrize("name", sorted(CLUSTERINGS))
@pytest.mark.parametrize("turns", [[0], [0, 0, 0, 0], [0, 1, 0, 1], [0, 1, 2, 0, 1, 2], [0, 1, 2, 3, 4, 3]])
def test_clear_voices_are_counted_and_told_apart(name: str, turns: list[int]) -> None:
    labels = cluster(name, voices(turns))
    assert labels.tolist() == np.repeat(turns, 12).tolist()


@pytest.mark.parametrize("name", sorted(CLUSTERINGS))
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_an_exact_number_is_honoured(name: str, count: int) -> None:
    labels = cluster(name, voices([0, 1, 2, 0]), min_speakers=count, max_speakers=count)
    assert len(np.unique(labels)) == count


@pytest.mark.parametrize("name", sorted(CLUSTERINGS))
def test_a_range_is_honoured(name: str) -> None:
    rows = voices([0, 1, 2, 0])
    assert len(np.unique(cluster(name, rows, min_speakers=2, max_speakers=6))) == 3
    assert len(np.unique(cluster(name, rows, min_speakers=4, max_speakers=6))) == 4
    assert len(np.unique(cluster(name, rows, min_speakers=1, max_speakers=2))) == 2


def test_the_papers_pass_opens_a_speaker_below_eta_and_the_incremental_one_merges_again() -> None:
    axes = np.eye(3, dtype=np.float32)
    rows = np.stack([axes[0], 0.8 * axes[0] + 0.6 * axes[1], 0.79 * axes[0] + 0.613 * axes[2], axes[0]])
    # The second window is exactly as near as 0.8, so it joins; the third is not.
    near = {"eta": 0.8 - 1e-6, "same": 0.8 - 1e-6}
    assert cluster("one-pass", rows[:2], **near).tolist() == [0, 0]
    assert cluster("one-pass", rows[[0, 2, 3]], **near).tolist() == [0, 1, 0]
    voices_of_two = np.repeat(rows[[0, 2]], 10, axis=0)
    assert cluster("incremental", voices_of_two, **near).tolist() == [0] * 10 + [1] * 10
    assert cluster("incremental", voices_of_two, **{**near, "same": 0.75}).tolist() == [0] * 20


def test_what_is_looked_at_is_bounded_and_the_other_windows_join_the_nearest_voice() -> None:
    turns = [0, 1, 2, 1] * 12
    rows = voices(turns, windows=100)
    assert len(rows) == 4800  # more than agglomerative and spectral clustering compare with one another
    for name in ("agglomerative", "spectral"):
        assert cluster(name, rows).tolist() == np.repeat(turns, 100).tolist()


@pytest.mark.parametrize("name", sorted(CLUSTERINGS))
def test_fewer_windows_than_wanted_speakers_is_no_error(name: str) -> None:
    assert len(cluster(name, voices([0], windows=1), min_speakers=4, max_speakers=4)) == 1
    assert len(np.unique(cluster(name, voices([0], windows=3), min_speakers=8, max_speakers=8))) == 3


def test_windows_cover_speech_and_keep_short_spans() -> None:
    windows = cut_windows([TimeSpan(0, 0.5), TimeSpan(2, 6)], 1.6)
    assert windows[0] == TimeSpan(0, 0.5)
    assert (windows[1].start, windows[-1].end) == (2, 6)
    assert all(w.duration == pytest.approx(1.6) for w in windows[1:])
    assert cut_windows([], 1.6) == []


def test_a_single_odd_window_does_not_interrupt_a_speaker() -> None:
    speech = [TimeSpan(0, 12)]
    windows = cut_windows(speech, 1.6)
    rows = np.tile(np.array([[1, 0]], dtype=np.float32), (len(windows), 1))
    rows[len(windows) // 2] = [0.6, 0.8]
    rows[-8:] = [0, 1]
    labels = (rows[:, 1] > 0.5).astype(np.int64)
    segments = to_segments(speech, windows, rows, labels)
    assert [segment.speaker for segment in segments] == ["S1", "S2"]
    assert segments[0].span.start == 0
    assert segments[1].span.end == 12
    assert segments[0].span.end == pytest.approx(8.4, abs=1.0)


def test_without_speech_nobody_speaks(tmp_path: Path) -> None:
    write_wav(tmp_path / "w.wav", np.zeros(SAMPLE_RATE, np.float32))
    assert diarize(Waveform.open(tmp_path / "w.wav"), [], encoder=load_encoder()) == ()


def test_one_unnamed_speaker_when_no_voice_can_be_measured(tmp_path: Path) -> None:
    write_wav(tmp_path / "w.wav", 0.1 * np.ones(SAMPLE_RATE // 4, np.float32))
    waveform = Waveform.open(tmp_path / "w.wav")
    segments = diarize(waveform, [TimeSpan(0, 0.25)], encoder=load_encoder(), min_speakers=2)
    assert [(s.speaker, s.span, s.confidence) for s in segments] == [("S1", TimeSpan(0, 0.25), None)]


def test_unknown_names_answer_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"unknown speaker encoder 'x' \(known: campplus, eres2netv2, ge2e\)"
    ):
        load_encoder("x")
    write_wav(tmp_path / "w.wav", np.zeros(SAMPLE_RATE, np.float32))
    with pytest.raises(
        ConfigError, match=r"unknown clustering 'x' \(known: agglomerative, incremental, one-pass, spectral\)"
    ):
        diarize(Waveform.open(tmp_path / "w.wav"), [], encoder=load_encoder(), clustering="x")


def test_a_tone_falls_into_its_mel_band() -> None:
    time = np.arange(SAMPLE_RATE) / SAMPLE_RATE
    low = mel_spectrogram(np.sin(2 * np.pi * 300 * time).astype(np.float32))
    high = mel_spectrogram(np.sin(2 * np.pi * 3000 * time).astype(np.float32))
    assert low.shape == (101, 40)
    # Slaney: 8 kHz is 45.25 mel, so 42 edges lie 1.104 apart; 300 Hz is 4.50 mel and 3 kHz 30.98.
    assert low[50].argmax() == 3
    assert high[50].argmax() == 27
    assert mel_spectrogram(np.zeros(0, np.float32)).shape == (1, 40)


def test_embeddings_are_of_length_one_and_do_not_depend_on_the_level(
    tmp_path: Path, shared_data: Path
) -> None:
    speech, _ = soundfile.read(shared_data / "audio/librispeech/1688-142285-0000.flac", dtype="float32")
    write_wav(tmp_path / "w.wav", 0.02 * speech)
    write_wav(tmp_path / "quiet.wav", 0.01 * speech)
    encoder = load_encoder()
    spans = [TimeSpan(1, 2.6), TimeSpan(1, 1.1), TimeSpan(2, 2.9)]
    rows = encoder.embed(Waveform.open(tmp_path / "w.wav"), spans)
    quieter = encoder.embed(Waveform.open(tmp_path / "quiet.wav"), spans)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)
    assert (rows * quieter).sum(axis=1) == pytest.approx([1, 0, 1], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("clustering", sorted(CLUSTERINGS))
def test_three_readers_taking_turns_are_told_apart(
    tmp_path: Path, shared_data: Path, clustering: str
) -> None:
    readers = ["1688-142285", "1998-15444", "2414-128291"]
    pieces, truth, at = [], [], 0.0
    for turn in range(12):
        reader = readers[turn % 3]
        path = shared_data / "audio/librispeech" / f"{reader}-000{turn // 3}.flac"
        speech = soundfile.read(path, dtype="float32", frames=6 * SAMPLE_RATE)[0]
        pieces += [speech, np.zeros(SAMPLE_RATE // 2, np.float32)]
        truth.append((reader, TimeSpan(at, at + len(speech) / SAMPLE_RATE)))
        at += len(speech) / SAMPLE_RATE + 0.5
    write_wav(tmp_path / "w.wav", np.concatenate(pieces))
    spans = [span for _, span in truth]
    waveform = Waveform.open(tmp_path / "w.wav")
    segments = diarize(waveform, spans, encoder=load_encoder(), clustering=clustering)
    names = dict(zip(readers, ["S1", "S2", "S3"], strict=True))
    right = sum(
        s.span.overlap(span) for s in segments for reader, span in truth if names[reader] == s.speaker
    )
    assert {s.speaker for s in segments} == {"S1", "S2", "S3"}
    assert right > 0.95 * sum(span.duration for span in spans)
    assert all(s.confidence is not None and 0.5 <= s.confidence <= 1 for s in segments)

"""FSMN-VAD through FunASR's real classes, from a folder as a hub lays it out to spans in seconds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grga.audio import Waveform
from grga.models import ModelSource
from grga.speech.vad import load_vad
from grga.speech.vad.fsmn import joined
from grga.types import TimeSpan

RATE = 16_000


def test_marks_of_a_stream_are_joined_to_spans_inside_the_recording() -> None:
    assert joined([(100, 900), (1500, -1), (-1, 2600), (3000, -1)], 4.0) == [
        TimeSpan(0.1, 0.9),
        TimeSpan(1.5, 2.6),
        TimeSpan(3.0, 4.0),
    ]
    # A mark beyond the end, one that overlaps its neighbour, and an end without a beginning.
    assert joined([(-1, 50), (100, 900), (800, 1200), (1300, 9000)], 2.0) == [
        TimeSpan(0.1, 0.9),
        TimeSpan(0.9, 1.2),
        TimeSpan(1.3, 2.0),
    ]
    assert joined([], 3.0) == []


def noise(seconds: float, level: float) -> np.ndarray:
    return np.random.default_rng(7).normal(0, level, round(seconds * RATE))


@pytest.mark.slow
def test_loud_stretches_are_found_and_silence_is_not(
    tiny_models: ModelSource, sound: Callable[[np.ndarray], Waveform]
) -> None:
    quiet, loud = np.zeros(2 * RATE), noise(1.5, 0.1)
    found = load_vad("fsmn", tiny_models).detect(
        sound(np.concatenate([quiet, loud, quiet, loud, quiet])), min_silence=0.3, pad=0.0
    )
    assert [round(span.middle) for span in found.speech] == [3, 6]
    for span, (start, end) in zip(found.speech, [(2.0, 3.5), (5.5, 7.0)], strict=True):
        assert span.start == pytest.approx(start, abs=0.35)
        assert span.end == pytest.approx(end, abs=0.35)
    assert found.threshold == 0.6
    assert len(found.clips) == 1  # both fit into one clip for the recogniser
    assert load_vad("fsmn", tiny_models).detect(sound(quiet)).speech == ()


@pytest.mark.slow
def test_a_recording_of_several_blocks_keeps_its_times(
    tiny_models: ModelSource, sound: Callable[[np.ndarray], Waveform]
) -> None:
    samples = np.zeros(150 * RATE)
    for second in (10, 59, 100, 119, 140):  # two of them lie across the end of a block of 60 s
        samples[second * RATE : (second + 2) * RATE] = noise(2, 0.1)
    found = load_vad("fsmn", tiny_models).detect(sound(samples), min_silence=0.3, pad=0.0, max_clip=20.0)
    assert [round(span.middle) for span in found.speech] == [11, 60, 101, 120, 141]
    assert all(clip.duration <= 20.0 for clip in found.clips)
    assert [clip.start for clip in found.clips] == sorted(clip.start for clip in found.clips)


@pytest.mark.slow
def test_real_recordings_give_spans_in_order_inside_them(
    tiny_models: ModelSource, shared_data: object
) -> None:
    import tempfile
    from pathlib import Path

    from grga.audio import decode

    detector = load_vad("fsmn", tiny_models)
    for clip in sorted(Path(str(shared_data), "audio", "ami_clips").glob("E*.flac"))[:3]:
        with tempfile.TemporaryDirectory() as folder:
            decode(clip, Path(folder) / "clip.wav", max_hours=1.0)
            waveform = Waveform.open(Path(folder) / "clip.wav")
            found = detector.detect(waveform, max_clip=8.0)
            edges = [edge for span in found.speech for edge in (span.start, span.end)]
            assert edges == sorted(edges)
            assert all(0 <= edge <= waveform.duration for edge in edges)
            assert all(clip.duration <= 8.0 + 1e-6 for clip in found.clips)

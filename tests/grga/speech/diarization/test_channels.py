from pathlib import Path

import numpy as np

from grga.audio import Waveform, write_wav
from grga.speech.diarization.channels import diarize_channels
from grga.speech.vad import VadResult
from grga.types import TimeSpan


class LoudIsSpeech:
    """A detector for tones: everything from the first to the last loud sample is speech."""

    def detect(
        self,
        waveform: Waveform,
        *,
        threshold: float | None = None,
        min_silence: float = 0.2,
        pad: float = 0.1,
        max_clip: float = 28.0,
    ) -> VadResult:
        loud = np.flatnonzero(np.abs(waveform.samples()) > 10 ** (-50 / 20))
        spans = (TimeSpan(float(loud[0]) / 16_000, float(loud[-1] + 1) / 16_000),) if loud.size else ()
        return VadResult(spans, spans, 0.5)


def channel(path: Path, *parts: tuple[float, float, float]) -> Waveform:
    """Ten seconds with a tone of some amplitude in each (start, end, amplitude)."""
    time = np.arange(160_000) / 16_000
    samples = np.zeros(160_000, np.float32)
    for start, end, amplitude in parts:
        inside = (time >= start) & (time < end)
        samples[inside] = amplitude * np.sin(2 * np.pi * 200 * time[inside])
    write_wav(path, samples)
    return Waveform.open(path)


def test_each_channel_is_a_speaker_and_what_it_hears_from_afar_is_not_theirs(tmp_path: Path) -> None:
    left = channel(tmp_path / "left.wav", (1, 4, 0.3), (6, 8, 0.02))
    right = channel(tmp_path / "right.wav", (1, 4, 0.02), (6, 8, 0.3))
    segments = diarize_channels([left, right], LoudIsSpeech())
    talk = [s for s in segments if s.span.touches(TimeSpan(1, 3.9)) or s.span.touches(TimeSpan(6, 7.9))]
    # The silence between the two is equally quiet on both channels, so it stays with both.
    assert {s.speaker for s in talk if s.span.overlap(TimeSpan(1, 4)) > 1} == {"S1"}
    assert {s.speaker for s in talk if s.span.overlap(TimeSpan(6, 8)) > 1} == {"S2"}


def test_two_who_speak_at_once_are_both_heard(tmp_path: Path) -> None:
    left = channel(tmp_path / "left.wav", (1, 4, 0.3))
    right = channel(tmp_path / "right.wav", (3, 5, 0.3))
    both = [s for s in diarize_channels([left, right], LoudIsSpeech()) if s.span.touches(TimeSpan(3.2, 3.8))]
    assert {segment.speaker for segment in both} == {"S1", "S2"}


def test_without_channels_there_are_no_segments() -> None:
    assert diarize_channels([], LoudIsSpeech()) == ()

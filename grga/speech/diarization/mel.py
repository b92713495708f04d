"""The mel spectrogram that the GE2E encoder was trained on, in numpy.

Power mel, not log: 25 ms Hann windows every 10 ms, 40 Slaney-scaled bands up to 8 kHz.
Source of the parameters: Resemblyzer 0.1.4 (Apache-2.0); of the scale: Slaney, Auditory Toolbox, 1998.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE

WINDOW = 400
HOP = 160
BANDS = 40
_LINEAR_STEP = 200 / 3
_LOG_START_HZ = 1000.0
_LOG_STEP = np.log(6.4) / 27


def mel_spectrogram(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return (frames, 40) mel power of mono 16 kHz samples; one frame per 160 samples plus one."""
    padded = np.pad(samples, WINDOW // 2)
    if len(padded) < WINDOW:
        padded = np.pad(padded, (0, WINDOW - len(padded)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    spectrum = np.fft.rfft(frames * _hann())
    power = np.square(np.abs(spectrum)).astype(np.float32)
    return power @ _filters()


@cache
def _hann() -> npt.NDArray[np.float32]:
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)


@cache
def _filters() -> npt.NDArray[np.float32]:
    """(201, 40) triangles of equal area on the Slaney mel scale."""
    bins = np.fft.rfftfreq(WINDOW, 1 / SAMPLE_RATE)
    edges = _to_hz(np.linspace(0.0, _to_mel(SAMPLE_RATE / 2), BANDS + 2))
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    rising = (bins[:, None] - low) / (centre - low)
    falling = (high - bins[:, None]) / (high - centre)
    triangles = np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)
    return triangles.astype(np.float32)


def _to_mel(hz: float) -> float:
    return float(_LOG_START_HZ / _LINEAR_STEP + np.log(hz / _LOG_START_HZ) / _LOG_STEP)


def _to_hz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    start = _LOG_START_HZ / _LINEAR_STEP
    return np.where(mel < start, mel * _LINEAR_STEP, _LOG_START_HZ * np.exp(_LOG_STEP * (mel - start)))

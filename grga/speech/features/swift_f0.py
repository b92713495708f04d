"""F0 by SwiftF0 (ONNX, weights in the package): one frame per 16 ms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, Waveform
from grga.types import TimeSpan

THREADS = 2
LOWEST_HZ = 55.0
HIGHEST_HZ = 600.0
CONFIDENT = 0.7
SHORTEST = 0.1


class SwiftF0Pitch:
    """Speech pitch between 55 and 600 Hz."""

    def __init__(self) -> None:
        from swift_f0 import SwiftF0

        self._model = SwiftF0(threads=THREADS, spin=False)

    def voiced(self, waveform: Waveform, span: TimeSpan) -> npt.NDArray[np.float64]:
        """See :class:`grga.speech.features.PitchTracker`."""
        samples = waveform.levelled(span)
        if len(samples) < SHORTEST * SAMPLE_RATE:
            return np.zeros(0)
        found = self._model.detect(samples, SAMPLE_RATE, LOWEST_HZ, HIGHEST_HZ)
        return np.asarray(found.pitch_hz[found.confidence >= CONFIDENT], dtype=np.float64)

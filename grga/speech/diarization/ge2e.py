"""GE2E speaker encoder (Wan et al. 2018) as ONNX: 256 numbers per window, no torch.

Weights: Resemblyzer 0.1.4, Apache-2.0, converted by ``assets/models/convert_ge2e.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, Waveform
from grga.models import ModelSource, locate
from grga.speech.diarization.mel import HOP, mel_spectrogram
from grga.types import TimeSpan

THREADS = 2
DIMENSION = 256
BATCH = 64
LENGTH_STEP = 20
MIN_FRAMES = 40
TARGET_RMS = 10 ** (-30 / 20)


class Ge2e:
    """Embeds spans of speech; ``window`` is the length in seconds that it was trained on."""

    name = "ge2e"
    window = 1.6
    eta = 0.72
    same = 0.84

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(locate("ge2e", source)), options, providers=["CPUExecutionProvider"]
        )

    def embed(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> npt.NDArray[np.float32]:
        """Return one L2-normalised row per span, (n, 256).

        A span that holds no sound, or less than 0.4 s, gives a row of zeros: no voice was measured.
        """
        rows = np.zeros((len(spans), DIMENSION), dtype=np.float32)
        by_length: dict[int, list[int]] = defaultdict(list)
        for index, span in enumerate(spans):
            frames = round(span.duration * SAMPLE_RATE / HOP) // LENGTH_STEP * LENGTH_STEP
            if frames >= MIN_FRAMES:
                by_length[frames].append(index)
        for frames, members in by_length.items():
            for first in range(0, len(members), BATCH):
                batch = members[first : first + BATCH]
                mels = [_mel(waveform.samples(spans[index]), frames) for index in batch]
                rows[batch] = self._session.run(None, {"mels": np.stack(mels)})[0]
        rows[~np.isfinite(rows).all(axis=1)] = 0
        return rows


def _mel(samples: npt.NDArray[np.float32], frames: int) -> npt.NDArray[np.float32]:
    """Mel frames of one window, raised to the level the encoder knows."""
    rms = float(np.sqrt(np.mean(np.square(samples)))) if len(samples) else 0.0
    if 0 < rms < TARGET_RMS:
        samples = samples * np.float32(TARGET_RMS / rms)
    mel = mel_spectrogram(samples)[:frames]
    return np.pad(mel, ((0, frames - len(mel)), (0, 0)))

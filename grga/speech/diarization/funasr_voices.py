"""Speaker encoders through FunASR: ERes2NetV2 (the paper's) and CAM++, 192 numbers per window.

Both read 80 Kaldi filter banks per 10 ms with their mean over the window taken off. Windows of one length
go through the network together, so a row does not depend on its company.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, Waveform
from grga.models import ModelSource, locate
from grga.models.device import batch_size, torch_device
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.types import TimeSpan

DIMENSION = 192
SHORTEST = 0.4
STEP = 1600
"""Windows are cut to a multiple of this many samples (0.1 s), so that many have one length."""
BYTES_PER_SECOND = 60e6
"""What one second of one window takes at the widest layer, generously."""


class _Voices:
    """What the encoders share; ``window`` is the length in seconds that their training used."""

    name: str
    window = 1.5
    eta: float
    same: float

    def __init__(self, model: Any, device: str) -> None:
        self._model, self._device = model, device

    def embed(self, waveform: Waveform, spans: Sequence[TimeSpan]) -> npt.NDArray[np.float32]:
        """Return one L2-normalised row per span, (n, 192).

        A span that holds no sound, or less than 0.4 s, gives a row of zeros: no voice was measured.
        """
        rows = np.zeros((len(spans), DIMENSION), dtype=np.float32)
        by_length: dict[int, list[int]] = defaultdict(list)
        for index, span in enumerate(spans):
            length = int(span.duration * SAMPLE_RATE + 0.5) // STEP * STEP
            if length >= SHORTEST * SAMPLE_RATE:
                by_length[length].append(index)
        for length, members in by_length.items():
            size = batch_size(self._device, BYTES_PER_SECOND * length / SAMPLE_RATE)
            for first in range(0, len(members), size):
                batch = members[first : first + size]
                pieces = [_piece(waveform, spans[index], length) for index in batch]
                found = run_funasr(lambda: self._forward(pieces), self.name)  # noqa: B023
                rows[batch] = np.where([[piece.any()] for piece in pieces], found, 0)
        rows[~np.isfinite(rows).all(axis=1)] = 0
        length_of = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(np.divide(rows, length_of, out=np.zeros_like(rows), where=length_of > 0))

    def _forward(self, pieces: list[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
        import torch
        from funasr.models.campplus.utils import extract_feature

        with torch.inference_mode():
            features, _, _ = extract_feature([torch.from_numpy(piece) for piece in pieces])
            found = self._model.model(features.to(self._device, torch.float32))
        vectors: npt.NDArray[np.float32] = found.float().cpu().numpy()
        return vectors


class Eres2NetV2(_Voices):
    """ERes2NetV2 (Chen et al. 2024, https://arxiv.org/abs/2406.02167), with the paper's η = 0.8."""

    name = "eres2netv2"
    eta = 0.8
    same = 0.8

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        device = torch_device(source.device)
        folder = locate("eres2netv2", source)
        # Its folder holds weights and no configuration that FunASR reads: the class knows its own.
        options = {"model": "ERes2NetV2", "model_path": str(folder), "model_conf": {}}
        super().__init__(load_funasr(folder, device, options), device)


class CamPlusPlus(_Voices):
    """CAM++ (Wang et al. 2023, https://arxiv.org/abs/2303.00332).

    η is the paper's for ERes2NetV2 too: nobody has published one for windows of CAM++. Mean voices are
    merged from the cosine on at which FunASR merges them.
    """

    name = "campplus"
    eta = 0.8
    same = 0.78

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        device = torch_device(source.device)
        super().__init__(load_funasr(locate("campplus", source), device), device)


def _piece(waveform: Waveform, span: TimeSpan, length: int) -> npt.NDArray[np.float32]:
    samples = waveform.samples(span)[:length]
    return np.pad(samples, (0, length - len(samples))).astype(np.float32)

"""FSMN-VAD through FunASR (Zhang et al. 2018, https://arxiv.org/abs/1803.05030)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grga.audio import SAMPLE_RATE, Waveform
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.speech.vad import VadResult
from grga.speech.vad.clips import pack, padded
from grga.types import TimeSpan

BLOCK_SECONDS = 60
USUAL_THRESHOLD = 0.6
CLIP_PAD = 0.2
OWN_END = 0.15
"""Seconds of silence that the model itself needs before it believes one."""


class FsmnVad:
    """Speech spans of the model's own state machine, block by block with its state carried along.

    ``threshold`` is FunASR's ``speech_noise_thres``: by how much the probability of speech must exceed that
    of noise (None: 0.6, the model's own). ``min_silence`` is its ``max_end_silence_time``, at least 0.15 s.
    ``pad`` and ``max_clip`` are applied afterwards, as for every detector.
    """

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        self._model = load_funasr(locate("fsmn-vad", source), torch_device(source.device))

    def detect(
        self,
        waveform: Waveform,
        *,
        threshold: float | None = None,
        min_silence: float = 0.2,
        pad: float = 0.1,
        max_clip: float = 28.0,
    ) -> VadResult:
        """See :class:`grga.speech.vad.Vad`."""
        chosen = USUAL_THRESHOLD if threshold is None else threshold
        marks = run_funasr(lambda: self._marks(waveform, chosen, min_silence), "FSMN-VAD")
        spans = joined(marks, waveform.duration)
        speech = padded(spans, pad, waveform.duration)
        clips = pack(padded(spans, max(pad, CLIP_PAD), waveform.duration), max_clip)
        return VadResult(tuple(clips), tuple(speech), chosen)

    def _marks(self, waveform: Waveform, threshold: float, min_silence: float) -> list[tuple[int, int]]:
        """Return the model's marks in milliseconds; an open end is -1, its end comes with a start of -1."""
        marks: list[tuple[int, int]] = []
        cache: dict[str, Any] = {}
        size = BLOCK_SECONDS * SAMPLE_RATE
        left = round(waveform.duration * SAMPLE_RATE)
        for block in waveform.blocks(size):
            left -= len(block)
            [found] = self._model.generate(
                input=block,
                cache=cache,
                is_streaming_input=True,
                is_final=left <= 0,
                chunk_size=BLOCK_SECONDS * 1000,
                max_end_silence_time=round(max(min_silence, OWN_END) * 1000),
                speech_noise_thres=threshold,
            )
            marks += [(int(start), int(end)) for start, end in found["value"]]
        return marks


def joined(marks: Sequence[tuple[int, int]], duration: float) -> list[TimeSpan]:
    """Join marks of a stream to spans inside the recording, in time order and apart.

    A span that is cut by the end of a block comes as (start, -1) and later (-1, end); one that is never
    closed ends with the recording.

    Args:
        marks: Milliseconds.
        duration: Of the recording, seconds.
    """
    spans: list[TimeSpan] = []
    begun: int | None = None
    for start, end in [*marks, (-1, round(duration * 1000))]:
        begun = start if start >= 0 else begun
        if end < 0 or begun is None:
            continue
        first = max(begun / 1000, spans[-1].end if spans else 0.0)
        last = min(end / 1000, duration)
        if last > first:
            spans.append(TimeSpan(first, last))
        begun = None
    return spans

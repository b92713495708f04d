"""One microphone per speaker: each channel is somebody, no voices need to be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, Waveform
from grga.speech.diarization import SpeakerSegment
from grga.speech.vad import Vad
from grga.types import TimeSpan

CELL = 0.1
BLEED_DB = 10.0
"""A voice this much weaker than on the loudest channel is that channel's, heard from afar."""


def diarize_channels(
    channels: Sequence[Waveform], vad: Vad, *, threshold: float | None = None, min_silence: float = 0.2
) -> tuple[SpeakerSegment, ...]:
    """Return who speaks when, speaker "S1" on the first channel; both may speak at once.

    Args:
        channels: One waveform per microphone, on the same timeline.
        vad: Finds speech on each of them.
        threshold: As for :meth:`grga.speech.vad.Vad.detect`.
        min_silence: Seconds.
    """
    if not channels:
        return ()
    levels = np.stack([_levels_db(channel) for channel in channels])
    close = levels >= levels.max(axis=0) - BLEED_DB
    found = []
    for number, channel in enumerate(channels):
        speech = vad.detect(channel, threshold=threshold, min_silence=min_silence).speech
        for span in speech:
            found += [SpeakerSegment(f"S{number + 1}", piece) for piece in _runs_inside(close[number], span)]
    return tuple(sorted(found, key=lambda segment: (segment.span, segment.speaker)))


def _levels_db(waveform: Waveform) -> npt.NDArray[np.float64]:
    """RMS per cell in dB full scale."""
    width = round(SAMPLE_RATE * CELL)
    powers = []
    for block in waveform.blocks(width * 100):
        cells = np.pad(block, (0, -len(block) % width)).reshape(-1, width)
        powers.append(np.square(cells, dtype=np.float64).mean(axis=1))
    return 10 * np.log10(np.concatenate([*powers, np.zeros(0)]) + 1e-12)


def _runs_inside(close: npt.NDArray[np.bool_], span: TimeSpan) -> list[TimeSpan]:
    """Return the stretches of ``span`` whose cells are ``close``."""
    first, last = int(span.start / CELL), max(int(span.start / CELL) + 1, int(np.ceil(span.end / CELL)))
    cells = close[first:last]
    edges = [0, *(np.flatnonzero(np.diff(cells)) + 1).tolist(), len(cells)]
    runs = [(begin, end) for begin, end in pairwise(edges) if begin < end and cells[begin]]
    spans = [TimeSpan((first + begin) * CELL, (first + end) * CELL).clipped(span) for begin, end in runs]
    return [piece for piece in spans if piece is not None and piece.duration > 0]

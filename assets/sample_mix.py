"""Lay spoken lines on one time axis, mix them over a quiet room and write the recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sample_voices import SAMPLE_RATE, SpokenLine

Samples = npt.NDArray[np.float32]
SPEECH_DB = -27.0  # RMS of an ordinary line before the speaker's own level
ROOM_DB = -62.0
CEILING = 0.9
BITRATE = 40_000


@dataclass(frozen=True, slots=True)
class Placed:
    """A line that begins at ``start`` seconds of the recording, with its gain already applied."""

    line: SpokenLine
    start: float

    @property
    def end(self) -> float:
        """Where the line ends, in seconds."""
        return self.start + len(self.line.audio) / SAMPLE_RATE


def levelled(line: SpokenLine, gain_db: float, *, loud: bool) -> SpokenLine:
    """Bring a line to the common speech level plus ``gain_db``; a loud voice also sounds brighter."""
    audio = _pressed(line.audio) if loud else line.audio
    rms = float(np.sqrt(np.mean(np.square(audio, dtype=np.float64))))
    scaled = audio * (10 ** ((SPEECH_DB + gain_db) / 20) / rms)
    over = np.abs(scaled) > CEILING / 2  # a soft knee: only the peaks of a shout ever reach it
    bent = np.sign(scaled) * CEILING / 2 * (1 + np.tanh(np.abs(scaled) / (CEILING / 2) - 1))
    return SpokenLine(np.where(over, bent, scaled).astype(np.float32), line.words)


def mix(placed: list[Placed], *, lead_out: float, rng: np.random.Generator) -> Samples:
    """Return the recording: the sum of all lines over low, dull room noise."""
    length = int((max(p.end for p in placed) + lead_out) * SAMPLE_RATE)
    recording = _room(length, rng)
    for p in placed:
        at = round(p.start * SAMPLE_RATE)
        recording[at : at + len(p.line.audio)] += p.line.audio
    if (peak := float(np.abs(recording).max())) >= 1.0:
        raise ValueError(f"the mix clips (peak {peak:.2f}); lower SPEECH_DB or the loudest line's gain_db")
    return recording


def write_opus(recording: Samples, target: Path) -> None:
    """Encode as mono Opus in an Ogg container."""
    import av

    with av.open(str(target), "w", format="ogg", options={"fflags": "+bitexact"}) as container:
        stream = container.add_stream("libopus", rate=SAMPLE_RATE, layout="mono")
        stream.bit_rate = BITRATE
        block = SAMPLE_RATE
        for at in range(0, len(recording), block):
            samples = np.round(recording[at : at + block] * 32767).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(samples[None], format="s16", layout="mono")
            frame.sample_rate, frame.pts = SAMPLE_RATE, at
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def _pressed(audio: Samples) -> Samples:
    """Lift what lies above 1.2 kHz by up to 6 dB, as raised vocal effort does."""
    spectrum = np.fft.rfft(audio)
    frequency = np.fft.rfftfreq(len(audio), 1 / SAMPLE_RATE)
    lift_db = 6.0 / (1 + np.exp(-(frequency - 1200) / 200))
    pressed: Samples = np.fft.irfft(spectrum * 10 ** (lift_db / 20), len(audio)).astype(np.float32)
    return pressed


def _room(length: int, rng: np.random.Generator) -> Samples:
    """Noise that falls with frequency like the hum of a quiet room."""
    spectrum = np.fft.rfft(rng.standard_normal(length))
    frequency = np.fft.rfftfreq(length, 1 / SAMPLE_RATE)
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(frequency, 60.0)), length)
    room: Samples = (noise * 10 ** (ROOM_DB / 20) / np.sqrt(np.mean(noise**2))).astype(np.float32)
    return room

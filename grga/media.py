"""Read other people's media files: whatever FFmpeg's libraries decode, damaged pieces and all.

What a header says is only compared with what was decoded, never believed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.errors import AudioError

Samples = npt.NDArray[np.float32]

_STREAMED_SIZE = 0xFFFFFF00


class MediaFile:
    """An open media file whose first audio track is read as (channels, samples) blocks."""

    def __init__(self, path: Path, *, rate: int) -> None:
        self._path, self._rate = path, rate
        self._container: Any = None
        self.damaged = 0
        self.decoded = 0

    def __enter__(self) -> MediaFile:
        import av

        try:
            self._container = av.open(str(self._path.absolute()), metadata_errors="ignore")
        except (av.error.FFmpegError, OSError):
            raise _unreadable(self._path) from None
        if self._container.format.name == "tty":  # ffmpeg takes text for a screen recording
            self._container.close()
            raise _unreadable(self._path)
        self.stream = self._container.streams.best("audio")
        if self.stream is None:
            self._container.close()
            raise AudioError("this file has no audio track", fix="choose a recording with sound")
        self.tracks = len(self._container.streams.audio)
        self.channels = int(self.stream.codec_context.channels)
        self.sample_rate = int(self.stream.codec_context.sample_rate)
        return self

    def __exit__(self, *_: object) -> None:
        self._container.close()

    @property
    def claimed(self) -> float | None:
        """Length in seconds according to the header, None when it gives none."""
        in_wav = wav_claim(self._path)
        if in_wav:
            return in_wav
        if self.stream.duration is not None:
            return float(self.stream.duration * self.stream.time_base)
        if self._container.duration is not None:
            return float(self._container.duration) / 1_000_000
        return None

    def blocks(self) -> Iterator[Samples]:
        """Yield about ten seconds at a time, float32 (channels, samples) at the wanted rate."""
        pieces: list[Samples] = []
        waiting = 0
        for piece in self._resampled():
            pieces.append(piece)
            waiting += piece.shape[1]
            if waiting >= self._rate * 10:
                yield np.concatenate(pieces, axis=1)
                pieces, waiting = [], 0
        if waiting:
            yield np.concatenate(pieces, axis=1)

    def _resampled(self) -> Iterator[Samples]:
        """Resample frames; a change of format inside the stream starts a new resampler."""
        import av

        shape: tuple[str, str, int] | None = None
        layout: Any = None
        resampler: Any = None
        for frame in self._frames():
            frame.pts = None
            if shape != (frame.format.name, frame.layout.name, frame.sample_rate):
                if resampler is not None:
                    yield from self._arrays(resampler.resample(None))
                shape = (frame.format.name, frame.layout.name, frame.sample_rate)
                layout = layout or frame.layout
                self.channels = layout.nb_channels
                self.sample_rate = self.sample_rate or frame.sample_rate
                resampler = av.AudioResampler(format="flt", layout=layout, rate=self._rate)
            yield from self._arrays(resampler.resample(frame))
        if resampler is not None:
            yield from self._arrays(resampler.resample(None))

    def _frames(self) -> Iterator[Any]:
        """Decode packet by packet, stepping over damaged ones and counting them."""
        import av

        packets = self._container.demux(self.stream)
        while True:
            try:
                packet = next(packets, None)
                if packet is None:
                    return
                for frame in packet.decode():
                    self.decoded += 1
                    yield frame
            except av.error.EOFError:
                return
            except av.error.FFmpegError:
                self.damaged += 1
                if self.damaged > 10_000:
                    raise AudioError(
                        f"{self._path.name} is damaged beyond repair", fix="export or upload it again"
                    ) from None

    def _arrays(self, frames: list[Any]) -> Iterator[Samples]:
        """Interleaved samples to (channels, samples); planar frames of eight channels crash PyAV."""
        for frame in frames:
            if frame.samples:
                yield np.nan_to_num(frame.to_ndarray().reshape(-1, self.channels).T)


def wav_claim(path: Path) -> float | None:
    """Return the seconds that a WAV header promises, which ffmpeg shortens to what is in the file."""
    header = wav_header(path)
    if header is None or header[3] >= _STREAMED_SIZE or not header[1]:
        return None
    return header[3] / header[1]


def wav_header(path: Path) -> tuple[tuple[int, ...], int, int, int] | None:
    """Return (format, channels, rate, bits), bytes per second, offset and size of a WAV's data."""
    with path.open("rb") as file:
        riff, _, kind = struct.unpack("<4sI4s", file.read(12).ljust(12, b"\0"))
        shape: tuple[int, ...] = ()
        byte_rate = 0
        while riff == b"RIFF" and kind == b"WAVE" and len(head := file.read(8)) == 8:
            name, size = struct.unpack("<4sI", head)
            if name == b"fmt ":
                fields = struct.unpack("<HHIIHH", file.read(size)[:16].ljust(16, b"\0"))
                shape, byte_rate = (*fields[:3], fields[5]), fields[3]
            elif name == b"data":
                return shape, byte_rate, file.tell(), size
            else:
                file.seek(size + size % 2, 1)
    return None


def _unreadable(path: Path) -> AudioError:
    """An MP4 without its index was cut off; anything else is no media file."""
    with path.open("rb") as file:
        head = file.read(12)
    if head[4:8] == b"ftyp":
        return AudioError(f"{path.name} is incomplete (its index is missing)", fix="upload it again")
    return AudioError(
        f"{path.name} is not an audio or video file that can be read", fix="choose another file"
    )

"""Recordings: decode anything to mono 16 kHz once, then read spans of it from disk.

Everything after :func:`decode` works on its 16-bit WAV, so there is one timeline: the decoded
samples, never a length that a file header claims. The WAV is memory-mapped; nothing here needs
memory that grows with the length of the recording.
"""

from __future__ import annotations

import hashlib
import io
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grga.errors import AudioError
from grga.media import MediaFile, Samples, wav_header
from grga.types import TimeSpan

SAMPLE_RATE = 16_000
SILENCE_DB = -70.0
TARGET_DB = -26.0
MAX_GAIN_DB = 30.0

_BLOCK = SAMPLE_RATE * 10
_FRAME = SAMPLE_RATE // 10
_PLAYBACK_RATE = 32_000
_PLAYBACK_BITS = 64_000

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class DecodeReport:
    """What decoding found.

    Attributes:
        duration: Decoded length in seconds; the only length used afterwards.
        warnings: Sentences for people ("the recording is silent").
        channels: Channels of the source.
        sample_rate: Hz of the source.
        level_db: RMS level of the loud parts in dB full scale, before any gain (-120 for silence).
        gain_db: What :meth:`Waveform.levelled` adds for the models.
        channel: The one channel that was taken, or None for the mean of all.
        separate_speakers: Whether two channels look like one speaker each.
    """

    duration: float
    warnings: tuple[str, ...]
    channels: int
    sample_rate: int
    level_db: float
    gain_db: float
    channel: int | None = None
    separate_speakers: bool = False


class Waveform:
    """Mono 16 kHz PCM on disk, memory-mapped. ``len()`` counts samples."""

    def __init__(self, pcm: npt.NDArray[np.int16]) -> None:
        self._pcm = pcm

    @classmethod
    def open(cls, path: Path) -> Waveform:
        """Map the 16-bit mono 16 kHz WAV that :func:`decode` wrote.

        Raises:
            AudioError: no such file, or another kind of file.
        """
        if not path.is_file():
            raise AudioError(f"the decoded recording {path.name} is missing", fix="index the recording again")
        offset, samples = _find_pcm(path)
        if samples == 0:
            return cls(np.zeros(0, dtype=np.int16))
        return cls(np.memmap(path, dtype="<i2", mode="r", offset=offset, shape=(samples,)))

    def __len__(self) -> int:
        return len(self._pcm)

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return len(self._pcm) / SAMPLE_RATE

    def samples(self, span: TimeSpan | None = None) -> Samples:
        """Return the samples of ``span`` (None: all of them) in -1..1, as recorded.

        Times outside the recording are left out, so the result may be shorter than the span.
        """
        first, last = (0, len(self)) if span is None else self._bounds(span)
        return self._pcm[first:last].astype(np.float32) / np.float32(32768)

    def levelled(self, span: TimeSpan | None = None) -> Samples:
        """Return the samples of ``span`` at the level that models expect (``gain_db`` added, clipped)."""
        loud = self.samples(span) * np.float32(10 ** (self.gain_db / 20))
        return np.clip(loud, -1, 1, out=loud)

    def blocks(self, samples: int = _BLOCK) -> Iterator[Samples]:
        """Yield the whole recording, as recorded, in pieces of at most ``samples``."""
        for first in range(0, len(self), samples):
            yield self._pcm[first : first + samples].astype(np.float32) / np.float32(32768)

    @cached_property
    def level_db(self) -> float:
        """Level of the loud parts: the 90th percentile of 0.1 s RMS levels, dB full scale."""
        levels = [_frame_db(block) for block in self.blocks()]
        return float(np.percentile(np.concatenate(levels), 90)) if levels else -120.0

    @cached_property
    def gain_db(self) -> float:
        """Gain in dB that brings the loud parts to -26 dB; at most +30, none for a silent recording."""
        if self.level_db < SILENCE_DB:
            return 0.0
        return float(np.clip(TARGET_DB - self.level_db, -MAX_GAIN_DB, MAX_GAIN_DB))

    def _bounds(self, span: TimeSpan) -> tuple[int, int]:
        first = min(max(0, round(span.start * SAMPLE_RATE)), len(self))
        return first, min(max(first, round(span.end * SAMPLE_RATE)), len(self))


def decode(
    source: Path,
    target: Path,
    *,
    max_hours: float,
    max_megabytes: float | None = None,
    channel: int | None = None,
    apart: bool = False,
    progress: Progress | None = None,
) -> DecodeReport:
    """Decode any audio or video file to a 16-bit mono 16 kHz WAV at ``target``.

    Several channels become their mean, unless they cancel each other: then the loudest is taken and
    the report says so. ``channel`` (from 0) takes that one. ``apart`` says that the caller decodes the
    channels one by one as well, so that mixing them is nothing to warn of. ``progress`` hears 0..1.

    Raises:
        AudioError: empty, incomplete, without audio, too large or too long, or no media file.
    """
    _check_file(source, max_megabytes)
    partial = target.with_name(target.name + ".part")
    try:
        mixed = _decode_to(source, partial, max_hours, channel, progress, apart)
        if channel is None and mixed.cancels:
            channel = mixed.loudest
            mixed = _decode_to(source, partial, max_hours, channel, progress, apart)
            mixed.warnings.append(
                f"the channels cancel each other when mixed, so only channel {channel + 1} was used"
            )
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    waveform = Waveform.open(target)
    if waveform.level_db < SILENCE_DB:
        mixed.warnings.append("the recording is silent")
    return DecodeReport(
        duration=waveform.duration,
        warnings=tuple(mixed.warnings),
        channels=mixed.channels,
        sample_rate=mixed.sample_rate,
        level_db=round(waveform.level_db, 1),
        gain_db=round(waveform.gain_db, 1),
        channel=channel,
        separate_speakers=mixed.separate_speakers,
    )


def write_playback(source: Path, target: Path, *, channel: int | None = None) -> None:
    """Write a copy for the browser: mono AAC in MP4, same timeline as :func:`decode`.

    MP4 keeps a table of sample positions at the front of the file, so Chromium, Firefox and Safari
    seek to the exact sample with HTTP ranges; MP3 seeking is an estimate and WebM/Opus is not played
    everywhere. Pass the ``channel`` of the decode report to hear what was transcribed.

    Raises:
        AudioError: as :func:`decode`.
    """
    import av

    _check_file(source, None)
    partial = target.with_name(target.name + ".part")
    try:
        with (
            MediaFile(source, rate=_PLAYBACK_RATE) as reader,
            av.open(str(partial), "w", format="mp4", options={"movflags": "+faststart"}) as container,
        ):
            stream = container.add_stream(
                "aac", rate=_PLAYBACK_RATE, layout="mono", options={"aac_coder": "fast"}
            )
            stream.bit_rate = _PLAYBACK_BITS
            written = 0
            for block in reader.blocks():
                mono = block[channel] if channel is not None else block.mean(axis=0)
                frame = av.AudioFrame.from_ndarray(
                    np.clip(mono, -1, 1).astype(np.float32)[None], format="fltp", layout="mono"
                )
                frame.sample_rate = _PLAYBACK_RATE
                frame.pts = written
                written += block.shape[1]
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def peaks(waveform: Waveform, *, per_second: float = 10.0) -> list[float]:
    """Return the largest magnitude, 0..1, of each ``1 / per_second`` seconds, for drawing."""
    width = max(1, round(SAMPLE_RATE / per_second))
    heights: list[float] = []
    for block in waveform.blocks(width * 1000):
        padded = np.pad(np.abs(block), (0, -len(block) % width))
        heights += np.round(padded.reshape(-1, width).max(axis=1), 4).tolist()
    return heights


def content_hash(path: Path) -> str:
    """Return the sha256 of the file's bytes, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_wav(path: Path, samples: Samples) -> None:
    """Write mono 16 kHz samples in -1..1 as a 16-bit WAV (a clip to listen to, or a test input)."""
    with _wav_writer(path) as out:
        out.writeframes(_to_pcm(samples))


def wav_bytes(samples: Samples) -> bytes:
    """Return mono 16 kHz samples in -1..1 as the bytes of a 16-bit WAV file."""
    buffer = io.BytesIO()
    with _wav_writer(buffer) as out:
        out.writeframes(_to_pcm(samples))
    return buffer.getvalue()


@dataclass(slots=True)
class _Decoded:
    """What one pass over the source found, beside the samples it wrote."""

    channels: int
    sample_rate: int
    warnings: list[str]
    frame_power: npt.NDArray[np.float64]
    mix_power: float

    @property
    def loudest(self) -> int:
        power = self.frame_power.sum(axis=1)
        return int(np.argmax(power >= 0.99 * power.max()))

    @property
    def cancels(self) -> bool:
        """Whether the mix is 10 dB weaker than even unrelated channels would make it."""
        if self.channels < 2:
            return False
        return self.mix_power < 0.1 * float(self.frame_power.mean()) / self.channels

    @property
    def separate_speakers(self) -> bool:
        """Whether two channels take turns: each louder by 10 dB in a tenth of the loud frames."""
        if self.channels != 2 or not self.frame_power.size:
            return False
        left, right = self.frame_power
        loud = self.frame_power.max(axis=0) > 1e-2 * np.percentile(self.frame_power.max(axis=0), 95)
        apart = [np.mean(left[loud] > 10 * right[loud]), np.mean(right[loud] > 10 * left[loud])]
        return bool(loud.any() and min(apart) > 0.1 and sum(apart) > 0.5)


def _decode_to(
    source: Path,
    target: Path,
    max_hours: float,
    channel: int | None,
    progress: Progress | None,
    apart: bool,
) -> _Decoded:
    """Write the mono WAV and measure every channel on the way."""
    limit = max_hours * 3600
    written, mix_power = 0, 0.0
    powers: list[npt.NDArray[np.float64]] = []
    with MediaFile(source, rate=SAMPLE_RATE) as reader, _wav_writer(target) as out:
        claimed = reader.claimed
        if claimed is not None and claimed > limit * 1.02:
            raise _too_long(claimed, max_hours)
        if channel is not None and not 0 <= channel < reader.channels:
            raise AudioError(
                f"there is no channel {channel + 1}",
                found=f"{reader.channels} channels",
                fix="choose another",
            )
        for block in reader.blocks():
            mono = block[channel] if channel is not None else block.mean(axis=0)
            out.writeframes(_to_pcm(mono))
            written += len(mono)
            if written / SAMPLE_RATE > limit:
                raise _too_long(written / SAMPLE_RATE, max_hours)
            powers.append(_frame_powers(block))
            mix_power += float(np.square(mono, dtype=np.float64).sum())
            if progress and claimed:
                progress(min(1.0, written / SAMPLE_RATE / claimed))
    # A file that is no recording may hold a few bytes that look like one.
    if not written or reader.damaged > reader.decoded:
        raise AudioError(f"{source.name} holds no sound that can be decoded", fix="export or upload it again")
    if progress:
        progress(1.0)
    found = _Decoded(
        reader.channels,
        reader.sample_rate,
        [],
        np.concatenate(powers, axis=1),
        mix_power / written,
    )
    found.warnings += _warnings(reader, claimed, written / SAMPLE_RATE)
    if channel is None and not apart:
        found.warnings += _mixing(reader.channels, found.separate_speakers)
    return found


def _warnings(reader: MediaFile, claimed: float | None, duration: float) -> Iterator[str]:
    if claimed is not None and duration < claimed - max(0.5, 0.02 * claimed):
        yield (
            f"the file header promises {claimed:.1f} s but only {duration:.1f} s could be decoded: "
            "the end may be missing"
        )
    if reader.damaged > 1:
        yield f"{reader.damaged} damaged pieces were skipped"
    if reader.sample_rate < SAMPLE_RATE:
        yield (
            f"the recording has only {reader.sample_rate} samples per second: "
            "expect more recognition errors than with 16000 or more"
        )
    if reader.tracks > 1:
        yield f"the file has {reader.tracks} audio tracks: only the main one was used"


def _mixing(channels: int, separate_speakers: bool) -> Iterator[str]:
    """Say that the channels were mixed, and what to set where each is somebody's microphone."""
    if separate_speakers:
        yield (
            "the two channels seem to hold one speaker each and were mixed: "
            'set preprocess.channels = "speakers" to keep them apart'
        )
    elif channels > 1:
        yield (
            f"{channels} channels were mixed to one "
            '(with one microphone per speaker, set preprocess.channels = "speakers")'
        )


def _check_file(source: Path, max_megabytes: float | None) -> None:
    if not source.is_file():
        raise AudioError(f"there is no file {source.name}", fix="check the path")
    size = source.stat().st_size
    if size == 0:
        raise AudioError("the file is empty (0 bytes)", fix="upload it again")
    if max_megabytes is not None and size > max_megabytes * 2**20:
        raise AudioError(
            f"{source.name} is too large",
            found=f"{size / 2**20:.0f} MiB",
            expected=f"at most {max_megabytes:g} MiB",
            fix="compress it or raise preprocess.max_megabytes",
        )


def _too_long(seconds: float, max_hours: float) -> AudioError:
    return AudioError(
        "the recording is too long",
        found=f"{seconds / 3600:.1f} h or more",
        expected=f"at most {max_hours:g} h",
        fix="split it or raise preprocess.max_hours",
    )


def _find_pcm(path: Path) -> tuple[int, int]:
    """Return byte offset and number of samples of the WAV's data."""
    header = wav_header(path)
    if header is None or header[0] != (1, 1, SAMPLE_RATE, 16):
        raise AudioError(f"{path.name} is not a 16-bit mono 16 kHz WAV", fix="decode the recording first")
    _, _, offset, size = header
    return offset, min(size, path.stat().st_size - offset) // 2


@contextmanager
def _wav_writer(target: Path | io.BytesIO) -> Iterator[wave.Wave_write]:
    with wave.open(str(target) if isinstance(target, Path) else target, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(SAMPLE_RATE)
        yield out


def _to_pcm(samples: Samples) -> bytes:
    return np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2").tobytes()


def _frame_powers(block: Samples) -> npt.NDArray[np.float64]:
    """Mean power per channel and 0.1 s frame: (channels, frames); a short rest makes one frame."""
    width = min(_FRAME, block.shape[1])
    frames = block.shape[1] // width
    cut = block[:, : frames * width].reshape(len(block), frames, width)
    return np.asarray(np.square(cut, dtype=np.float64).mean(axis=2))


def _frame_db(block: Samples) -> npt.NDArray[np.float64]:
    return np.asarray(10 * np.log10(_frame_powers(block[None])[0] + 1e-12))

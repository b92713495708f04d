"""Every kind of recording that people upload: decoded, or refused in one clear sentence."""

from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import soundfile

from grga.audio import SAMPLE_RATE, Waveform, content_hash, decode, peaks, write_playback, write_wav
from grga.errors import AudioError
from grga.types import TimeSpan

SECONDS = 3.0


def sweep(seconds: float = SECONDS, rate: int = SAMPLE_RATE, level: float = 0.3) -> np.ndarray:
    """A tone that rises from 200 to 2000 Hz: every moment sounds different."""
    time = np.arange(round(seconds * rate)) / rate
    phase = 2 * np.pi * (200 * time + 900 / seconds * time**2)
    return (level * np.sin(phase)).astype(np.float32)


def encode(
    path: Path,
    samples: np.ndarray,
    *,
    codec: str,
    rate: int = SAMPLE_RATE,
    container: str | None = None,
    options: dict[str, str] | None = None,
    codec_options: dict[str, str] | None = None,
    bit_rate: int | None = None,
    video: bool = False,
) -> Path:
    """Write mono samples (None: no sound) with the encoders inside PyAV."""
    with av.open(str(path), "w", format=container, options=options or {}) as out:
        picture: Any = out.add_stream("mpeg4", rate=5) if video else None
        stream: Any = None
        if len(samples):
            stream = out.add_stream(codec, rate=rate, layout="mono", options=codec_options or {})
        if stream is not None and bit_rate:
            stream.bit_rate = bit_rate
        if picture is not None:
            picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
            for _ in range(15):
                frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")
                out.mux(picture.encode(frame))
            out.mux(picture.encode(None))
        if stream is not None:
            sound = av.AudioFrame.from_ndarray(
                (np.clip(samples, -1, 1) * 32767).astype(np.int16)[None], format="s16", layout="mono"
            )
            sound.sample_rate, sound.pts = rate, 0
            resampler = av.AudioResampler(stream.format, "mono", rate, stream.frame_size or None)
            for piece in [*resampler.resample(sound), *resampler.resample(None)]:
                out.mux(stream.encode(piece))
            out.mux(stream.encode(None))
    return path


def decoded(source: Path, folder: Path, **settings: Any) -> tuple[Any, np.ndarray]:
    report = decode(source, folder / "out.wav", max_hours=1, **settings)
    return report, Waveform.open(folder / "out.wav").samples()


def lag(a: np.ndarray, b: np.ndarray) -> float:
    """Seconds by which ``b`` comes later than ``a``."""
    size = 2 ** int(np.ceil(np.log2(len(a) + len(b))))
    correlation = np.fft.irfft(np.conj(np.fft.rfft(a, size)) * np.fft.rfft(b, size))
    shift = int(correlation.argmax())
    return (shift - size if shift > size // 2 else shift) / SAMPLE_RATE


# --- refused, with a sentence ------------------------------------------------------------------------


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    with pytest.raises(AudioError, match=r"the file is empty \(0 bytes\)"):
        decoded(tmp_path / "empty.wav", tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"there is no file nowhere\.wav"):
        decoded(tmp_path / "nowhere.wav", tmp_path)


@pytest.mark.parametrize("name", ["notes.wav", "notes.mp3", "notes.txt"])
def test_a_text_file_is_no_recording_whatever_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Minutes of the meeting\n" * 50)
    with pytest.raises(AudioError, match=r"not an audio or video file|no sound"):
        decoded(tmp_path / name, tmp_path)


def test_a_video_without_sound_has_no_audio_track(tmp_path: Path) -> None:
    silent = encode(tmp_path / "v.mp4", np.zeros(0), codec="aac", video=True)
    with pytest.raises(AudioError, match="this file has no audio track"):
        decoded(silent, tmp_path)


def test_an_mp4_cut_off_while_uploading_is_incomplete(tmp_path: Path) -> None:
    whole = encode(tmp_path / "m.m4a", sweep(10), codec="aac", container="mp4").read_bytes()
    (tmp_path / "cut.m4a").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AudioError, match=r"cut\.m4a is incomplete.*upload it again"):
        decoded(tmp_path / "cut.m4a", tmp_path)


def test_too_long_is_said_before_the_work(tmp_path: Path) -> None:
    write_wav(tmp_path / "long.wav", sweep(5))
    heard: list[float] = []
    with pytest.raises(AudioError, match="the recording is too long"):
        decode(tmp_path / "long.wav", tmp_path / "out.wav", max_hours=3 / 3600, progress=heard.append)
    assert heard == []
    assert not list(tmp_path.glob("out.wav*"))


def test_too_long_without_a_header_is_noticed_while_decoding(tmp_path: Path) -> None:
    live = encode(tmp_path / "live.webm", sweep(25), codec="libopus", rate=16000, options={"live": "1"})
    with pytest.raises(AudioError, match="the recording is too long"):
        decode(live, tmp_path / "out.wav", max_hours=15 / 3600)


def test_too_large_says_both_sizes(tmp_path: Path) -> None:
    write_wav(tmp_path / "big.wav", np.zeros(SAMPLE_RATE * 60, np.float32))
    with pytest.raises(AudioError, match=r"too large \(found 2 MiB, expected at most 1 MiB\)"):
        decoded(tmp_path / "big.wav", tmp_path, max_megabytes=1)


def test_a_channel_that_is_not_there(tmp_path: Path) -> None:
    write_wav(tmp_path / "mono.wav", sweep())
    with pytest.raises(AudioError, match=r"there is no channel 3 \(found 1 channels\)"):
        decoded(tmp_path / "mono.wav", tmp_path, channel=2)


# --- decoded to the same sound -----------------------------------------------------------------------


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "PCM_U8", "ULAW"])
@pytest.mark.parametrize("rate", [16_000, 48_000])
def test_every_sample_format_gives_the_same_sound(tmp_path: Path, subtype: str, rate: int) -> None:
    soundfile.write(tmp_path / "in.wav", sweep(rate=rate), rate, subtype=subtype)
    report, samples = decoded(tmp_path / "in.wav", tmp_path)
    assert report.duration == pytest.approx(SECONDS, abs=0.001)
    assert report.warnings == ()
    coarse = 0.03 if subtype in ("PCM_U8", "ULAW") else 0.003
    assert np.abs(samples[800:-800] - sweep()[800 : len(samples) - 800]).max() < coarse


def test_float_samples_beyond_full_scale_are_clipped_not_wrapped(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "hot.wav", sweep(level=3.0), SAMPLE_RATE, subtype="FLOAT")
    _, samples = decoded(tmp_path / "hot.wav", tmp_path)
    assert np.abs(samples - np.clip(sweep(level=3.0), -1, 1)).max() < 0.001


@pytest.mark.parametrize(
    ("name", "codec", "container"),
    [
        ("a.mp3", "libmp3lame", "mp3"),
        ("a.m4a", "aac", "mp4"),
        ("a.m4b", "aac", "mp4"),
        ("a.mov", "aac", "mov"),
        ("a.webm", "libopus", "webm"),
        ("a.ogg", "libopus", "ogg"),
        ("a.flac", "flac", "flac"),
        ("a.aiff", "pcm_s16be", "aiff"),
        ("a.mka", "flac", "matroska"),
        ("réunion 会议 (1).flac", "flac", "flac"),
        ("wrong extension.txt", "aac", "mp4"),
        ("-dash %20 'quoted'.mp3", "libmp3lame", "mp3"),
    ],
)
def test_every_container_and_name_is_decided_by_decoding(
    tmp_path: Path, name: str, codec: str, container: str
) -> None:
    source = encode(tmp_path / name, sweep(), codec=codec, container=container, bit_rate=64_000)
    report, samples = decoded(source, tmp_path)
    assert report.duration == pytest.approx(SECONDS, abs=0.15)
    assert report.warnings == ()
    assert abs(lag(sweep(), samples)) < 0.03


def test_a_video_gives_its_sound(tmp_path: Path) -> None:
    source = encode(tmp_path / "av.mp4", sweep(), codec="aac", video=True)
    report, _ = decoded(source, tmp_path)
    assert report.duration == pytest.approx(SECONDS, abs=0.1)


def test_a_variable_rate_mp3_without_header_keeps_its_tail(tmp_path: Path) -> None:
    speech_then_hiss = np.concatenate([sweep(20), 0.3 * np.random.default_rng(0).normal(size=160_000)])
    source = encode(
        tmp_path / "vbr.mp3",
        speech_then_hiss.astype(np.float32),
        codec="libmp3lame",
        options={"write_xing": "0"},
        codec_options={"global_quality": "472", "flags": "+qscale"},
    )
    report, samples = decoded(source, tmp_path)
    assert report.duration == pytest.approx(30.0, abs=0.15)
    assert np.abs(samples[-SAMPLE_RATE:]).mean() > 0.1


def test_a_browser_recording_without_duration_is_measured_by_decoding(tmp_path: Path) -> None:
    live = encode(tmp_path / "live.webm", sweep(), codec="libopus", options={"live": "1"})
    with av.open(str(live)) as container:
        assert container.duration is None
    report, _ = decoded(live, tmp_path)
    assert report.duration == pytest.approx(SECONDS, abs=0.05)
    assert report.warnings == ()


@pytest.mark.parametrize("format", ["WAV", "FLAC", "MP3"])
def test_a_cut_file_is_used_and_said_to_be_shorter_than_its_header(tmp_path: Path, format: str) -> None:
    noise = 0.1 * np.random.default_rng(0).normal(size=9 * SAMPLE_RATE)
    soundfile.write(tmp_path / "whole", noise, SAMPLE_RATE, format=format)
    whole = (tmp_path / "whole").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 3])
    report, _ = decoded(tmp_path / "cut", tmp_path)
    assert report.duration == pytest.approx(3.0, abs=0.3)
    shorter = [warning for warning in report.warnings if "promises 9.0 s but only" in warning]
    assert len(shorter) == 1


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF])
def test_a_streamed_wav_whose_header_knows_no_size_is_read_to_its_end(tmp_path: Path, size: int) -> None:
    write_wav(tmp_path / "s.wav", sweep())
    data = bytearray((tmp_path / "s.wav").read_bytes())
    data[4:8] = data[40:44] = size.to_bytes(4, "little")
    (tmp_path / "s.wav").write_bytes(data)
    report, _ = decoded(tmp_path / "s.wav", tmp_path)
    assert report.duration == pytest.approx(SECONDS, abs=0.01)
    assert report.warnings == ()


@pytest.mark.parametrize(
    ("seconds", "rate"), [(0.05, 16_000), (0.003, 16_000), (2.0, 16_000), (5.35, 22_050)]
)
def test_no_length_is_too_odd(tmp_path: Path, seconds: float, rate: int) -> None:
    soundfile.write(tmp_path / "in.wav", sweep(seconds, rate), rate)
    report, samples = decoded(tmp_path / "in.wav", tmp_path)
    assert report.duration == pytest.approx(seconds, abs=0.001)
    assert len(samples) == round(report.duration * SAMPLE_RATE)


def test_a_telephone_recording_is_used_with_a_warning(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "phone.wav", sweep(rate=8000), 8000, subtype="ULAW")
    report, _ = decoded(tmp_path / "phone.wav", tmp_path)
    assert report.duration == pytest.approx(SECONDS, abs=0.001)
    assert report.sample_rate == 8000
    assert len(report.warnings) == 1
    assert "only 8000 samples per second" in report.warnings[0]


def test_192_khz_keeps_the_time(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "hi.wav", sweep(rate=192_000), 192_000)
    report, samples = decoded(tmp_path / "hi.wav", tmp_path)
    assert report.duration == pytest.approx(SECONDS, abs=0.001)
    assert abs(lag(sweep(), samples)) < 0.001


# --- silence and levels ------------------------------------------------------------------------------


def test_a_silent_recording_is_decoded_and_said_to_be_silent(tmp_path: Path) -> None:
    write_wav(tmp_path / "sil.wav", np.zeros(SAMPLE_RATE * 2, np.float32))
    report, _ = decoded(tmp_path / "sil.wav", tmp_path)
    assert report.warnings == ("the recording is silent",)
    assert report.gain_db == 0


def test_models_hear_a_quiet_recording_louder_and_measurements_do_not(tmp_path: Path) -> None:
    write_wav(tmp_path / "quiet.wav", sweep(level=0.01))
    report, samples = decoded(tmp_path / "quiet.wav", tmp_path)
    assert report.level_db == pytest.approx(-43.0, abs=0.3)
    assert report.gain_db == pytest.approx(17.0, abs=0.3)
    assert np.abs(samples).max() == pytest.approx(0.01, abs=0.001)
    louder = Waveform.open(tmp_path / "out.wav").levelled()
    assert np.abs(louder).max() == pytest.approx(0.01 * 10 ** (report.gain_db / 20), rel=0.05)


def test_the_gain_has_a_limit(tmp_path: Path) -> None:
    write_wav(tmp_path / "faint.wav", sweep(level=0.001))
    report, _ = decoded(tmp_path / "faint.wav", tmp_path)
    assert report.gain_db == 30


# --- several channels --------------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [2, 6, 8])
def test_channels_are_mixed_on_the_same_timeline(tmp_path: Path, channels: int) -> None:
    soundfile.write(tmp_path / "in.wav", np.stack([sweep()] * channels, axis=1), SAMPLE_RATE)
    report, samples = decoded(tmp_path / "in.wav", tmp_path)
    assert report.channels == channels
    assert report.duration == SECONDS
    [note] = report.warnings
    assert note.startswith(f"{channels} channels were mixed to one")
    assert np.abs(samples - sweep()).max() < 0.001


def test_one_silent_channel_does_not_change_the_time(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "left.wav", np.stack([sweep(), 0 * sweep()], axis=1), SAMPLE_RATE)
    report, samples = decoded(tmp_path / "left.wav", tmp_path)
    assert report.duration == SECONDS
    assert report.channel is None
    assert np.abs(samples - sweep() / 2).max() < 0.001


def test_channels_of_opposite_phase_do_not_mix_to_silence(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "out of phase.wav", np.stack([0.8 * sweep(), -sweep()], axis=1)[:, :2], 16_000)
    cancelling = np.stack([sweep(), -sweep()], axis=1)
    soundfile.write(tmp_path / "anti.wav", cancelling, SAMPLE_RATE)
    report, samples = decoded(tmp_path / "anti.wav", tmp_path)
    assert report.channel == 0
    assert report.warnings == ("the channels cancel each other when mixed, so only channel 1 was used",)
    assert np.abs(samples - sweep()).max() < 0.001
    report, samples = decoded(tmp_path / "out of phase.wav", tmp_path)
    assert report.channel == 1
    assert np.abs(samples + sweep()).max() < 0.001


def two_people() -> np.ndarray:
    turns = np.repeat(np.arange(6) % 2, SAMPLE_RATE)
    left, right = np.where(turns == 0, 1.0, 0.05), np.where(turns == 1, 1.0, 0.05)
    return np.stack([left, right], axis=1) * sweep(6)[:, None]


def test_two_microphones_are_noticed_and_can_be_taken_apart(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "two.wav", two_people(), SAMPLE_RATE)
    report, _ = decoded(tmp_path / "two.wav", tmp_path)
    assert report.separate_speakers
    assert len(report.warnings) == 1
    assert 'preprocess.channels = "speakers"' in report.warnings[0]
    report, right = decoded(tmp_path / "two.wav", tmp_path, channel=1)
    assert report.warnings == ()
    assert np.abs(right - two_people()[:, 1]).max() < 0.001


# --- the waveform ------------------------------------------------------------------------------------


def test_spans_are_cut_to_the_recording(tmp_path: Path) -> None:
    write_wav(tmp_path / "w.wav", sweep())
    waveform = Waveform.open(tmp_path / "w.wav")
    assert len(waveform) == 48_000
    assert waveform.duration == SECONDS
    assert len(waveform.samples(TimeSpan(1.0, 1.5))) == 8000
    assert len(waveform.samples(TimeSpan(2.5, 9.0))) == 8000
    assert len(waveform.samples(TimeSpan(8.0, 9.0))) == 0
    assert np.array_equal(np.concatenate(list(waveform.blocks(7000))), waveform.samples())


def test_another_wav_is_not_taken_for_a_decoded_one(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "w.wav", sweep(rate=8000), 8000)
    with pytest.raises(AudioError, match="not a 16-bit mono 16 kHz WAV"):
        Waveform.open(tmp_path / "w.wav")


def test_decoding_takes_no_memory_that_grows_with_the_recording(tmp_path: Path) -> None:
    write_wav(tmp_path / "ten minutes.wav", np.tile(sweep(6), 100))
    tracemalloc.start()
    report = decode(tmp_path / "ten minutes.wav", tmp_path / "out.wav", max_hours=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.duration == 600
    assert peak < 15_000_000, "ten minutes are 38 MB as float32"


def test_progress_rises_to_one(tmp_path: Path) -> None:
    write_wav(tmp_path / "w.wav", sweep(30))
    heard: list[float] = []
    decode(tmp_path / "w.wav", tmp_path / "out.wav", max_hours=1, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert len(heard) > 2


def test_the_copy_for_the_browser_has_the_same_timeline(tmp_path: Path) -> None:
    source = encode(tmp_path / "a.mp3", sweep(), codec="libmp3lame", bit_rate=64_000)
    report, samples = decoded(source, tmp_path)
    write_playback(source, tmp_path / "play.m4a")
    head = (tmp_path / "play.m4a").read_bytes()
    assert head.index(b"moov") < head.index(b"mdat"), "a browser must find the sample table first"
    again, played = decoded(tmp_path / "play.m4a", tmp_path)
    assert again.duration == pytest.approx(report.duration, abs=0.05)
    assert abs(lag(samples, played)) < 0.002


def test_peaks_follow_the_loudness(tmp_path: Path) -> None:
    write_wav(tmp_path / "w.wav", np.concatenate([np.zeros(8000, np.float32), sweep(1.0, level=0.5)]))
    heights = peaks(Waveform.open(tmp_path / "w.wav"), per_second=4)
    assert heights == pytest.approx([0, 0, 0.5, 0.5, 0.5, 0.5], abs=0.01)


def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"sound")
    assert content_hash(tmp_path / "f") == hashlib.sha256(b"sound").hexdigest()


def test_a_program_named_like_a_recording_is_refused(tmp_path: Path) -> None:
    noise = np.random.default_rng(7).integers(0, 256, 150_000, dtype=np.uint8).tobytes()
    file = tmp_path / "program.mp3"
    file.write_bytes(noise)
    with pytest.raises(AudioError):
        decode(file, tmp_path / "w.wav", max_hours=1)


def test_channels_that_are_kept_apart_are_no_reason_to_warn(tmp_path: Path, shared_data: Path) -> None:
    stereo = shared_data / "audio/other/stereo_two_speakers.wav"
    [note] = decode(stereo, tmp_path / "w.wav", max_hours=1).warnings
    assert 'preprocess.channels = "speakers"' in note
    assert decode(stereo, tmp_path / "w.wav", max_hours=1, apart=True).warnings == ()

"""The pipeline as a person meets it: real models, real files, kills and repeats."""

from __future__ import annotations

import signal
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from grga import hearing
from grga.audio import Waveform, decode
from grga.clip_draft import Recognised
from grga.config import Config
from grga.errors import AudioError, GrgaError, StoreError
from grga.ingest import import_transcript, index_recording
from grga.manifest import Source
from grga.speech.diarization import SpeakerSegment
from grga.stages import CancelledError, StageNotes
from grga.store import Store
from grga.types import EdgeType, TimeSpan, Word

ROOT = Path(__file__).resolve().parents[2]

SRT = """\
1
00:00:01,000 --> 00:00:04,000
Rosa: The budget for the autumn show is nine hundred pounds.

2
00:00:04,500 --> 00:00:06,000
Imran: Does that budget include the lights?

3
00:00:06,200 --> 00:00:09,000
Rosa: No, the lights are two hundred more.
"""


def write_wav(path: Path, samples: np.ndarray, rate: int = 16_000) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


@pytest.fixture
def srt(tmp_path: Path) -> Path:
    file = tmp_path / "autumn.srt"
    file.write_text(SRT)
    return file


def test_a_transcript_becomes_a_meeting_with_graph_and_indices(store: Store, srt: Path) -> None:
    result = import_transcript(srt, store, Config())
    assert (result.utterances, result.speakers, result.duration) == (3, 2, 9.0)
    loaded = store.load(result.meeting)
    assert [loaded.meeting.name_of(u) for u in loaded.meeting.utterances] == ["Rosa", "Imran", "Rosa"]
    assert loaded.meeting.utterances[1].span == TimeSpan(4.5, 6.0)
    assert not loaded.meeting.has_audio
    assert loaded.graph.counts()[EdgeType.TEMPORAL] == 2
    assert loaded.graph.counts()[EdgeType.REPLY_TO] >= 2
    assert loaded.graph.counts()[EdgeType.SAME_SPEAKER] == 1
    assert loaded.bm25.search("lights", 1)[0].id in (1, 2)
    assert len(loaded.dense.scores(loaded.encoder.encode_query("money"))) == 3


def test_the_same_transcript_again_runs_no_stage(store: Store, srt: Path) -> None:
    first = import_transcript(srt, store, Config())
    again = import_transcript(srt, store, Config())
    assert again.meeting == first.meeting
    assert set(again.reused) == set(first.stages)
    assert set(again.stages.values()) == {0.0}


def test_other_graph_settings_run_the_graph_stage_alone(store: Store, srt: Path) -> None:
    import_transcript(srt, store, Config())
    changed = Config.model_validate({"graph": {"reply_window": 0.1}})
    again = import_transcript(srt, store, changed)
    assert [stage for stage in again.stages if stage not in again.reused] == ["graph"]


@pytest.mark.parametrize("content", [b"", b"this is no recording"])
def test_a_file_that_is_no_recording_leaves_no_meeting(store: Store, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken.wav"
    file.write_bytes(content)
    with pytest.raises(AudioError) as caught:
        index_recording(file, store, Config())
    assert "\n" not in str(caught.value)
    assert store.meetings() == []


def test_a_missing_file_is_one_sentence(store: Store, tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="there is no file"):
        index_recording(tmp_path / "none.wav", store, Config())


def test_silence_ends_well_with_an_empty_transcript_and_a_note(store: Store, tmp_path: Path) -> None:
    file = write_wav(tmp_path / "silence.wav", np.zeros(16_000 * 20))
    result = index_recording(file, store, Config())
    assert (result.utterances, result.speakers) == (0, 0)
    assert any("no speech found" in warning for warning in result.warnings)
    assert store.load(result.meeting).meeting.utterances == ()


def test_stopping_keeps_the_finished_stages(store: Store, tmp_path: Path) -> None:
    file = write_wav(tmp_path / "silence.wav", np.zeros(16_000 * 5))
    seen: list[str] = []

    def progress(stage: str, share: float) -> None:
        seen.append(stage)

    with pytest.raises(CancelledError):
        index_recording(file, store, Config(), progress=progress, cancelled=lambda: "vad" in seen)
    [line] = store.meetings()
    assert not line.finished
    result = index_recording(file, store, Config())
    assert {"preprocess", "vad"} <= set(result.reused)


@pytest.mark.slow
def test_a_real_clip_gets_words_speakers_times_and_measurements(store: Store, shared_data: Path) -> None:
    clip = shared_data / "audio" / "ami_clips" / "EN2001e_0000_0030.flac"
    result = index_recording(clip, store, Config())
    meeting = store.load(result.meeting).meeting
    assert meeting.language == "en"
    assert meeting.duration == pytest.approx(30.0, abs=0.01)
    assert 60 <= sum(len(u.text.split()) for u in meeting.utterances) <= 130
    starts = [u.start for u in meeting.utterances]
    assert starts == sorted(starts)
    for utterance in meeting.utterances:
        assert 0 <= utterance.start <= utterance.end <= meeting.duration + 0.01
        assert utterance.acoustics is not None
        assert utterance.acoustics.loudness_db is not None
        assert -80 < utterance.acoustics.loudness_db < 0
        assert utterance.acoustics.emotion is None


@pytest.mark.slow
def test_every_ami_clip_is_indexed_and_shown_in_every_format(store: Store, shared_data: Path) -> None:
    from grga.exports import FORMATS, export

    clips = sorted((shared_data / "audio" / "ami_clips").glob("*.flac"))
    assert len(clips) == 11
    for clip in clips:
        result = index_recording(clip, store, Config())
        meeting = store.load(result.meeting).meeting
        for format in FORMATS:
            assert export(meeting, format) or not meeting.utterances


@pytest.mark.slow
def test_a_run_killed_in_the_middle_of_recognition_goes_on_where_it_was(
    store: Store, samples: Path, tmp_path: Path
) -> None:
    recording = cut(next(samples.glob("*/audio.*")), tmp_path / "cut.wav", seconds=100)

    def command(home: Path) -> list[str]:
        return [sys.executable, "-m", "grga", "index", str(recording), "--home", str(home), "--json"]

    killed = subprocess.Popen(
        command(store.home), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert killed.stderr is not None
    for line in killed.stderr:
        if "asr: clip 2 of" in line:
            killed.send_signal(signal.SIGKILL)
            break
    assert killed.wait() == -signal.SIGKILL

    second = subprocess.run(command(store.home), cwd=ROOT, capture_output=True, text=True, check=True)
    assert "preprocess: unchanged, not run again" in second.stderr
    assert "vad: unchanged, not run again" in second.stderr
    assert "asr: going on after clip 2 of" in second.stderr
    assert "asr: clip 1 of" not in second.stderr

    calm = tmp_path / "calm"
    subprocess.run(command(calm), cwd=ROOT, capture_output=True, text=True, check=True)
    for name in ("asr.json", "diarization.json", "acoustics.json", "graph.json", "speakers.json"):
        [resumed] = store.root.glob(f"*/{name}")
        [whole] = calm.glob(f"meetings/*/{name}")
        assert resumed.read_bytes() == whole.read_bytes(), name


def cut(source: Path, target: Path, seconds: float) -> Path:
    whole = target.with_name("whole.wav")
    decode(source, whole, max_hours=1.0)
    return write_wav(target, Waveform.open(whole).samples(TimeSpan(0, seconds)))


def test_two_processes_do_not_index_the_same_recording_at_once(store: Store, tmp_path: Path) -> None:
    file = write_wav(tmp_path / "silence.wav", np.zeros(16_000))

    def nested(stage: str, share: float) -> None:
        with pytest.raises(GrgaError, match="is being indexed by another process"):
            index_recording(file, store, Config())

    index_recording(file, store, Config(), progress=nested)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("graph.json", b"{"),
        ("graph.json", b"[1]"),
        ("vectors.npy", b"\x93NUMPY"),
        ("vectors.npy", b""),
        ("bm25/bm25.json", b"{}"),
        ("acoustics.json", b"[{"),
        ("speakers.json", None),
        ("names.json", b"[]"),
    ],
)
def test_a_meeting_with_a_damaged_file_is_one_sentence(
    store: Store, srt: Path, name: str, content: bytes | None
) -> None:
    meeting = import_transcript(srt, store, Config()).meeting
    file = store.folder(meeting).path / name
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(StoreError, match=f"{name.split('/')[0]} of meeting .* is missing or damaged"):
        store.load(meeting)


def test_a_folder_is_no_recording(store: Store, tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="is a folder"):
        index_recording(tmp_path, store, Config())


def test_a_voice_without_words_is_told(store: Store) -> None:
    folder = store.create("Talk", Source(name="talk.wav", digest="a" * 64, kind="audio"))
    words = (Word("Hello", TimeSpan(0.1, 0.5)), Word("all.", TimeSpan(0.5, 0.9)))
    segments = (SpeakerSegment("S1", TimeSpan(0, 1), 1.0), SpeakerSegment("S2", TimeSpan(2, 3), 1.0))
    folder.write_value("words.json", Recognised, Recognised("en", words))
    folder.write_value("diarization.json", tuple[SpeakerSegment, ...], segments)
    notes = StageNotes()
    hearing.form_utterances(folder, notes, Config())
    assert notes.details == {"utterances": 1, "speakers": 1}
    assert notes.warnings == ["2 voices were told apart, but only 1 of them said clear words"]

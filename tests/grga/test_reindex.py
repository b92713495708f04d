"""One stage of a finished meeting runs again; the meeting stays open meanwhile, and whole whatever happens."""

from __future__ import annotations

import os
import shutil
import wave
from pathlib import Path

import numpy as np
import pytest

from grga import hearing, linking, workbench
from grga.clip_draft import Recognised
from grga.config import Config
from grga.embedding import TextEncoder, load_text_encoder
from grga.errors import GrgaError, ModelError, StoreError
from grga.ingest import import_transcript, index_recording, reindex, stages_to_repeat
from grga.speech.diarization import SpeakerSegment
from grga.speech.vad import VadResult
from grga.stages import CancelledError, StageNotes, StageRunner
from grga.store import MeetingFolder, Store
from grga.types import TimeSpan, Word

WORDS = ("the", "budget", "is", "nine", "hundred", "pounds")


def asked(speakers: int) -> Config:
    return Config.model_validate({"diarization": {"min_speakers": speakers, "max_speakers": speakers}})


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand-ins for what listens: as many speakers as asked for, a word a second in the language asked for."""
    seen: list[str] = []

    def vad(run: StageRunner, notes: StageNotes, config: Config) -> None:
        seen.append("vad")
        span = (TimeSpan(0.0, 6.0),)
        run.folder.write_value("vad.json", VadResult, VadResult(speech=span, clips=span, threshold=0.5))

    def asr(run: StageRunner, notes: StageNotes, config: Config) -> None:
        seen.append("asr")
        language = config.asr.language or "en"
        words = tuple(
            Word(f"{text}-{language}", TimeSpan(float(second), second + 0.9))
            for second, text in enumerate(WORDS)
        )
        run.folder.write_value("asr.json", Recognised, Recognised(language, words))

    def diarization(run: StageRunner, notes: StageNotes, config: Config) -> None:
        seen.append("diarization")
        number = config.diarization.max_speakers or 2
        segments = tuple(
            SpeakerSegment(f"S{second % number + 1}", TimeSpan(float(second), second + 1.0))
            for second in range(6)
        )
        run.folder.write_value("diarization.json", tuple[SpeakerSegment, ...], segments)

    monkeypatch.setattr(hearing, "find_speech", vad)
    monkeypatch.setattr(hearing, "recognise", asr)
    monkeypatch.setattr(hearing, "diarize", diarization)
    return seen


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return load_text_encoder()


@pytest.fixture
def store(tmp_path: Path, encoder: TextEncoder, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(Store, "encoder", lambda self, name: encoder)  # loaded once for all tests here
    return Store(tmp_path / "home")


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    file = tmp_path / "standup.wav"
    with wave.open(str(file), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        noise = np.random.default_rng(1).normal(0, 3000, 16_000 * 6)
        sound.writeframes(noise.astype("<i2").tobytes())
    return file


@pytest.fixture
def folder(store: Store, recording: Path, calls: list[str]) -> MeetingFolder:
    made = store.folder(index_recording(recording, store, Config()).meeting)
    calls.clear()
    return made


def speakers(folder: MeetingFolder) -> int:
    return len({utterance.speaker for utterance in folder.read_meeting().utterances})


def text(folder: MeetingFolder) -> str:
    return " ".join(utterance.text for utterance in folder.read_meeting().utterances)


def files(folder: MeetingFolder) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder.path)): file.read_bytes()
        for file in folder.path.rglob("*")
        if file.is_file() and not file.name.startswith(".")
    }


def test_speakers_are_told_apart_anew_and_only_what_reads_them_follows(
    folder: MeetingFolder, store: Store, calls: list[str]
) -> None:
    assert speakers(folder) == 2
    result = reindex(folder, store, asked(3), stage="diarization")
    assert calls == ["diarization"]
    assert speakers(folder) == 3
    assert set(result.reused) == {"preprocess", "vad", "asr", "alignment"}
    assert store.load(folder.id).meeting.utterances[2].speaker == "S3"
    assert not store.workbench(folder.id).path.exists()


def test_the_other_stages_keep_the_settings_of_their_last_run(
    folder: MeetingFolder, store: Store, calls: list[str]
) -> None:
    reindex(folder, store, asked(3), stage="diarization")
    reindex(folder, store, Config.model_validate({"asr": {"language": "zh"}}), stage="asr")
    assert calls == ["diarization", "asr"]
    assert (speakers(folder), "budget-zh" in text(folder)) == (3, True)
    # What comes before runs anew, and what follows it does so as it did last time.
    reindex(folder, store, Config.model_validate({"preprocess": {"max_hours": 1.0}}), stage="preprocess")
    assert calls == ["diarization", "asr"]
    (folder.path / "vad.json").unlink()
    reindex(folder, store, Config(), stage="vad")
    assert (speakers(folder), "budget-zh" in text(folder)) == (3, True)


def test_a_result_that_is_the_same_makes_nothing_else_run(folder: MeetingFolder, store: Store) -> None:
    before = files(folder)
    result = reindex(folder, store, asked(2), stage="diarization")
    assert [name for name in result.stages if name not in result.reused] == ["diarization"]
    after = files(folder)
    assert {name for name in before | after if before.get(name) != after.get(name)} == {"manifest.json"}


def test_the_meeting_is_open_while_a_stage_runs_again(
    folder: MeetingFolder, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def look(stage: str, share: float) -> None:
        assert store.load(folder.id).meeting.title == "standup"
        seen.append(speakers(folder))

    reindex(folder, store, asked(3), stage="diarization", progress=look)
    assert set(seen) == {2}
    assert speakers(folder) == 3


@pytest.mark.parametrize("error", [ModelError("the weights are gone"), ZeroDivisionError(), CancelledError()])
def test_whatever_goes_wrong_leaves_the_meeting_as_it_was(
    folder: MeetingFolder, store: Store, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    before = files(folder)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(linking, "graph", fail)
    with pytest.raises(type(error)):
        reindex(folder, store, asked(3), stage="diarization")
    assert files(folder) == before
    assert store.load(folder.id).meeting.title == "standup"


def test_another_try_goes_on_with_what_the_first_has_finished(
    folder: MeetingFolder, store: Store, monkeypatch: pytest.MonkeyPatch, calls: list[str]
) -> None:
    with pytest.raises(CancelledError):
        reindex(folder, store, asked(3), stage="diarization", cancelled=lambda: calls == ["diarization"])
    reindex(folder, store, asked(3), stage="diarization")
    assert calls == ["diarization"]
    assert speakers(folder) == 3


def test_work_on_a_meeting_that_has_changed_since_is_not_used(
    folder: MeetingFolder, store: Store, calls: list[str]
) -> None:
    with pytest.raises(CancelledError):
        reindex(folder, store, asked(3), stage="diarization", cancelled=lambda: calls == ["diarization"])
    left = store.workbench(folder.id).path
    aside = left.with_name("aside")
    shutil.copytree(left, aside)
    reindex(folder, store, asked(4), stage="diarization")
    shutil.move(aside, left)
    reindex(folder, store, Config(), stage="graph")
    assert speakers(folder) == 4


def test_a_kill_while_files_are_moved_is_made_good_by_the_next_run(
    folder: MeetingFolder, store: Store, monkeypatch: pytest.MonkeyPatch, calls: list[str]
) -> None:
    moved: list[str] = []
    move = os.replace

    def die_at_the_third(source: Path, target: Path) -> None:
        if (Path(source).parent, Path(target).parent) == (store.workbench(folder.id).path, folder.path):
            moved.append(Path(target).name)
        if len(moved) == 3:
            raise KeyboardInterrupt
        move(source, target)

    with monkeypatch.context() as patch:
        patch.setattr("grga.workbench.os.replace", die_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            reindex(folder, store, asked(3), stage="diarization")
    assert not folder.read_manifest().finished  # and so nobody reads a mixture
    with workbench.working_on(folder, store):
        pass
    assert calls == ["diarization"]
    assert store.load(folder.id).meeting.title == "standup"
    assert speakers(folder) == 3


def test_names_given_while_a_stage_runs_are_kept(folder: MeetingFolder, store: Store) -> None:
    def name(stage: str, share: float) -> None:
        if stage == "graph" and share == 0.0:
            folder.rename_speaker("S1", "Rosa")

    reindex(folder, store, asked(3), stage="diarization", progress=name)
    assert {speaker.id: speaker.name for speaker in folder.read_meeting().speakers}["S1"] == "Rosa"


def test_what_cannot_be_run_again_is_refused(folder: MeetingFolder, store: Store) -> None:
    with pytest.raises(StoreError, match=r"has no stage 'cooking' \(expected preprocess, vad, asr"):
        reindex(folder, store, Config(), stage="cooking")
    with folder.alone(), pytest.raises(StoreError, match="is being indexed"):
        reindex(folder, store, Config(), stage="graph")
    manifest = folder.read_manifest()
    manifest.finished = False
    folder.write_manifest(manifest)
    with pytest.raises(StoreError, match="not fully indexed"):
        reindex(folder, store, Config(), stage="graph")


def test_an_imported_transcript_keeps_its_words(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "autumn.srt"
    file.write_text("1\n00:00:01,000 --> 00:00:04,000\nRosa: The lights are two hundred more.\n")
    folder = store.folder(import_transcript(file, store, Config()).meeting)
    assert "utterances" not in stages_to_repeat(folder.read_manifest())
    result = reindex(folder, store, Config.model_validate({"graph": {"reply_window": 1.0}}), stage="graph")
    assert [name for name in result.stages if name not in result.reused] == ["graph"]
    assert text(folder) == "The lights are two hundred more."


@pytest.mark.parametrize(
    ("stage", "function", "left"),
    [
        ("alignment", "align", (2, True)),
        ("diarization", "diarize", (1, True)),
        ("emotion", "feel", (2, True)),
        ("acoustics", "measure", (2, False)),
    ],
)
def test_a_failed_stage_that_a_meeting_can_do_without_keeps_the_rest(
    store: Store,
    recording: Path,
    calls: list[str],
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
    function: str,
    left: tuple[int, bool],
) -> None:
    def fail(*_: object) -> None:
        raise ModelError("the weights are gone", fix="install them")

    with monkeypatch.context() as patch:
        patch.setattr(hearing, function, fail)
        result = index_recording(recording, store, Config())
    folder = store.folder(result.meeting)
    loaded = store.load(result.meeting).meeting
    assert result.failed == {stage: "the weights are gone: install them"}
    assert (speakers(folder), loaded.utterances[0].acoustics is not None) == left
    assert "budget-en" in text(folder)

    again = reindex(folder, store, Config(), stage=stage)

    assert again.failed == {}
    assert speakers(folder) == 2
    assert folder.read_meeting().utterances[0].acoustics is not None


def test_a_bug_in_such_a_stage_is_told_without_its_traceback(
    store: Store, recording: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(hearing, "measure", fail)
    result = index_recording(recording, store, Config())
    assert result.failed == {
        "acoustics": "something went wrong inside GRGA; the server's log has the details"
    }


def test_the_same_recording_with_other_settings_is_open_meanwhile_too(
    folder: MeetingFolder, store: Store, recording: Path, calls: list[str]
) -> None:
    seen: list[bool] = []
    result = index_recording(
        recording, store, asked(3), progress=lambda stage, share: seen.append(folder.read_manifest().finished)
    )
    assert result.meeting == folder.id
    assert set(seen) == {True}
    assert (calls, speakers(folder)) == (["diarization"], 3)


def test_deleting_a_meeting_removes_its_workbench(folder: MeetingFolder, store: Store) -> None:
    def stop(stage: str, share: float) -> None:
        if stage == "graph":
            raise GrgaError("stop")

    with pytest.raises(GrgaError):
        reindex(folder, store, asked(3), stage="diarization", progress=stop)
    assert store.workbench(folder.id).path.exists()
    store.delete(folder.id)
    assert not store.workbench(folder.id).path.exists()


def test_a_file_system_without_links_gets_copies(
    folder: MeetingFolder, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr("grga.workbench.os.link", refuse)
    reindex(folder, store, asked(3), stage="diarization")
    assert speakers(folder) == 3

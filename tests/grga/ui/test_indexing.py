"""The work of real jobs: the same file twice, settings that differ, a stage that fails and runs again."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grga import hearing
from grga.config import Config
from grga.errors import ModelError
from grga.jobs import Job, JobNote, JobState
from grga.ui.indexing import plan
from grga.ui.services import Services

SOON = 60.0


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    made = Services.open(Config(home=tmp_path / "home"))
    yield made
    made.jobs.close()


def recording(folder: Path, name: str, seconds: int = 4) -> tuple[str, Path]:
    """A quiet recording: every stage runs, and quickly."""
    path = folder / name
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(np.zeros(16_000 * seconds, np.int16).tobytes())
    return name, path


def ended(services: Services, job: Job) -> Job:
    assert job.id is not None
    return services.jobs.wait(job.id, SOON)


def test_two_waiting_jobs_with_one_file_make_one_meeting(services: Services, tmp_path: Path) -> None:
    first = services.jobs.submit([recording(tmp_path, "standup.wav")], {"title": "standup"}, visitor="Ann")
    second = services.jobs.submit([recording(tmp_path, "copy.wav")], {"title": "copy"}, visitor="Bea")
    services.jobs.start()
    made, again = ended(services, first), ended(services, second)
    assert (made.state, again.state, again.meeting) == (JobState.DONE, JobState.DONE, made.meeting)
    assert again.said() == (JobNote("duplicate", "standup"),)
    assert [meeting.title for meeting in services.meetings()] == ["standup"]
    assert (services.store.folder(made.meeting or "").path / "original.wav").is_file()
    # Now it is known at once.
    third = services.jobs.submit([recording(tmp_path, "third.wav")])
    assert (third.state, third.meeting) == (JobState.DONE, made.meeting)


def test_other_speakers_or_another_language_are_no_duplicate(services: Services, tmp_path: Path) -> None:
    services.jobs.start()
    made = ended(services, services.jobs.submit([recording(tmp_path, "standup.wav")]))
    asked = ended(services, services.jobs.submit([recording(tmp_path, "b.wav")], {"speakers": 3}))
    assert (asked.meeting, asked.state) == (made.meeting, JobState.DONE)
    assert "duplicate" not in {note.kind for note in asked.said()}
    manifest = services.store.folder(made.meeting or "").read_manifest()
    assert manifest.stages["diarization"].details["asked"] == [3, 3]
    same = services.jobs.submit([recording(tmp_path, "c.wav")], {"speakers": 3})
    assert same.said()[0].kind == "duplicate"
    unasked = services.jobs.submit([recording(tmp_path, "d.wav")])
    assert unasked.said()[0].kind == "duplicate"


def test_the_same_transcript_is_noticed(services: Services, tmp_path: Path) -> None:
    services.jobs.start()
    jobs = []
    for name in ("a.srt", "b.srt"):
        file = tmp_path / name
        file.write_text("1\n00:00:01,000 --> 00:00:04,000\nRosa: The lights are two hundred more.\n")
        jobs.append(ended(services, services.jobs.submit([(name, file)])))
    assert jobs[0].meeting == jobs[1].meeting
    assert [note.kind for note in jobs[1].said()] == ["duplicate"]


def test_a_stage_that_failed_is_told_and_runs_again(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ModelError("the weights are gone")

    services.jobs.start()
    with monkeypatch.context() as patch:
        patch.setattr(hearing, "diarize", fail)
        job = ended(services, services.jobs.submit([recording(tmp_path, "standup.wav")]))
    assert job.said()[0] == JobNote("failed", "the weights are gone", "diarization")
    again = ended(services, services.jobs.rerun(job.meeting or "", "standup", "diarization"))
    assert (again.state, again.percent) == (JobState.DONE, 100.0)
    assert "failed" not in {note.kind for note in again.said()}
    assert services.store.folder(job.meeting or "").read_manifest().stages["diarization"].failed == ""


@pytest.mark.parametrize(
    ("names", "first"),
    [(["a.wav"], "preprocess"), (["a.srt"], "utterances"), (["a.wav", "a.srt"], "preprocess")],
)
def test_the_stages_are_known_beforehand(names: list[str], first: str) -> None:
    stages = plan([Path(name) for name in names])
    assert (stages[0], stages[-1]) == (first, "index")
    assert ("asr" in stages) == (names == ["a.wav"])

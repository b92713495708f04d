"""Jobs survive restarts, end in one clear state, and never wait on a clock in these tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlmodel import Session

from grga.db import open_database
from grga.errors import AudioError, JobError
from grga.jobs import Job, JobNote, JobQueue, JobState, Outcome, Report, safe_name
from grga.stages import CancelledError

SOON = 10.0


@dataclass
class Script:
    """Work that does what a test tells it: report, wait for a go, then end as asked."""

    go: Event = field(default_factory=Event)
    begun: Event = field(default_factory=Event)
    seen: list[list[str]] = field(default_factory=list)
    options: list[Mapping[str, Any]] = field(default_factory=list)
    raises: Exception | None = None
    notes: tuple[JobNote, ...] = ()

    def __call__(
        self, files: list[Path], options: Mapping[str, Any], report: Report, cancelled: Callable[[], bool]
    ) -> Outcome:
        self.seen.append([file.name for file in files])
        self.options.append(options)
        report("asr", 0.25)
        self.begun.set()
        self.go.wait(SOON)
        if cancelled():
            raise CancelledError
        if self.raises is not None:
            raise self.raises
        return Outcome("standup-1234", self.notes)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def queue(tmp_path: Path, script: Script) -> Iterator[JobQueue]:
    made = JobQueue(open_database(tmp_path), tmp_path / "uploads", script)
    yield made
    script.go.set()
    made.close()


@pytest.fixture
def upload(tmp_path: Path) -> Callable[[str], tuple[str, Path]]:
    def make(name: str) -> tuple[str, Path]:
        path = tmp_path / f"cache-{name}"
        path.write_bytes(b"sound")
        return name, path

    return make


Upload = Callable[[str], tuple[str, Path]]


def finish(queue: JobQueue, job: Job) -> Job:
    assert job.id is not None
    return queue.wait(job.id, SOON)


def test_a_job_runs_to_its_meeting_and_its_upload_is_removed(
    queue: JobQueue, script: Script, upload: Upload, tmp_path: Path
) -> None:
    name, path = upload("standup.flac")
    job = queue.submit([(name, path)], {"speakers": 3})
    assert (job.state, job.title) == (JobState.QUEUED, "standup.flac")
    assert not path.exists()
    script.go.set()
    queue.start()

    done = finish(queue, job)

    assert (done.state, done.percent, done.meeting, done.error) == (JobState.DONE, 100.0, "standup-1234", "")
    assert script.seen == [["standup.flac"]]
    assert script.options == [{"speakers": 3}]
    assert done.created <= (done.started or done.created) <= (done.finished or done.created)
    assert not (tmp_path / "uploads" / job.folder).exists()


def test_a_running_job_shows_stage_and_percent(queue: JobQueue, script: Script, upload: Upload) -> None:
    job = queue.submit([upload("a.wav")])
    queue.start()
    assert script.begun.wait(SOON)

    running = queue.jobs()[0]

    assert (running.id, running.state, running.stage, running.percent) == (
        job.id,
        JobState.RUNNING,
        "asr",
        25.0,
    )


def test_the_time_left_is_counted_from_the_work_of_this_run(tmp_path: Path, upload: Upload) -> None:
    now = 0.0
    left: list[float | None] = []

    def work(
        files: list[Path], options: Mapping[str, Any], report: Report, cancelled: Callable[[], bool]
    ) -> Outcome:
        nonlocal now
        for seconds, stage, share in [
            (0.0, "preprocess", 0.0),
            (0.1, "preprocess", 0.2),  # finished by an earlier run
            (0.1, "asr", 0.2),
            (2.0, "asr", 0.3),  # too early to tell
            (8.0, "asr", 0.6),
            (0.0, "asr", 0.605),  # not worth a write
        ]:
            now += seconds
            report(stage, share)
            left.append(queue.jobs()[0].seconds_left)
        return Outcome("m")

    queue = JobQueue(open_database(tmp_path), tmp_path / "uploads", work, clock=lambda: now)
    queue.start()
    assert finish(queue, queue.submit([upload("a.wav")])).state == JobState.DONE
    queue.close()
    assert left == [None, None, None, None, 10.0, 10.0]


def test_jobs_run_in_the_order_they_came(queue: JobQueue, script: Script, upload: Upload) -> None:
    jobs = [queue.submit([upload(name)]) for name in ("first.wav", "second.wav", "third.wav")]
    script.go.set()
    queue.start()
    finish(queue, jobs[-1])
    assert script.seen == [["first.wav"], ["second.wav"], ["third.wav"]]


def test_a_failure_is_one_sentence_and_keeps_the_upload_for_another_try(
    queue: JobQueue, script: Script, upload: Upload
) -> None:
    script.raises = AudioError("notes.pdf holds no sound", fix="upload a recording")
    script.go.set()
    job = queue.submit([upload("notes.pdf")])
    queue.start()
    failed = finish(queue, job)
    assert (failed.state, failed.error) == (JobState.FAILED, "notes.pdf holds no sound: upload a recording")

    script.raises = None
    assert job.id is not None
    queue.retry(job.id)

    assert finish(queue, job).state == JobState.DONE
    assert script.seen == [["notes.pdf"], ["notes.pdf"]]


def test_a_bug_ends_the_job_without_a_traceback_and_the_next_job_runs(
    queue: JobQueue, script: Script, upload: Upload
) -> None:
    script.raises = ZeroDivisionError("division by zero")
    script.go.set()
    broken = queue.submit([upload("a.wav")])
    queue.start()
    failed = finish(queue, broken)
    assert failed.state == JobState.FAILED
    assert "division" not in failed.error
    script.raises = None
    assert finish(queue, queue.submit([upload("b.wav")])).state == JobState.DONE


def test_a_waiting_job_is_cancelled_at_once(queue: JobQueue, script: Script, upload: Upload) -> None:
    queue.submit([upload("first.wav")])
    waiting = queue.submit([upload("second.wav")])
    queue.start()
    assert script.begun.wait(SOON)
    assert waiting.id is not None

    queue.cancel(waiting.id)

    assert queue.job(waiting.id).state == JobState.CANCELLED
    assert script.seen == [["first.wav"]]


def test_a_running_job_stops_after_its_present_step(queue: JobQueue, script: Script, upload: Upload) -> None:
    job = queue.submit([upload("first.wav")])
    queue.start()
    assert script.begun.wait(SOON)
    assert job.id is not None

    queue.cancel(job.id)
    assert queue.job(job.id).stage == "stopping"
    script.go.set()

    assert finish(queue, job).state == JobState.CANCELLED


def test_after_a_crash_the_running_job_goes_on(tmp_path: Path, script: Script, upload: Upload) -> None:
    engine = open_database(tmp_path)
    dead = JobQueue(engine, tmp_path / "uploads", script)
    job = dead.submit([upload("long.mp4")])
    with Session(engine) as session:  # what a killed process leaves behind
        row = session.get_one(Job, job.id)
        row.state, row.percent, row.stage = JobState.RUNNING, 61.0, "asr"
        session.add(row)
        session.commit()

    script.go.set()
    restarted = JobQueue(open_database(tmp_path), tmp_path / "uploads", script)
    restarted.start()

    assert finish(restarted, job).state == JobState.DONE
    assert script.seen == [["long.mp4"]]
    restarted.close()


def test_closing_puts_the_running_job_back_into_the_queue(
    tmp_path: Path, script: Script, upload: Upload
) -> None:
    queue = JobQueue(open_database(tmp_path), tmp_path / "uploads", script)
    job = queue.submit([upload("long.mp4")])
    queue.start()
    assert script.begun.wait(SOON)
    queue._stop.set()
    queue._closing = True
    script.go.set()
    queue.close()
    assert job.id is not None
    assert queue.job(job.id).state == JobState.QUEUED


def test_only_what_makes_sense_can_be_asked(queue: JobQueue, script: Script, upload: Upload) -> None:
    script.go.set()
    job = queue.submit([upload("a.wav")])
    queue.start()
    finish(queue, job)
    assert job.id is not None
    with pytest.raises(JobError, match="already ended"):
        queue.cancel(job.id)
    with pytest.raises(JobError, match="cannot be run again"):
        queue.retry(job.id)
    with pytest.raises(JobError, match="there is no job 99"):
        queue.cancel(99)
    queue.forget(job.id)
    assert queue.jobs() == []


def test_a_vanished_upload_is_refused(queue: JobQueue, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="upload it again"):
        queue.submit([("gone.wav", tmp_path / "gone.wav")])
    assert queue.jobs() == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("meeting 1.flac", "meeting 1.flac"),
        ("../../etc/passwd", "passwd"),
        ("C:\\talks\\a.wav", "a.wav"),
        ("会议<1>.mp3", "会议_1_.mp3"),
        ("..", "file"),
        ("x" * 300 + ".wav", "x" * 100 + ".wav"),
    ],
)
def test_file_names_are_made_harmless(given: str, kept: str) -> None:
    assert safe_name(given) == kept


# --- visitors in turn -----------------------------------------------------------------------------


def run_all(queue: JobQueue, script: Script, *jobs: Job) -> list[str]:
    script.go.set()
    queue.start()
    for job in jobs:
        assert finish(queue, job).state == JobState.DONE
    return [name for (name,) in script.seen]


def test_a_visitor_with_many_files_does_not_keep_another_one_waiting(
    queue: JobQueue, script: Script, upload: Upload
) -> None:
    many = [queue.submit([upload(f"a{n}.wav")], visitor="Ann") for n in range(3)]
    few = [queue.submit([upload(f"b{n}.wav")], visitor="Bea") for n in range(2)]
    assert run_all(queue, script, *many, *few) == ["a0.wav", "b0.wav", "a1.wav", "b1.wav", "a2.wav"]


def test_who_was_served_longest_ago_goes_first(queue: JobQueue, script: Script, upload: Upload) -> None:
    first = queue.submit([upload("a0.wav")], visitor="Ann")
    run_all(queue, script, first)
    script.go.clear()
    running = queue.submit([upload("b0.wav")], visitor="Bea")
    assert script.begun.wait(SOON)
    waiting = [queue.submit([upload(f"{who}1.wav".lower())], visitor=who) for who in ("Bea", "Ann", "Cleo")]
    script.go.set()
    for job in [running, *waiting]:
        finish(queue, job)
    assert [name for (name,) in script.seen][2:] == ["cleo1.wav", "ann1.wav", "bea1.wav"]


def test_a_waiting_job_knows_how_many_go_before_it(queue: JobQueue, script: Script, upload: Upload) -> None:
    queue.submit([upload("now.wav")], visitor="Ann")
    queue.start()
    assert script.begun.wait(SOON)
    ann = [queue.submit([upload(f"a{n}.wav")], visitor="Ann") for n in range(2)]
    bea = queue.submit([upload("b.wav")], visitor="Bea")
    before = queue.before()
    assert [before[job.id or 0] for job in (bea, *ann)] == [1, 2, 3]


def test_visitors_see_and_steer_only_their_own_jobs(queue: JobQueue, upload: Upload) -> None:
    own = queue.submit([upload("own.wav")], visitor="Ann")
    queue.submit([upload("other.wav")], visitor="Bea")
    queue.submit([upload("server.wav")])
    assert [job.title for job in queue.jobs(visitor="Ann")] == ["server.wav", "own.wav"]
    assert len(queue.jobs()) == 3
    assert own.id is not None
    for steer in (queue.cancel, queue.retry, queue.forget):
        with pytest.raises(JobError, match=f"there is no job {own.id}"):
            steer(own.id, "Bea")
    queue.cancel(own.id, "Ann")
    assert queue.job(own.id).state == JobState.CANCELLED


# --- the same file twice --------------------------------------------------------------------------


@dataclass
class Shelf:
    """Knows one file by its content, once it is there."""

    there: bool = True

    def __call__(self, files: list[Path], options: Mapping[str, Any]) -> Outcome | None:
        if not self.there or files[0].read_bytes() != b"sound":
            return None
        return Outcome("standup-1234", (JobNote("duplicate", "Stand-up"),))


def test_a_file_that_is_here_already_ends_its_job_at_once(
    tmp_path: Path, script: Script, upload: Upload
) -> None:
    queue = JobQueue(open_database(tmp_path), tmp_path / "uploads", script, Shelf())
    name, path = upload("again.flac")
    job = queue.submit([(name, path)], visitor="Ann")
    assert (job.state, job.meeting, job.percent) == (JobState.DONE, "standup-1234", 100.0)
    assert job.said() == (JobNote("duplicate", "Stand-up"),)
    assert not path.exists()
    assert script.seen == []


def test_a_large_file_is_not_read_while_the_person_waits(
    tmp_path: Path, script: Script, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grga.jobs.queue.HASHED_AT_ONCE", 4)
    queue = JobQueue(open_database(tmp_path), tmp_path / "uploads", script, Shelf())
    assert queue.submit([upload("large.flac")]).state == JobState.QUEUED


def test_what_there_is_to_know_about_a_job_is_kept(queue: JobQueue, script: Script, upload: Upload) -> None:
    script.notes = (JobNote("failed", "the weights are gone", "diarization"), JobNote("note", "two channels"))
    job = queue.submit([upload("a.wav")], stages=("asr", "graph"))
    assert job.plan() == ("asr", "graph")
    run_all(queue, script, job)
    assert queue.jobs()[0].said() == script.notes


# --- one stage again ------------------------------------------------------------------------------


def test_one_stage_of_a_meeting_is_a_job_without_files(queue: JobQueue, script: Script) -> None:
    job = queue.rerun("standup-1234", "Stand-up", "diarization", {"speakers": 4}, visitor="Ann")
    assert (job.kind, job.title, job.meeting) == ("rerun", "Stand-up", "standup-1234")
    script.raises = AudioError("no sound")
    script.go.set()
    queue.start()
    assert finish(queue, job).state == JobState.FAILED
    assert script.options == [{"speakers": 4, "meeting": "standup-1234", "stage": "diarization"}]
    script.raises = None
    assert job.id is not None
    queue.retry(job.id, "Ann")
    assert finish(queue, job).state == JobState.DONE


def test_every_change_has_its_number(queue: JobQueue, script: Script, upload: Upload) -> None:
    seen = [queue.revision]
    job = queue.submit([upload("a.wav")])
    seen.append(queue.revision)
    run_all(queue, script, job)
    seen.append(queue.revision)
    assert seen == sorted(set(seen))
    assert queue.jobs()
    assert queue.revision == seen[-1]

"""Durable background jobs: rows in the database, one worker thread, first come, first served.

A job lives as long as its row. The thread takes the oldest queued row, runs the work function and
writes down what it reports; page reloads and second windows read the same rows. After a crash the
row still says "running", so the next start queues it again and the work goes on from what it saved.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Any

from sqlalchemy import Engine
from sqlmodel import Field, Session, SQLModel, col, select

from grga.db import writing
from grga.errors import GrgaError, JobError
from grga.stages import CancelledError

log = logging.getLogger("grga.jobs")


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


SKIPPED_SECONDS = 0.5
"""A stage faster than this was finished before, or costs nothing."""
SURE_SECONDS, SURE_PERCENT = 3.0, 3.0
"""An estimate of the time left needs at least this much to go by."""

UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


class Job(SQLModel, table=True):
    """One piece of background work.

    Attributes:
        title: What people call it: the name of the file as given.
        folder: Name of its folder below ``home/uploads``, gone once it is done.
        options: JSON object handed to the work function.
        stage: What is being done now, in the work function's words.
        percent: 0..100 over all stages; never falls while it runs.
        seconds_left: An estimate, None when there is nothing to estimate from.
        error: One sentence, only when failed.
        place: Position in the queue; a retried job goes to its end.
        meeting: Id of the meeting it made.
        visitor: Who handed it in; empty for nobody in particular.
        kind: "index", or "rerun" for one stage of a meeting that is there already.
        stages: JSON list of the stages it goes through, in order.
        notes: JSON list of what there is to say beside an error, see :class:`JobNote`.
    """

    __tablename__ = "jobs"

    id: int | None = Field(default=None, primary_key=True)
    title: str
    folder: str
    options: str = "{}"
    state: JobState = Field(default=JobState.QUEUED, index=True)
    stage: str = ""
    percent: float = 0.0
    seconds_left: float | None = None
    error: str = ""
    place: float = 0.0
    created: datetime
    started: datetime | None = None
    finished: datetime | None = None
    meeting: str | None = None
    visitor: str = Field(default="", index=True)
    kind: str = "index"
    stages: str = "[]"
    notes: str = "[]"

    @property
    def unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in UNFINISHED


Report = Callable[[str, float], None]
"""Called by the work with the present stage and the finished share 0..1 of the whole."""

Work = Callable[[list[Path], Mapping[str, Any], Report, Callable[[], bool]], str]
"""Takes the source files, the options, ``report`` and ``cancelled``; returns the meeting's id."""


class JobQueue:
    """Takes jobs, runs them one after the other in its own thread, and answers about them.

    Args:
        engine: From :func:`grga.db.open_database`.
        uploads: Folder that holds each job's source files until it is done.
        work: What a job does. It raises ``CancelledError`` when it stopped on request.
        clock: Seconds that only ever grow; for the time left.
    """

    def __init__(
        self, engine: Engine, uploads: Path, work: Work, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.clock = clock
        self._engine = engine
        self._uploads = uploads
        self._work = work
        self._changed = Condition()
        self._closing = False
        self._running: int | None = None
        self._stop = Event()
        self._thread: Thread | None = None

    # --- for everybody ---------------------------------------------------------------------------

    def start(self) -> None:
        """Queue again what a crash left running, and begin to work."""
        with writing(self._engine) as session:
            for job in session.exec(select(Job).where(Job.state == JobState.RUNNING)):
                job.state, job.seconds_left = JobState.QUEUED, None
                session.add(job)
        self._thread = Thread(target=self._loop, name="jobs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the present step; an interrupted job is queued for the next start."""
        with self._changed:
            self._closing = True
            self._stop.set()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def submit(self, sources: list[tuple[str, Path]], options: Mapping[str, Any] | None = None) -> Job:
        """Move the files into the job's own folder and queue it.

        Args:
            sources: Shown name and path of each file; the first one names the job.
            options: JSON-able settings for the work function.

        Raises:
            JobError: no file, or one that is gone.
        """
        if not sources or not all(path.is_file() for _, path in sources):
            raise JobError("the uploaded file is no longer there", fix="upload it again")
        now = datetime.now(UTC)
        job = Job(
            title=sources[0][0],
            folder="",
            options=json.dumps(dict(options or {})),
            created=now,
            place=now.timestamp(),
        )
        # The row comes first, unqueued, so that its id can name the folder.
        job.state = JobState.CANCELLED
        with writing(self._engine) as session:
            session.add(job)
        assert job.id is not None
        folder = self._uploads / str(job.id)
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in sources:
            shutil.move(path, folder / safe_name(name))
        self._update(job.id, folder=folder.name, state=JobState.QUEUED)
        self._notify()
        return self.job(job.id)

    def jobs(self, limit: int = 50) -> list[Job]:
        """Return the latest jobs, newest first."""
        with self._session() as session:
            return list(session.exec(select(Job).order_by(col(Job.id).desc()).limit(limit)))

    def job(self, job_id: int) -> Job:
        """Return one job.

        Raises:
            JobError: there is none with this id.
        """
        with self._session() as session:
            found = session.get(Job, job_id)
        if found is None:
            raise JobError(f"there is no job {job_id}", fix="reload the page")
        return found

    def cancel(self, job_id: int) -> None:
        """Take a queued job out, or ask the running one to stop after its present step.

        Raises:
            JobError: there is no such job, or it has ended already.
        """
        with self._changed:
            job = self.job(job_id)
            if not job.unfinished:
                raise JobError(f"the job {job.title!r} has already ended", found=job.state.value)
            if self._running == job_id:
                self._stop.set()
                self._update(job_id, stage="stopping", seconds_left=None)
            else:
                self._update(job_id, state=JobState.CANCELLED, finished=datetime.now(UTC))
            self._changed.notify_all()

    def retry(self, job_id: int) -> None:
        """Queue a failed or cancelled job again, at the end; its finished stages are kept.

        Raises:
            JobError: there is no such job, it is not failed or cancelled, or its files are gone.
        """
        with self._changed:
            job = self.job(job_id)
            if job.state not in (JobState.FAILED, JobState.CANCELLED):
                raise JobError(f"the job {job.title!r} cannot be run again", found=job.state.value)
            if not self._files(job):
                raise JobError(f"the files of {job.title!r} are gone", fix="upload them again")
            self._update(
                job_id,
                state=JobState.QUEUED,
                stage="",
                percent=0.0,
                seconds_left=None,
                error="",
                finished=None,
                place=datetime.now(UTC).timestamp(),
            )
            self._changed.notify_all()

    def forget(self, job_id: int) -> None:
        """Remove an ended job and its files.

        Raises:
            JobError: there is no such job, or it has not ended.
        """
        with self._changed:
            job = self.job(job_id)
            if job.unfinished:
                raise JobError(f"the job {job.title!r} has not ended", fix="cancel it first")
            with writing(self._engine) as session:
                session.delete(session.get_one(Job, job_id))
            self._drop_files(job)

    def wait(self, job_id: int, timeout: float) -> Job:
        """Return the job once it has ended, or as it is after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while self.job(job_id).unfinished and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
        return self.job(job_id)

    # --- in the worker thread --------------------------------------------------------------------

    def _loop(self) -> None:
        while (job := self._next()) is not None:
            self._run(job)
            with self._changed:
                self._running = None
                self._changed.notify_all()

    def _next(self) -> Job | None:
        """Wait for a queued job and mark it running; None when closing."""
        with self._changed:
            while not self._closing:
                with self._session() as session:
                    queued = select(Job).where(Job.state == JobState.QUEUED)
                    job = session.exec(queued.order_by(col(Job.place), col(Job.id))).first()
                if job is not None and job.id is not None:
                    self._stop.clear()
                    self._running = job.id
                    self._update(job.id, state=JobState.RUNNING, started=datetime.now(UTC))
                    return job
                self._changed.wait()
        return None

    def _run(self, job: Job) -> None:
        assert job.id is not None
        try:
            meeting = self._work(
                self._files(job), json.loads(job.options), _Reporter(self, job.id), self._stop.is_set
            )
        except CancelledError:
            if self._closing:
                self._end(job.id, JobState.QUEUED)
            else:
                self._end(job.id, JobState.CANCELLED)
        except GrgaError as error:
            self._end(job.id, JobState.FAILED, error=str(error))
        except Exception:  # a bug of ours must end the job, not the thread
            log.exception("job %s (%s) failed", job.id, job.title)
            sentence = "something went wrong inside GRGA; the server's log has the details"
            self._end(job.id, JobState.FAILED, error=sentence)
        else:
            self._end(job.id, JobState.DONE, percent=100.0, stage="", meeting=meeting)
            self._drop_files(job)

    def _end(self, job_id: int, state: JobState, **values: Any) -> None:
        finished = None if state == JobState.QUEUED else datetime.now(UTC)
        self._update(job_id, state=state, seconds_left=None, finished=finished, **values)

    # --- helpers ---------------------------------------------------------------------------------

    def _session(self) -> Session:
        return Session(self._engine, expire_on_commit=False)

    def _update(self, job_id: int, **values: Any) -> None:
        with writing(self._engine) as session:
            job = session.get_one(Job, job_id)
            for name, value in values.items():
                setattr(job, name, value)
            session.add(job)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _files(self, job: Job) -> list[Path]:
        folder = self._uploads / job.folder
        return sorted(folder.iterdir()) if job.folder and folder.is_dir() else []

    def _drop_files(self, job: Job) -> None:
        if job.folder:
            shutil.rmtree(self._uploads / job.folder, ignore_errors=True)


class _Reporter:
    """Writes progress down, at most once per percent, and estimates the time left.

    Stages that an earlier run has finished fly by; the estimate counts from after them.
    """

    def __init__(self, queue: JobQueue, job_id: int) -> None:
        self._queue = queue
        self._job_id = job_id
        self._last = ("", -1.0)
        self._stage_began = self._began = queue.clock()
        self._first = 0.0

    def __call__(self, stage: str, share: float) -> None:
        if self._queue._stop.is_set():
            return  # the row says "stopping" until it has stopped
        now, percent = self._queue.clock(), max(100.0 * min(share, 1.0), self._last[1])
        if stage != self._last[0]:
            if now - self._stage_began < SKIPPED_SECONDS:
                self._began, self._first = now, percent
            self._stage_began = now
        elif percent - self._last[1] < 1.0:
            return
        self._last = (stage, percent)
        elapsed, done = now - self._began, percent - self._first
        sure = elapsed >= SURE_SECONDS and done >= SURE_PERCENT
        left = elapsed * (100.0 - percent) / done if sure else None
        self._queue._update(self._job_id, stage=stage, percent=percent, seconds_left=left)


def safe_name(name: str) -> str:
    """Return ``name`` without folders and without characters that file systems refuse."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    clean = re.sub(r"[^\w. ()\[\]-]+", "_", base).strip(". ")
    stem, dot, suffix = clean.rpartition(".")
    return f"{stem[:100]}{dot}{suffix[:16]}" if stem else clean[:100] or "file"

"""The queue: takes jobs, runs them one after the other in a thread of its own, answers about them."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Any

from sqlalchemy import Engine, func
from sqlmodel import Session, col, select

from grga.db import writing
from grga.errors import GrgaError, JobError
from grga.jobs.files import JobFiles
from grga.jobs.progress import Reporter
from grga.jobs.table import Job, JobState, Outcome, dump_notes
from grga.jobs.turns import in_turn
from grga.stages import INSIDE, CancelledError

log = logging.getLogger("grga.jobs")

STOPPING = "stopping"
"""Stage of a running job that was asked to stop."""
HASHED_AT_ONCE = 50 * 1024**2
"""Bytes that are read while the person waits, to find out whether a file is here already."""

Report = Callable[[str, float], None]
"""Called by the work with the present stage and the finished share 0..1 of the whole."""

Work = Callable[[list[Path], Mapping[str, Any], Report, Callable[[], bool]], Outcome]
"""Takes the source files, the options, ``report`` and ``cancelled``."""

Known = Callable[[list[Path], Mapping[str, Any]], Outcome | None]
"""Returns the meeting that a job with these files and options would make once more, else None."""


class JobQueue:
    """Takes jobs, runs them one after the other, and answers about them.

    Args:
        engine: From :func:`grga.db.open_database`.
        uploads: Folder that holds each job's source files until it is done.
        work: What a job does. It raises ``CancelledError`` when it stopped on request.
        known: Asked about small files when they are handed in; the work asks about the others.
        clock: Seconds that only ever grow; for the time left.
    """

    def __init__(
        self,
        engine: Engine,
        uploads: Path,
        work: Work,
        known: Known = lambda files, options: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.revision = 0
        """Another number after every change: who has seen it need not ask again."""
        self._engine = engine
        self._files = JobFiles(uploads)
        self._work = work
        self._known = known
        self._clock = clock
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
                # Its visitor has not had this turn.
                job.state, job.started, job.seconds_left = JobState.QUEUED, None, None
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

    def submit(
        self,
        sources: Sequence[tuple[str, Path]],
        options: Mapping[str, Any] | None = None,
        *,
        visitor: str = "",
        stages: Sequence[str] = (),
    ) -> Job:
        """Move the files into the job's own folder and queue it.

        A file that has become a meeting already ends the job at once, with a note.

        Args:
            sources: Shown name and path of each file; the first one names the job.
            options: JSON-able settings for the work function.
            visitor: Who hands it in.
            stages: What it will go through, for people to see.

        Raises:
            JobError: no file, or one that is gone.
        """
        paths = [path for _, path in sources]
        if not paths or not all(path.is_file() for path in paths):
            raise JobError("the uploaded file is no longer there", fix="upload it again")
        given = dict(options or {})
        job = _new_job(sources[0][0], given, visitor, stages)
        small = sum(path.stat().st_size for path in paths) <= HASHED_AT_ONCE
        outcome = self._known(paths, given) if small else None
        # The row comes first, unqueued, so that its id can name the folder.
        job_id = self._add(job, JobState.CANCELLED)
        if outcome is not None:
            for path in paths:
                path.unlink(missing_ok=True)
            self._finish(job_id, outcome)
        else:
            self._files.take(str(job_id), sources)
            self._update(job_id, folder=str(job_id), state=JobState.QUEUED)
        return self.job(job_id)

    def rerun(
        self,
        meeting: str,
        title: str,
        stage: str,
        settings: Mapping[str, Any] | None = None,
        *,
        visitor: str = "",
        stages: Sequence[str] = (),
    ) -> Job:
        """Queue one stage of an indexed meeting to be run again.

        Args:
            meeting: Its id.
            title: Its title, which names the job.
            stage: Which one.
            settings: What the work function reads beside meeting and stage: ``speakers``, ``language``.
            visitor: Who asks for it.
            stages: What it will go through, for people to see.
        """
        options = {**(settings or {}), "meeting": meeting, "stage": stage}
        job = _new_job(title, options, visitor, stages, kind="rerun")
        job.meeting = meeting
        return self.job(self._add(job, JobState.QUEUED))

    def jobs(self, limit: int = 50, *, visitor: str | None = None) -> list[Job]:
        """Return the latest jobs that ``visitor`` may see (None: all), newest first."""
        query = select(Job).order_by(col(Job.id).desc()).limit(limit)
        if visitor is not None:
            query = query.where(col(Job.visitor).in_(("", visitor)))
        with self._session() as session:
            return list(session.exec(query))

    def before(self) -> dict[int, int]:
        """Return how many jobs each queued job waits for, the running one counted, by job id."""
        with self._changed, self._session() as session:
            running = 0 if self._running is None else 1
            return {job.id or 0: place for place, job in enumerate(_in_turn(session), start=running)}

    def job(self, job_id: int, visitor: str | None = None) -> Job:
        """Return one job.

        Raises:
            JobError: ``visitor`` has none with this id.
        """
        with self._session() as session:
            found = session.get(Job, job_id)
        if found is None or not found.belongs_to(visitor):
            raise JobError(f"there is no job {job_id}", fix="reload the page")
        return found

    def cancel(self, job_id: int, visitor: str | None = None) -> None:
        """Take a queued job out, or ask the running one to stop after its present step.

        Raises:
            JobError: ``visitor`` has no such job, or it has ended already.
        """
        with self._changed:
            job = self.job(job_id, visitor)
            if not job.unfinished:
                raise JobError(f"the job {job.title!r} has already ended", found=job.state.value)
            if self._running == job_id:
                self._stop.set()
                self._update(job_id, stage=STOPPING, seconds_left=None)
            else:
                self._update(job_id, state=JobState.CANCELLED, finished=datetime.now(UTC))

    def retry(self, job_id: int, visitor: str | None = None) -> None:
        """Queue a failed or cancelled job again, after the visitor's others; finished stages are kept.

        Raises:
            JobError: ``visitor`` has no such job, it is not failed or cancelled, or its files are gone.
        """
        with self._changed:
            job = self.job(job_id, visitor)
            if job.state not in (JobState.FAILED, JobState.CANCELLED):
                raise JobError(f"the job {job.title!r} cannot be run again", found=job.state.value)
            if job.kind == "index" and not self._files.of(job.folder):
                raise JobError(f"the files of {job.title!r} are gone", fix="upload them again")
            place = datetime.now(UTC).timestamp()
            fresh = {"stage": "", "percent": 0.0, "seconds_left": None, "error": "", "finished": None}
            self._update(job_id, state=JobState.QUEUED, place=place, **fresh)

    def forget(self, job_id: int, visitor: str | None = None) -> None:
        """Remove an ended job and its files; the meeting it made stays.

        Raises:
            JobError: ``visitor`` has no such job, or it has not ended.
        """
        with self._changed:
            job = self.job(job_id, visitor)
            if job.unfinished:
                raise JobError(f"the job {job.title!r} has not ended", fix="cancel it first")
            with writing(self._engine) as session:
                session.delete(session.get_one(Job, job_id))
            self._files.drop(job.folder)
            self._notify()

    def wait(self, job_id: int, timeout: float) -> Job:
        """Return the job once it has ended, or as it is after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while self.job(job_id).unfinished or self._running == job_id:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
        return self.job(job_id)

    # --- in the worker thread --------------------------------------------------------------------

    def _loop(self) -> None:
        while (job := self._next()) is not None:
            self._run(job)
            with self._changed:
                self._running = None
                self._notify()

    def _next(self) -> Job | None:
        """Wait for a queued job and mark it running; None when closing."""
        with self._changed:
            while not self._closing:
                with self._session() as session:
                    job = next(iter(_in_turn(session)), None)
                if job is not None and job.id is not None:
                    self._stop.clear()
                    self._running = job.id
                    self._update(job.id, state=JobState.RUNNING, started=datetime.now(UTC))
                    return job
                self._changed.wait()
        return None

    def _run(self, job: Job) -> None:
        job_id = job.id
        assert job_id is not None

        def write(**values: Any) -> None:
            if not self._stop.is_set():  # the row says "stopping" until it has stopped
                self._update(job_id, **values)

        report = Reporter(write, self._clock)
        try:
            outcome = self._work(self._files.of(job.folder), job.given(), report, self._stop.is_set)
        except CancelledError:
            state = JobState.QUEUED if self._closing else JobState.CANCELLED
            self._end(job_id, state)
        except GrgaError as error:
            self._end(job_id, JobState.FAILED, error=str(error))
        except Exception:  # a bug of ours must end the job, not the thread
            log.exception("job %s (%s) failed", job_id, job.title)
            self._end(job_id, JobState.FAILED, error=INSIDE)
        else:
            self._finish(job_id, outcome)
            self._files.drop(job.folder)

    def _finish(self, job_id: int, outcome: Outcome) -> None:
        notes = dump_notes(outcome.notes)
        self._end(job_id, JobState.DONE, percent=100.0, stage="", meeting=outcome.meeting, notes=notes)

    def _end(self, job_id: int, state: JobState, **values: Any) -> None:
        finished = None if state == JobState.QUEUED else datetime.now(UTC)
        self._update(job_id, state=state, seconds_left=None, finished=finished, **values)

    # --- helpers ---------------------------------------------------------------------------------

    def _session(self) -> Session:
        return Session(self._engine, expire_on_commit=False)

    def _add(self, job: Job, state: JobState) -> int:
        job.state = state
        with writing(self._engine) as session:
            session.add(job)
        assert job.id is not None
        self._notify()
        return job.id

    def _update(self, job_id: int, **values: Any) -> None:
        with writing(self._engine) as session:
            job = session.get_one(Job, job_id)
            for name, value in values.items():
                setattr(job, name, value)
            session.add(job)
        self._notify()

    def _notify(self) -> None:
        with self._changed:
            self.revision += 1
            self._changed.notify_all()


def _new_job(
    title: str, options: Mapping[str, Any], visitor: str, stages: Sequence[str], kind: str = "index"
) -> Job:
    now = datetime.now(UTC)
    return Job(
        title=title,
        folder="",
        options=json.dumps(dict(options)),
        created=now,
        place=now.timestamp(),
        visitor=visitor,
        kind=kind,
        stages=json.dumps(list(stages)),
    )


def _in_turn(session: Session) -> list[Job]:
    waiting = session.exec(select(Job).where(Job.state == JobState.QUEUED)).all()
    served = session.exec(select(Job.visitor, func.max(col(Job.started))).group_by(col(Job.visitor))).all()
    return in_turn(waiting, dict(served))

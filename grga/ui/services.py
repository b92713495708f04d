"""What the pages work with: settings, store, jobs and answerers, built once in app.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock

from grga.agent import make_answerer
from grga.agent.steps import Step
from grga.config import Config
from grga.db import open_database
from grga.errors import QuestionError, StoreError, unknown_name
from grga.history import History
from grga.jobs import JobQueue
from grga.llm import connect
from grga.store import IndexedMeeting, Manifest, MeetingSummary, Store
from grga.types import Meeting
from grga.ui import examples
from grga.ui.examples import example_questions
from grga.ui.indexing import index_job

SYSTEMS = {"grga": "GRGA", "text_rag": "Text RAG"}
KEPT_IN_MEMORY = 4


@dataclass(frozen=True)
class MeetingPage:
    """What the page of one meeting shows. ``audio`` is its address, None without a recording."""

    meeting: Meeting
    manifest: Manifest
    peaks: tuple[float, ...]
    audio: str | None
    questions: tuple[str, ...]


@dataclass
class Services:
    """Everything a tab may ask for. Shared by all visitors, so it holds nothing of any one of them."""

    config: Config
    store: Store
    jobs: JobQueue
    history: History
    _loaded: dict[tuple[str, int], IndexedMeeting] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def open(cls, config: Config) -> Services:
        """Open store and database below ``config.home``; the job queue is not started yet."""
        store, engine = Store(config.home), open_database(config.home)
        jobs = JobQueue(engine, config.home / "uploads", index_job(store, config))
        return cls(config, store, jobs, History(engine))

    def meetings(self) -> list[MeetingSummary]:
        """Return the meetings that can be opened, newest first."""
        return [meeting for meeting in self.store.meetings() if meeting.finished]

    def broken(self) -> list[MeetingSummary]:
        """Return the meetings that cannot be opened: damaged, or left half-way with no job to go on."""
        waiting = any(job.unfinished for job in self.jobs.jobs())
        return [one for one in self.store.meetings() if one.problem or not (one.finished or waiting)]

    def first_shown(self) -> str | None:
        """Return the meeting that a new visitor sees: a bundled sample, else the newest, else None."""
        found = [meeting.id for meeting in self.meetings()]
        samples = sorted(id for id in found if (self.store.folder(id).path / examples.FILE_NAME).is_file())
        return next(iter(samples + found), None)

    def page(self, meeting_id: str) -> MeetingPage:
        """Return one meeting for display.

        Raises:
            StoreError: the id is not one, or there is no such finished meeting.
        """
        folder = self.store.folder(meeting_id)
        manifest = folder.read_manifest()
        if not manifest.finished:
            raise StoreError(f"the meeting {manifest.title!r} is still being indexed", fix="wait for it")
        meeting = folder.read_meeting()
        peaks = folder.path / "peaks.json"
        return MeetingPage(
            meeting=meeting,
            manifest=manifest,
            peaks=folder.read_value("peaks.json", tuple[float, ...]) if peaks.is_file() else (),
            audio=f"grga/audio/{meeting_id}" if folder.playback.is_file() else None,
            questions=example_questions(folder.path, meeting),
        )

    def load(self, meeting_id: str) -> IndexedMeeting:
        """Return a meeting with its indices; the last few stay in memory.

        Raises:
            StoreError: no such finished meeting.
        """
        folder = self.store.folder(meeting_id).path
        # A re-indexed or renamed meeting has newer files and is read again.
        files = [folder / name for name in ("manifest.json", "names.json")]
        key = meeting_id, max((file.stat().st_mtime_ns for file in files if file.is_file()), default=0)
        with self._lock:
            if key not in self._loaded:
                loaded = self.store.load(meeting_id)
                while len(self._loaded) >= KEPT_IN_MEMORY:
                    self._loaded.pop(next(iter(self._loaded)))
                self._loaded[key] = loaded
            return self._loaded[key]

    def answer(self, system: str, question: str, meeting: IndexedMeeting) -> Iterator[Step]:
        """Yield the steps of an answer.

        Raises:
            QuestionError: an unknown system, or an empty question.
            ConfigError: the policy needs a model server and none is set.
            ModelServerError: the model's server failed.
        """
        if system not in SYSTEMS:
            raise QuestionError(unknown_name("system", system, list(SYSTEMS)), fix="choose one of these")
        agent = self.config.agent
        answerer = make_answerer(
            system,
            policy=agent.policy,
            tau=agent.tau,
            beta=agent.beta,
            k_max=agent.k_max,
            client=connect(self.config.llm, self.config.home) if agent.policy == "llm" else None,
        )
        return answerer.answer(question, meeting)

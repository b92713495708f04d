"""What the pages work with: settings, store, jobs and answerers, built once in app.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from grga.config import Config
from grga.db import open_database
from grga.errors import StoreError
from grga.history import Asked, History
from grga.jobs import JobQueue
from grga.llm import connect
from grga.llm.client import ChatClient
from grga.manifest import Manifest
from grga.store import IndexedMeeting, MeetingSummary, Store
from grga.types import Meeting
from grga.ui import examples
from grga.ui.examples import example_questions
from grga.ui.indexing import already_here, index_job
from grga.ui.model_server import Clients, ModelServer

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
    clients: Clients
    public: bool = True
    """Whether others than this machine can reach the app."""
    send_to_annotate: Callable[[Asked], str] | None = None
    """Takes an answer over into Annotate and returns one sentence; None where there is no Annotate."""
    _loaded: dict[tuple[str, str], IndexedMeeting] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def open(cls, config: Config, *, public: bool = False) -> Services:
        """Open store and database below ``config.home``; the job queue is not started yet.

        Args:
            config: The settings.
            public: Whether others than this machine can reach the app.
        """
        url = config.database_url.get_secret_value() if config.database_url else None
        store = Store(config.home, config.models.source())
        engine = open_database(config.home, url)
        work, known = index_job(store, config), already_here(store)
        jobs = JobQueue(engine, config.home / "uploads", work, known)
        return cls(config, store, jobs, History(engine), Clients(config, public=public), public)

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
        key = meeting_id, self.store.folder(meeting_id).revision()
        with self._lock:
            if key not in self._loaded:
                loaded = self.store.load(meeting_id)
                for old in [other for other in self._loaded if other[0] == meeting_id]:
                    del self._loaded[old]
                while len(self._loaded) >= KEPT_IN_MEMORY:
                    self._loaded.pop(next(iter(self._loaded)))
                self._loaded[key] = loaded
            return self._loaded[key]

    def client(self, server: ModelServer | None = None) -> ChatClient:
        """Return a client of the visitor's own model server, or of the host's.

        Raises:
            ConfigError: visitors may not name one, the host has none, or it is no address.
        """
        return self.clients.of(server) if server else connect(self.config.llm, self.config.home)

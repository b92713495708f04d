"""What the pages work with: settings, store, jobs and answerers, built once in app.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from grga.agent import make_answerer
from grga.agent.steps import Step
from grga.config import Config
from grga.db import open_database
from grga.errors import QuestionError, StoreError, unknown_name
from grga.ingest import import_transcript, index_recording
from grga.jobs import JobQueue, Report
from grga.store import IndexedMeeting, Manifest, MeetingSummary, Store
from grga.types import Meeting, Speaker

SYSTEMS = {"grga": "GRGA", "text_rag": "Text RAG"}
TRANSCRIPT_SUFFIXES = frozenset(
    (".json", ".srt", ".vtt", ".rttm", ".ctm", ".stm", ".textgrid", ".xml", ".txt")
)
KEPT_IN_MEMORY = 4
QUESTIONS = "questions.json"
"""Example questions; only the bundled samples have them."""

# What share of the whole each stage takes, roughly, on two cores; progress must move, not be exact.
STAGE_SHARES = {
    "preprocess": 8,
    "vad": 4,
    "asr": 54,
    "diarization": 14,
    "utterances": 1,
    "acoustics": 8,
    "profiles": 1,
    "embeddings": 8,
    "graph": 1,
    "index": 1,
}


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
    _loaded: dict[tuple[str, int], IndexedMeeting] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def open(cls, config: Config) -> Services:
        """Open store and database below ``config.home``; the job queue is not started yet."""
        store = Store(config.home)
        jobs = JobQueue(open_database(config.home), config.home / "uploads", index_job(store, config))
        return cls(config, store, jobs)

    def meetings(self) -> list[MeetingSummary]:
        """Return the meetings that can be opened, newest first."""
        return [meeting for meeting in self.store.meetings() if meeting.finished]

    def first_shown(self) -> str | None:
        """Return the meeting that a new visitor sees: a bundled sample, else the newest, else None."""
        found = [meeting.id for meeting in self.meetings()]
        samples = sorted(id for id in found if (self.store.folder(id).path / QUESTIONS).is_file())
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
            peaks=tuple(json.loads(peaks.read_text("utf-8"))) if peaks.is_file() else (),
            audio=f"grga/audio/{meeting_id}" if folder.playback.is_file() else None,
            questions=_questions(folder.path / QUESTIONS, meeting),
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
        """
        if system not in SYSTEMS:
            raise QuestionError(unknown_name("system", system, list(SYSTEMS)), fix="choose one of these")
        agent = self.config.agent
        answerer = make_answerer(
            system, policy=agent.policy, tau=agent.tau, beta=agent.beta, k_max=agent.k_max
        )
        return answerer.answer(question, meeting)


def index_job(
    store: Store, config: Config
) -> Callable[[list[Path], Mapping[str, Any], Report, Callable[[], bool]], str]:
    """Return the work function of indexing jobs: recordings, transcripts, or a pair of both."""

    def work(
        files: list[Path], options: Mapping[str, Any], report: Report, cancelled: Callable[[], bool]
    ) -> str:
        transcripts = [file for file in files if is_transcript(file)]
        recordings = [file for file in files if file not in transcripts]
        settings = _with_speakers(config, options.get("speakers"))
        progress = _overall(report)
        if transcripts:
            result = import_transcript(
                transcripts[0],
                store,
                settings,
                recording=recordings[0] if recordings else None,
                progress=progress,
                cancelled=cancelled,
            )
        else:
            result = index_recording(
                recordings[0],
                store,
                settings,
                title=options.get("title"),
                progress=progress,
                cancelled=cancelled,
            )
        return result.meeting

    return work


def is_transcript(file: Path) -> bool:
    """Return whether a file is taken as a transcript, by its suffix."""
    return file.suffix.lower() in TRANSCRIPT_SUFFIXES


def group_uploads(files: list[tuple[str, Path]]) -> list[list[tuple[str, Path]]]:
    """Return one group per meeting: a transcript and a recording of the same name belong together.

    Args:
        files: Shown name and path of each upload.
    """
    groups: list[list[tuple[str, Path]]] = []
    for name, path in files:
        stem, transcript = Path(name).stem, is_transcript(Path(name))
        partner = next(
            (
                group
                for group in groups
                if len(group) == 1
                and Path(group[0][0]).stem == stem
                and is_transcript(Path(group[0][0])) != transcript
            ),
            None,
        )
        if partner is None:
            groups.append([(name, path)])
        else:
            partner.append((name, path))
    return groups


def _with_speakers(config: Config, number: int | None) -> Config:
    if not number:
        return config
    exact = {"min_speakers": number, "max_speakers": number}
    return config.model_copy(update={"diarization": config.diarization.model_copy(update=exact)})


def _overall(report: Report) -> Callable[[str, float], None]:
    """Turn progress within a stage into progress over all stages."""
    names, total = list(STAGE_SHARES), sum(STAGE_SHARES.values())

    def progress(stage: str, share: float) -> None:
        before = sum(STAGE_SHARES[name] for name in names[: names.index(stage)]) if stage in names else 0
        report(stage, (before + STAGE_SHARES.get(stage, 0) * share) / total)

    return progress


def _questions(file: Path, meeting: Meeting) -> tuple[str, ...]:
    """Return example questions: the sample's own, else made from what this meeting talks about."""
    if file.is_file():
        by_type: dict[str, str] = {}
        for item in json.loads(file.read_text("utf-8")):
            by_type.setdefault(item["type"], item["question"])
        return tuple(by_type.values())
    if not meeting.utterances:
        return ()
    talkers = sorted(meeting.speakers, key=lambda speaker: -speaker.talk_seconds)
    topics = _topics(talkers)[:2]
    if meeting.language == "zh":
        about = [f"关于{words[0]}说了什么？" for words in topics]
        return (*about, f"总结一下{talkers[0].name}说的话。", "做了什么决定？")
    about = [f"What was said about {' and '.join(words[:2])}?" for words in topics]
    loudest = ("When was it loudest?",) if meeting.has_audio else ()
    return (*about, f"Summarise what {talkers[0].name} said.", "What was decided?", *loudest)


def _topics(speakers: Sequence[Speaker]) -> list[list[str]]:
    """Return what the speakers' profiles say they talk about, each topic as its words."""
    topics: dict[str, list[str]] = {}
    for speaker in speakers:
        facts = speaker.profile.facts
        for topic in facts.get("topics", facts.get("keywords", "")).split(";"):
            words = topic.partition("(")[0].strip()
            if words:
                topics.setdefault(words, [word.strip() for word in words.split(",")])
    return list(topics.values())

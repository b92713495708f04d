"""One folder per meeting: a versioned manifest, and every stage's output saved as it finishes.

::

    HOME/meetings/<meeting id>/
        manifest.json      what this is, where it came from, which stage made which file
        original.<ext>     the recording as given     audio.wav       mono, 16 kHz
        playback.m4a       what the browser plays     peaks.json      loudness for the timeline
        vad.json asr.json diarization.json utterances.json acoustics.json speakers.json
        vectors.npy bm25/ graph.json
        names.json         names that people gave to speakers: an overlay, never an input of a stage

Files are written beside their name and then moved into place, so a killed run leaves either the
old file or the new one. The manifest names a file only after it is there.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from grga.audio import Waveform
from grga.errors import StoreError
from grga.graph.graph import UtteranceGraph
from grga.index.bm25 import BM25Index
from grga.index.dense import DenseIndex
from grga.types import Meeting, Speaker, Utterance

if TYPE_CHECKING:
    from grga.embedding import TextEncoder

MANIFEST_VERSION = 1
PLAYBACK = "playback.m4a"

_CANNOT_WRITE = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be too large",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "no permission to write",
    errno.EPERM: "no permission to write",
    errno.ENOENT: "the folder is not there",
    errno.ENOTDIR: "a file is in the way of the folder",
    errno.EEXIST: "a file is in the way of the folder",
    errno.ENAMETOOLONG: "the name is too long",
}


@contextmanager
def saving_to(place: Path) -> Iterator[None]:
    """Turn a disk that is full, read-only or not ours into one sentence.

    Raises:
        StoreError: writing below ``place`` failed for a reason that a person can remove.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _CANNOT_WRITE:
            raise
        raise StoreError(
            f"{place} cannot be written",
            found=_CANNOT_WRITE[error.errno],
            fix="make room or choose another folder with --home",
        ) from error


class StageRecord(BaseModel):
    """How one stage's output came to be.

    ``settings`` is the digest of the stage's own settings, ``inputs`` the digests of the outputs it
    read, ``output`` the digest of what it wrote: a stage is current when the first two still hold.
    """

    model_config = ConfigDict(extra="forbid")

    settings: str
    inputs: dict[str, str]
    output: str
    seconds: float
    details: dict[str, Any] = Field(default_factory=dict)
    warnings: list[str] = Field(default_factory=list)


class Source(BaseModel):
    """The file a meeting was made from. ``digest`` is the sha256 of its content."""

    model_config = ConfigDict(extra="forbid")

    name: str
    digest: str
    kind: str


class Manifest(BaseModel):
    """The table of contents of a meeting's folder."""

    model_config = ConfigDict(extra="forbid")

    version: int = MANIFEST_VERSION
    id: str
    title: str
    created: datetime
    source: Source
    audio: str | None = None
    language: str | None = None
    duration: float = 0.0
    stages: dict[str, StageRecord] = Field(default_factory=dict)
    finished: bool = False


@dataclass(frozen=True)
class MeetingSummary:
    """A line in the list of meetings; ``duration`` in seconds.

    ``problem`` is one sentence when the meeting's manifest cannot be read; the counts are 0 then.
    """

    id: str
    title: str
    created: datetime
    duration: float
    speakers: int
    utterances: int
    finished: bool
    problem: str = ""


@dataclass(frozen=True)
class IndexedMeeting:
    """A meeting with everything the agent may look at.

    ``bm25`` and ``dense`` have one row per utterance: row number = utterance id. ``waveform`` and
    ``playback`` are None for a meeting without audio.
    """

    meeting: Meeting
    graph: UtteranceGraph
    bm25: BM25Index
    dense: DenseIndex
    encoder: TextEncoder
    waveform: Waveform | None = None
    playback: Path | None = None


class MeetingFolder:
    """Read and write one meeting's files; all paths in the manifest are relative to ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def id(self) -> str:
        """The meeting's id, which is the folder's name."""
        return self.path.name

    def exists(self) -> bool:
        """Return whether there is a manifest."""
        return (self.path / "manifest.json").is_file()

    def read_manifest(self) -> Manifest:
        """Return the manifest.

        Raises:
            StoreError: no such meeting, a damaged manifest, or one of another version.
        """
        file = self.path / "manifest.json"
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise StoreError(f"there is no meeting {self.id!r}", fix="list them with `meetings`") from None
        except (OSError, ValueError):
            raise StoreError(
                f"the manifest of meeting {self.id!r} is damaged", fix="index the recording again"
            ) from None
        version = values.get("version") if isinstance(values, dict) else None
        if version != MANIFEST_VERSION:
            raise StoreError(
                f"the meeting {self.id!r} was written by another version of GRGA",
                found=f"manifest version {version}",
                expected=f"version {MANIFEST_VERSION}",
                fix="index the recording again",
            )
        try:
            return Manifest.model_validate(values)
        except ValidationError as error:
            raise StoreError(
                f"the manifest of meeting {self.id!r} is damaged: {error.errors()[0]['msg']}",
                fix="index the recording again",
            ) from None

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest in one step."""
        self.write_text("manifest.json", manifest.model_dump_json(indent=1))

    @contextmanager
    def replacing(self, name: str) -> Iterator[Path]:
        """Give a path to write to; move it to ``name`` when the block ends well."""
        target = self.path / name
        # The suffix stays, because encoders choose the format by it.
        draft = target.with_name(f"~{target.name}")
        with saving_to(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                yield draft
                os.replace(draft, target)
            finally:
                draft.unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock on this meeting; the system frees it when the process ends, however it ends.

        Raises:
            StoreError: another process or thread holds it.
        """
        with saving_to(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / ".lock", timeout=0)
            try:
                lock.acquire()
            except Timeout:
                raise StoreError(
                    f"the meeting {self.id!r} is being indexed by another process",
                    fix="wait until it has finished",
                ) from None
        try:
            yield
        finally:
            lock.release()

    def write_text(self, name: str, text: str) -> None:
        """Write UTF-8 text in one step."""
        with self.replacing(name) as draft:
            draft.write_text(text, encoding="utf-8")

    def write_value(self, name: str, kind: Any, value: Any) -> None:
        """Write ``value`` of type ``kind`` as JSON in one step."""
        with self.replacing(name) as draft:
            draft.write_bytes(TypeAdapter(kind).dump_json(value))

    def read_value(self, name: str, kind: Any) -> Any:
        """Read what :meth:`write_value` wrote.

        Raises:
            StoreError: the file is missing or does not hold a ``kind``.
        """
        with self.reading(name):
            return TypeAdapter(kind).validate_json((self.path / name).read_bytes())

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Turn whatever goes wrong while ``name`` is read into one sentence.

        Raises:
            StoreError: the file is missing, cut or holds something else.
        """
        try:
            yield
        except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise StoreError(
                f"{name} of meeting {self.id!r} is missing or damaged", fix="index the recording again"
            ) from error

    @property
    def audio(self) -> Path:
        """The decoded waveform (which is not there for a transcript without a recording)."""
        return self.path / "audio.wav"

    @property
    def playback(self) -> Path:
        """What the browser plays."""
        return self.path / PLAYBACK

    def read_meeting(self) -> Meeting:
        """Return the meeting as the last finished stages left it."""
        manifest = self.read_manifest()
        names = self.read_names()
        speakers = self.read_value("speakers.json", tuple[Speaker, ...])
        return Meeting(
            id=manifest.id,
            title=manifest.title,
            duration=manifest.duration,
            utterances=self.read_value("acoustics.json", tuple[Utterance, ...]),
            speakers=tuple(replace(s, name=names.get(s.id, s.name)) for s in speakers),
            language=manifest.language,
            has_audio=self.audio.is_file(),
        )

    def read_names(self) -> dict[str, str]:
        """Return the names that people gave to speakers, by speaker id."""
        if not (self.path / "names.json").is_file():
            return {}
        names: dict[str, str] = self.read_value("names.json", dict[str, str])
        return names

    def rename_speaker(self, speaker_id: str, name: str) -> None:
        """Show ``speaker_id`` as ``name`` from now on, everywhere.

        Raises:
            StoreError: no such speaker, an empty name, or one that somebody else has.
        """
        speakers = self.read_meeting().speakers
        name = " ".join(name.split())
        if speaker_id not in {speaker.id for speaker in speakers}:
            raise StoreError(
                f"there is no speaker {speaker_id!r} in meeting {self.id!r}",
                found=", ".join(f"{speaker.id} ({speaker.name})" for speaker in speakers),
                fix="use one of these ids",
            )
        if not name or any(s.name == name for s in speakers if s.id != speaker_id):
            raise StoreError(f"the name {name!r} is empty or taken", fix="choose another name")
        self.write_value("names.json", dict[str, str], {**self.read_names(), speaker_id: name})


class Store:
    """All meetings below ``home``."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._encoders: dict[str, TextEncoder] = {}
        self._summaries: dict[Path, tuple[tuple[int, int], MeetingSummary]] = {}
        self._lock = Lock()

    @property
    def root(self) -> Path:
        """The folder that holds one folder per meeting."""
        return self.home / "meetings"

    def folder(self, meeting_id: str) -> MeetingFolder:
        """Return the folder of ``meeting_id``, which need not exist yet.

        Raises:
            StoreError: the id is not a plain folder name.
        """
        if not re.fullmatch(r"[\w.-]+", meeting_id) or meeting_id.startswith("."):
            raise StoreError(f"{meeting_id!r} is not a meeting id", fix="list them with `meetings`")
        return MeetingFolder(self.root / meeting_id)

    def folders(self) -> list[MeetingFolder]:
        """Return every meeting's folder, oldest name first."""
        return [MeetingFolder(file.parent) for file in sorted(self.root.glob("*/manifest.json"))]

    def find(self, name: str) -> MeetingFolder:
        """Return the meeting whose id is ``name``, or else its title, or else the start of its id.

        Raises:
            StoreError: none, or more than one.
        """
        lines = self.meetings()
        found = (
            [line.id for line in lines if line.id == name]
            or [line.id for line in lines if line.title == name]
            or [line.id for line in lines if line.id.startswith(name)]
        )
        if len(found) == 1:
            return self.folder(found[0])
        if found:
            raise StoreError(
                f"{name!r} fits several meetings",
                found=", ".join(sorted(found)),
                fix="give the whole id",
            )
        raise StoreError(f"there is no meeting {name!r}", fix="`python -m grga meetings` lists them")

    def find_source(self, digest: str) -> MeetingFolder | None:
        """Return the meeting made from the file with this sha256, if there is one."""
        for folder in self.folders():
            try:
                if folder.read_manifest().source.digest == digest:
                    return folder
            except StoreError:
                continue  # a damaged one is listed as such; it must not stop the others
        return None

    def create(self, title: str, source: Source) -> MeetingFolder:
        """Return the folder for ``source``: the one it has already, or a new one."""
        with saving_to(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            with FileLock(self.root / ".lock"):  # two processes may begin with one recording at once
                known = self.find_source(source.digest)
                if known is not None:
                    return known
                folder = self.folder(f"{slug(title)}-{source.digest[:8]}")
                now = datetime.now(UTC)
                folder.write_manifest(Manifest(id=folder.id, title=title, created=now, source=source))
                return folder

    def meetings(self) -> list[MeetingSummary]:
        """Return a line per meeting, newest first; a damaged one has a line that says so."""
        lines = [line for folder in self.folders() if (line := self._summary(folder)) is not None]
        return sorted(lines, key=lambda line: line.created, reverse=True)

    def _summary(self, folder: MeetingFolder) -> MeetingSummary | None:
        """Return a meeting's line, read again only when its manifest was replaced; None when it has gone."""
        try:
            status = (folder.path / "manifest.json").stat()
        except OSError:
            return None
        state = status.st_mtime_ns, status.st_ino
        known = self._summaries.get(folder.path)
        if known is None or known[0] != state:
            known = state, _summary(folder, datetime.fromtimestamp(status.st_mtime, UTC))
            self._summaries[folder.path] = known
        return known[1]

    def delete(self, meeting_id: str) -> None:
        """Remove a meeting and all its files, damaged or not.

        Raises:
            StoreError: there is no such meeting, or it is being indexed.
        """
        folder = self.folder(meeting_id)
        if not folder.exists():
            raise StoreError(f"there is no meeting {meeting_id!r}", fix="list them with `meetings`")
        with folder.alone(), saving_to(folder.path):
            shutil.rmtree(folder.path)

    def load(self, meeting_id: str) -> IndexedMeeting:
        """Return the meeting with its graph and indices.

        Raises:
            StoreError: no such meeting, its indexing has not finished, or a file of it is damaged.
        """
        folder = self.folder(meeting_id)
        manifest = folder.read_manifest()
        if not manifest.finished:
            raise StoreError(
                f"the meeting {meeting_id!r} is not fully indexed", fix="run its `index` or `import` again"
            )
        audio = folder.audio
        meeting = folder.read_meeting()
        with folder.reading("graph.json"):
            graph = UtteranceGraph.from_dict(json.loads((folder.path / "graph.json").read_text("utf-8")))
        with folder.reading("bm25"):
            bm25 = BM25Index.load(folder.path / "bm25")
            _check_rows(len(bm25), meeting)
        with folder.reading("vectors.npy"):
            dense = DenseIndex.build(np.load(folder.path / "vectors.npy"))
            _check_rows(len(dense), meeting)
        with folder.reading("manifest.json"):
            encoder = manifest.stages["embeddings"].details["encoder"]
        return IndexedMeeting(
            meeting=meeting,
            graph=graph,
            bm25=bm25,
            dense=dense,
            encoder=self.encoder(encoder),
            waveform=Waveform.open(audio) if audio.is_file() else None,
            playback=folder.playback if folder.playback.is_file() else None,
        )

    def encoder(self, name: str) -> TextEncoder:
        """Return the text encoder ``name``, loaded once per store."""
        from grga.embedding import load_text_encoder

        with self._lock:
            if name not in self._encoders:
                encoder = load_text_encoder(name)
                # "auto" resolves to a real name: both then share one loaded model.
                self._encoders[name] = self._encoders.setdefault(encoder.name, encoder)
            return self._encoders[name]


def _check_rows(rows: int, meeting: Meeting) -> None:
    if rows != len(meeting.utterances):
        raise ValueError(f"{rows} rows for {len(meeting.utterances)} utterances")


def _summary(folder: MeetingFolder, changed: datetime) -> MeetingSummary:
    try:
        manifest = folder.read_manifest()
    except StoreError as error:
        return MeetingSummary(folder.id, folder.id, changed, 0.0, 0, 0, finished=False, problem=str(error))
    counts = manifest.stages["utterances"].details if "utterances" in manifest.stages else {}
    return MeetingSummary(
        id=manifest.id,
        title=manifest.title,
        created=manifest.created,
        duration=manifest.duration,
        speakers=counts.get("speakers", 0),
        utterances=counts.get("utterances", 0),
        finished=manifest.finished,
    )


def slug(title: str) -> str:
    """Return ``title`` as a short folder name; letters of every script are kept."""
    plain = unicodedata.normalize("NFC", title)
    return re.sub(r"[^\w]+", "-", plain).strip("-_")[:40].strip("-_") or "meeting"

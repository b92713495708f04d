"""All meetings below a home: list, find, create, delete and open them."""

from __future__ import annotations

import re
import shutil
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from filelock import FileLock

from grga import edits
from grga.edits import EditLog
from grga.errors import StoreError
from grga.loading import IndexedMeeting, load_meeting
from grga.manifest import Manifest, Source, saving_to
from grga.meeting_folder import PLAYBACK, MeetingFolder
from grga.models import ModelSource
from grga.types import Speaker

if TYPE_CHECKING:
    from grga.embedding import TextEncoder

__all__ = ["PLAYBACK", "IndexedMeeting", "MeetingFolder", "MeetingSummary", "Store", "slug"]


@dataclass(frozen=True)
class MeetingSummary:
    """A line in the list of meetings, as people edited it; ``duration`` in seconds, ``names`` of its speakers.

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
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class Store:
    """All meetings below ``home``; ``source`` says where the text encoders of their indices come from."""

    def __init__(self, home: Path, source: ModelSource = ModelSource()) -> None:
        self.home = home
        self.source = source
        self._encoders: dict[str, TextEncoder] = {}
        self._summaries: dict[Path, tuple[str, MeetingSummary]] = {}
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

    def workbench(self, meeting_id: str) -> MeetingFolder:
        """Return the folder in which a finished meeting is worked on (:mod:`grga.workbench`)."""
        return MeetingFolder(self.home / "workbench" / self.folder(meeting_id).id)

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
        """Return a meeting's line, read again only when something changed; None when it has gone."""
        try:
            status = (folder.path / "manifest.json").stat()
        except OSError:
            return None
        state = folder.revision()
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
        with folder.alone(), EditLog(folder.path).alone(), saving_to(folder.path):
            shutil.rmtree(folder.path)
            shutil.rmtree(self.workbench(meeting_id).path, ignore_errors=True)

    def load(self, meeting_id: str) -> IndexedMeeting:
        """Return the meeting with its graph and indices.

        Raises:
            StoreError: no such meeting, its indexing has not finished, or a file of it is damaged.
        """
        return load_meeting(self.folder(meeting_id), self.encoder)

    def encoder(self, name: str) -> TextEncoder:
        """Return the text encoder ``name``, loaded once per store."""
        from grga.embedding import load_text_encoder

        with self._lock:
            if name not in self._encoders:
                encoder = load_text_encoder(name, self.source)
                # "auto" resolves to a real name: both then share one loaded model.
                self._encoders[name] = self._encoders.setdefault(encoder.name, encoder)
            return self._encoders[name]


def _summary(folder: MeetingFolder, changed: datetime) -> MeetingSummary:
    try:
        manifest = folder.read_manifest()
        title, names, tags = _said_by_people(folder, manifest)
    except StoreError as error:
        return MeetingSummary(folder.id, folder.id, changed, 0.0, 0, 0, finished=False, problem=str(error))
    counts = manifest.stages["utterances"].details if "utterances" in manifest.stages else {}
    return MeetingSummary(
        id=manifest.id,
        title=title,
        created=manifest.created,
        duration=manifest.duration,
        speakers=len(names) if names else counts.get("speakers", 0),
        utterances=counts.get("utterances", 0),
        finished=manifest.finished,
        tags=tags,
        names=names,
    )


def _said_by_people(
    folder: MeetingFolder, manifest: Manifest
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return title, names of the speakers, and tags; without a history no utterance is read."""
    if "profiles" not in manifest.stages:
        return manifest.title, (), ()
    if not (folder.path / edits.FILE).is_file():
        given = folder.read_names()
        speakers = folder.read_value("speakers.json", tuple[Speaker, ...])
        return manifest.title, tuple(given.get(one.id, one.name) for one in speakers), ()
    _, draft = folder.read_draft()
    overlay = draft.overlay()
    return overlay.title or manifest.title, tuple(draft.shown().values()), overlay.tags


def slug(title: str) -> str:
    """Return ``title`` as a short folder name; letters of every script are kept."""
    plain = unicodedata.normalize("NFC", title)
    return re.sub(r"[^\w]+", "-", plain).strip("-_")[:40].strip("-_") or "meeting"

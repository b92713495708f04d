"""One folder per meeting: a versioned manifest, and every stage's output saved as it finishes.

::

    HOME/meetings/<meeting id>/
        manifest.json      what this is, where it came from, which stage made which file
        original.<ext>     the recording as given     audio.wav       mono, 16 kHz
        playback.m4a       what the browser plays     peaks.json      loudness for the timeline
        vad.json asr.json diarization.json utterances.json acoustics.json speakers.json
        vectors.npy bm25/ graph.json
        edits.jsonl        what people changed: an overlay, never an input of a stage (grga.edits)
        names.json         names of speakers from before there was an edits.jsonl; only read
        edited.npz         vectors of edited lines: may be deleted at any time

Files are written beside their name and then moved into place, so a killed run leaves either the
old file or the new one. The manifest names a file only after it is there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from grga import edits
from grga.audio import Waveform
from grga.edits import Draft, Edit, EditLog, EditRecord, Known, Line, Overlay, Rename, reindex
from grga.errors import StoreError
from grga.graph.build import REPLY_WINDOW, rebuild_graph
from grga.graph.graph import UtteranceGraph
from grga.index.bm25 import BM25Index
from grga.index.dense import DenseIndex
from grga.manifest import (
    MANIFEST_VERSION,
    Manifest,
    Source,
    StageRecord,  # noqa: F401
    before_enrichment,
    digest_of_files,
    saving_to,
)
from grga.types import Edge, Meeting, Speaker, SpeakerProfile, Utterance

if TYPE_CHECKING:
    from grga.embedding import TextEncoder

PLAYBACK = "playback.m4a"
NAMES = "names.json"
VECTORS_OF_EDITS = "edited.npz"

Vectors = npt.NDArray[np.float32]


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

    def read_meeting(self, *, corrected: bool = True) -> Meeting:
        """Return the meeting as people corrected it.

        With ``corrected`` off lines and voices are those that were recognised, under the names of today:
        what a stage may read, since corrections are an input of none.
        """
        recorded, overlay = self.read_layers()
        if not corrected:
            overlay = Overlay(names=overlay.names)
        return self.laid_over(recorded, overlay)

    def read_layers(self) -> tuple[Meeting, Overlay]:
        """Return the meeting as the last finished stages left it, and what people changed in it."""
        recorded, draft = self.read_draft()
        return recorded, draft.overlay()

    def read_draft(self) -> tuple[Meeting, Draft]:
        """Return the meeting as the last finished stages left it, with its history replayed over it."""
        return self._replay(self._log.read())

    def laid_over(self, recorded: Meeting, overlay: Overlay) -> Meeting:
        """Return ``recorded`` with everything applied that ``overlay`` holds."""
        return edits.applied(recorded, overlay, self._known(recorded) if overlay.lines else Known())

    def read_overlay(self) -> Overlay:
        """Return what people changed."""
        return self.read_layers()[1]

    def revision(self) -> str:
        """Return a text that is another one after every edit and every indexing; looks at no content."""
        states = []
        for name in ("manifest.json", edits.FILE, NAMES):
            try:
                status = (self.path / name).stat()
            except OSError:
                states.append("")
            else:
                states.append(f"{status.st_mtime_ns:x}-{status.st_ino:x}-{status.st_size:x}")
        return ".".join(states)

    # --- edits ------------------------------------------------------------------------------------

    def edits(self) -> tuple[EditRecord, ...]:
        """Return the history, oldest first; what was taken back or no longer fits is marked."""
        return tuple(self.read_draft()[1].records)

    def edit(self, edit: Edit, by: str = "") -> EditRecord:
        """Change something from now on, everywhere; on the disk when this returns.

        Args:
            edit: What to change.
            by: Who does it, for the history.

        Returns:
            Its place in the history; number 0 when there was nothing to change.

        Raises:
            StoreError: the edit does not fit the meeting, or the meeting is not fully indexed.
        """
        edit = edits.cleaned(edit)
        with self._editing() as lines:
            recorded, draft = self._replay(lines)
            line = draft.line_of(edit, by, lines)
            if not draft.changes(edit):
                return EditRecord(number=0, at=line.at, by=line.by, edit=edit, summary="nothing to change")
            return self._append(recorded, lines, line, len(lines) + 1)

    def undo(self, by: str = "") -> EditRecord | None:
        """Take the last edit back that is in force; None when there is none."""
        with self._editing() as lines:
            recorded, draft = self._replay(lines)
            number = next((r.number for r in reversed(draft.records) if r.applies and not r.undone), None)
            return number and self._append(recorded, lines, Line(by=by, undo=number), number)

    def redo(self, by: str = "") -> EditRecord | None:
        """Bring back what :meth:`undo` took back last, unless something was edited since; None when nothing."""
        with self._editing() as lines:
            recorded, draft = self._replay(lines)
            fits = {record.number for record in draft.records if record.applies}
            number = next((number for number in reversed(edits.redoable(lines)) if number in fits), None)
            return number and self._append(recorded, lines, Line(by=by, redo=number), number)

    def rename_speaker(self, speaker_id: str, name: str, by: str = "") -> EditRecord:
        """Show ``speaker_id`` as ``name`` from now on; see :meth:`edit`."""
        return self.edit(Rename(speaker=speaker_id, name=name), by)

    def read_names(self) -> dict[str, str]:
        """Return the names from before there was a history, by speaker id."""
        if not (self.path / NAMES).is_file():
            return {}
        names: dict[str, str] = self.read_value(NAMES, dict[str, str])
        return names

    @property
    def _log(self) -> EditLog:
        return EditLog(self.path)

    @contextmanager
    def _editing(self) -> Iterator[tuple[Line, ...]]:
        """Hold the lock on the history of a finished meeting, and give its lines."""
        self.read_manifest()  # the lock makes the folder, so a meeting that does not exist is refused first
        with self._log.alone():
            if not self.read_manifest().finished:
                raise StoreError(
                    f"the meeting {self.id!r} is being indexed", fix="edit it when that has finished"
                )
            yield self._log.read()

    def _append(self, recorded: Meeting, lines: tuple[Line, ...], line: Line, number: int) -> EditRecord:
        """Write ``line`` and return the record of the edit with this number, as it is then."""
        self._log.append(line)
        _, draft = self._replay((*lines, line), recorded)
        return next(record for record in draft.records if record.number == number)

    def _replay(self, lines: tuple[Line, ...], recorded: Meeting | None = None) -> tuple[Meeting, Draft]:
        manifest = self.read_manifest()
        recorded = recorded or self._read_recorded(manifest)
        return recorded, Draft.replay(recorded, self.read_names(), manifest.output_of("utterances"), lines)

    def _read_recorded(self, manifest: Manifest) -> Meeting:
        return Meeting(
            id=manifest.id,
            title=manifest.title,
            duration=manifest.duration,
            utterances=self.read_value("acoustics.json", tuple[Utterance, ...]),
            speakers=self.read_value("speakers.json", tuple[Speaker, ...]),
            language=manifest.language,
            has_audio=self.audio.is_file(),
        )

    def _known(self, recorded: Meeting) -> Known:
        """Return the speakers' roles from an import, and the facts that a model added to the profiles."""
        imported: tuple[Speaker, ...] = ()
        if (self.path / "imported_speakers.json").is_file():
            imported = self.read_value("imported_speakers.json", tuple[Speaker, ...])
        plain: dict[str, Speaker] = {}
        if any(speaker.profile.source != SpeakerProfile().source for speaker in recorded.speakers):
            before = self.read_value(before_enrichment("speakers.json"), tuple[Speaker, ...])
            plain = {speaker.id: speaker for speaker in before}
        return Known(
            roles={speaker.id: speaker.role for speaker in imported},
            profiles={
                one.id: edits.facts_added(one.profile, plain[one.id].profile)
                for one in recorded.speakers
                if one.id in plain
            },
        )


class Store:
    """All meetings below ``home``."""

    def __init__(self, home: Path) -> None:
        self.home = home
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

    def draft(self, meeting_id: str) -> MeetingFolder:
        """Return the folder in which a finished meeting is worked on (:mod:`grga.drafts`)."""
        return MeetingFolder(self.home / "drafts" / self.folder(meeting_id).id)

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
            shutil.rmtree(self.draft(meeting_id).path, ignore_errors=True)

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
        recorded, overlay = folder.read_layers()
        meeting = folder.laid_over(recorded, overlay)
        with folder.reading("graph.json"):
            graph = UtteranceGraph.from_dict(json.loads((folder.path / "graph.json").read_text("utf-8")))
        with folder.reading("bm25"):
            bm25 = BM25Index.load(folder.path / "bm25", overlay.texts)
            _check_rows(len(bm25), meeting)
        with folder.reading("vectors.npy"):
            dense = DenseIndex.build(np.load(folder.path / "vectors.npy"))
            _check_rows(len(dense), meeting)
        with folder.reading("manifest.json"):
            encoder = self.encoder(manifest.stages["embeddings"].details["encoder"])
        if overlay.texts:
            dense = DenseIndex.build(_encoded_again(folder, dense.vectors, overlay.texts, encoder))
        if overlay.lines:
            graph = _built_again(folder, manifest, graph, meeting, overlay, dense.vectors)
        audio = folder.audio
        return IndexedMeeting(
            meeting=meeting,
            graph=graph,
            bm25=bm25,
            dense=dense,
            encoder=encoder,
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


def _encoded_again(
    folder: MeetingFolder, vectors: Vectors, texts: Mapping[int, str], encoder: TextEncoder
) -> Vectors:
    """Return the vectors with the rows of edited lines replaced; each text is encoded once and then kept."""
    known = reindex.read_vectors(folder.path / VECTORS_OF_EDITS)
    rows = reindex.encoded(texts.values(), encoder, known)
    if not rows.keys() <= known.keys():
        with EditLog(folder.path).alone(), folder.replacing(VECTORS_OF_EDITS) as draft:
            reindex.write_vectors(draft, rows)
    vectors = np.array(vectors)
    for id, text in texts.items():
        vectors[id] = rows[reindex.key_of(text, encoder.name)]
    return vectors


def _built_again(
    folder: MeetingFolder,
    manifest: Manifest,
    stored: UtteranceGraph,
    meeting: Meeting,
    overlay: Overlay,
    vectors: Vectors,
) -> UtteranceGraph:
    """Return the graph of the corrected meeting; what a model found stays as far as it still holds."""
    types = reindex.touched(overlay)
    by_model = [edge for edge in _edges_by_model(folder, manifest, stored) if edge.type in types]
    window = manifest.stages["graph"].details.get("reply_window", REPLY_WINDOW)
    graph = rebuild_graph(stored, meeting.utterances, types, vectors=vectors, reply_window=window)
    graph.add_edges(reindex.that_hold(by_model, overlay.texts))
    return graph


def _edges_by_model(folder: MeetingFolder, manifest: Manifest, stored: UtteranceGraph) -> set[Edge]:
    """Return what enrichment laid over the graph of the indexing stage."""
    before = folder.path / before_enrichment("graph.json")
    if not before.is_file() or digest_of_files([folder.path / "graph.json"]) == manifest.output_of("graph"):
        return set()
    with folder.reading(before.name):
        plain = UtteranceGraph.from_dict(json.loads(before.read_text("utf-8")))
    return set(stored.edges()) - set(plain.edges())


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

"""One meeting as it lies on the disk: what the stages wrote, and what people changed since.

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

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grga import edits
from grga.edits import Draft, Edit, EditLog, EditRecord, Known, Line, Overlay, Rename
from grga.errors import StoreError
from grga.folder import Folder
from grga.manifest import Manifest, before_enrichment
from grga.types import Meeting, Speaker, SpeakerProfile, Utterance

PLAYBACK = "playback.m4a"
NAMES = "names.json"


class MeetingFolder(Folder):
    """Read a meeting, and change it as people do."""

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
            if number is None:
                return None
            return self._append(recorded, lines, Line(by=by, undo=number), number)

    def redo(self, by: str = "") -> EditRecord | None:
        """Bring back what :meth:`undo` took back last, unless something was edited since; None when nothing."""
        with self._editing() as lines:
            recorded, draft = self._replay(lines)
            fits = {record.number for record in draft.records if record.applies}
            number = next((number for number in reversed(edits.redoable(lines)) if number in fits), None)
            if number is None:
                return None
            return self._append(recorded, lines, Line(by=by, redo=number), number)

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

"""Run a stage once: skip it when its settings and inputs are unchanged, save it before the next.

Keys are content-addressed: a stage depends on the digests of the *outputs* it reads, not on how
they were made. Swapping one backend therefore changes one stage's settings digest, and the stages
after it run again only if its output really differs.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grga.errors import GrgaError
from grga.manifest import StageRecord, digest_of_files
from grga.store import MeetingFolder

log = logging.getLogger("grga.ingest")

Progress = Callable[[str, float], None]
"""Called with a stage's name and the finished share of it, 0..1."""

INSIDE = "something went wrong inside GRGA; the server's log has the details"
"""What people read about an error that is ours."""


class CancelledError(GrgaError):
    """The person asked to stop; everything finished so far is kept."""

    def __init__(self) -> None:
        super().__init__("stopped on request", fix="run it again to go on from here")


@dataclass
class StageNotes:
    """What a stage says about its run: details for the manifest, warnings for the person."""

    details: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@dataclass
class StageRunner:
    """Runs stages in one meeting's folder.

    ``ran`` maps the stages of this run to seconds; ``reused`` lists those that were current.
    ``again`` names a stage that is made anew whatever its record says. Those in ``keep`` run only when
    what they read has changed, whatever their settings.
    """

    folder: MeetingFolder
    source_digest: str
    progress: Progress = lambda stage, share: None
    cancelled: Callable[[], bool] = lambda: False
    ran: dict[str, float] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)
    again: str = ""
    keep: frozenset[str] = frozenset()

    def run(
        self,
        name: str,
        make: Callable[[StageNotes], None],
        *,
        outputs: Sequence[str],
        inputs: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        version: int = 1,
        optional: bool = False,
        instead: Callable[[], None] | None = None,
    ) -> StageRecord:
        """Run ``make`` unless its outputs are current, and record it.

        Args:
            name: The stage; also its key in the manifest.
            make: Writes ``outputs`` into the folder and notes details and warnings.
            outputs: Files or folders, relative to the meeting's folder.
            inputs: Earlier stages whose outputs it reads; none means the source file.
            settings: What else decides the result.
            version: Raised when the code of the stage changes its results.
            optional: No other stage reads its outputs, so a finished meeting stays finished.
            instead: For a stage that the meeting can do without: writes stand-in outputs when ``make``
                fails. The record then says why, and the next run tries again.

        Raises:
            CancelledError: asked to stop before the stage began.
        """
        if self.cancelled():
            raise CancelledError
        manifest = self.folder.read_manifest()
        key = digest_of({"stage": name, "version": version, **(settings or {})})
        needed = {stage: manifest.stages[stage].output for stage in inputs} or {"source": self.source_digest}
        old = manifest.stages.get(name)
        if old and self._is_current(name, old, key, needed) and self._all_there(outputs):
            log.info("%s: unchanged, not run again", name)
            self.reused.append(name)
            self.progress(name, 1.0)
            return old
        log.info("%s: started", name)
        self.progress(name, 0.0)
        notes = StageNotes()
        begin = time.perf_counter()
        failed = self._make(name, make, notes, instead)
        seconds = time.perf_counter() - begin
        record = StageRecord(
            settings=key,
            inputs=needed,
            output=digest_of_files([self.folder.path / output for output in outputs]),
            seconds=round(seconds, 3),
            details=notes.details,
            warnings=notes.warnings,
            options=dict(settings or {}),
            failed=failed,
        )
        # Read again: the stage may have written to the manifest itself.
        manifest = self.folder.read_manifest()
        manifest.stages[name] = record
        manifest.finished = manifest.finished and optional
        self.folder.write_manifest(manifest)
        self.ran[name] = record.seconds
        log.info("%s: finished in %.2f s", name, seconds)
        self.progress(name, 1.0)
        return record

    def report(self, stage: str, share: float) -> None:
        """Pass on progress from inside a stage.

        Raises:
            CancelledError: asked to stop.
        """
        if self.cancelled():
            raise CancelledError
        self.progress(stage, share)

    def _is_current(self, name: str, old: StageRecord, key: str, needed: Mapping[str, str]) -> bool:
        if name == self.again or old.inputs != needed:
            return False
        return name in self.keep or (old.settings == key and not old.failed)

    @staticmethod
    def _make(
        name: str, make: Callable[[StageNotes], None], notes: StageNotes, instead: Callable[[], None] | None
    ) -> str:
        """Make the stage's outputs; return why it failed when stand-ins were written, else ""."""
        try:
            make(notes)
        except CancelledError:
            raise
        except Exception as error:
            if instead is None:
                raise
            log.exception("%s: failed; the meeting goes on without it", name)
            notes.details, notes.warnings = {}, []
            instead()
            return str(error) if isinstance(error, GrgaError) else INSIDE
        return ""

    def _all_there(self, outputs: Sequence[str]) -> bool:
        return all((self.folder.path / output).exists() for output in outputs)


def digest_of(value: Any) -> str:
    """Return a sha256 of any JSON-able value, independent of key order."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()

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
from pathlib import Path
from typing import Any

from grga.errors import GrgaError
from grga.store import MeetingFolder, StageRecord

log = logging.getLogger("grga.ingest")

Progress = Callable[[str, float], None]
"""Called with a stage's name and the finished share of it, 0..1."""


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
    """

    folder: MeetingFolder
    source_digest: str
    progress: Progress = lambda stage, share: None
    cancelled: Callable[[], bool] = lambda: False
    ran: dict[str, float] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)

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

        Raises:
            CancelledError: asked to stop before the stage began.
        """
        if self.cancelled():
            raise CancelledError
        manifest = self.folder.read_manifest()
        key = digest_of({"stage": name, "version": version, **(settings or {})})
        needed = {stage: manifest.stages[stage].output for stage in inputs} or {"source": self.source_digest}
        old = manifest.stages.get(name)
        if old and old.settings == key and old.inputs == needed and self._all_there(outputs):
            log.info("%s: unchanged, not run again", name)
            self.reused.append(name)
            self.progress(name, 1.0)
            return old
        log.info("%s: started", name)
        self.progress(name, 0.0)
        notes = StageNotes()
        begin = time.perf_counter()
        make(notes)
        seconds = time.perf_counter() - begin
        record = StageRecord(
            settings=key,
            inputs=needed,
            output=digest_of_files([self.folder.path / output for output in outputs]),
            seconds=round(seconds, 3),
            details=notes.details,
            warnings=notes.warnings,
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

    def _all_there(self, outputs: Sequence[str]) -> bool:
        return all((self.folder.path / output).exists() for output in outputs)


def digest_of(value: Any) -> str:
    """Return a sha256 of any JSON-able value, independent of key order."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def digest_of_files(paths: Sequence[Path]) -> str:
    """Return a sha256 over the content of files and, in order of name, of folders' files."""
    total = hashlib.sha256()
    for path in paths:
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in files:
            total.update(file.name.encode())
            with file.open("rb") as stream:
                total.update(hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()

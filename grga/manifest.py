"""The table of contents of a meeting's folder: what it is, where it came from, which stage made which file."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from grga.errors import StoreError

MANIFEST_VERSION = 1

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


class StageRecord(BaseModel):
    """How one stage's output came to be.

    ``settings`` is the digest of the stage's own settings, ``inputs`` the digests of the outputs it
    read, ``output`` the digest of what it wrote: a stage is current when the first two still hold.
    ``options`` are the settings themselves, for a later run of another stage. ``failed`` is the one
    sentence why a stage that the meeting can do without has left a stand-in instead of its result.
    """

    model_config = ConfigDict(extra="forbid")

    settings: str
    inputs: dict[str, str]
    output: str
    seconds: float
    details: dict[str, Any] = Field(default_factory=dict)
    warnings: list[str] = Field(default_factory=list)
    options: dict[str, Any] = Field(default_factory=dict)
    failed: str = ""


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

    def output_of(self, stage: str) -> str:
        """Return the digest of what ``stage`` wrote, "" when it has not run."""
        return self.stages[stage].output if stage in self.stages else ""


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


def before_enrichment(file: str) -> str:
    """Return under which name enrichment keeps ``file`` as the indexing stage left it."""
    return f"before_enrichment_{file}"

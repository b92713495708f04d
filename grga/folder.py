"""The files of one meeting's folder: written beside their name, then moved into place.

A killed run so leaves either the old file or the new one. The manifest names a file only after it is there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from grga.errors import StoreError
from grga.manifest import MANIFEST_VERSION, Manifest, saving_to


class Folder:
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

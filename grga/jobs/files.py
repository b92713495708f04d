"""Each job's source files lie in a folder of its own until it is done."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class JobFiles:
    """The folders of all jobs, below ``root``; a job without files has the name ""."""

    root: Path

    def take(self, name: str, sources: Sequence[tuple[str, Path]]) -> None:
        """Move the files, given as shown name and path, into the folder ``name``."""
        folder = self.root / name
        folder.mkdir(parents=True, exist_ok=True)
        for shown, path in sources:
            shutil.move(path, folder / safe_name(shown))

    def of(self, name: str) -> list[Path]:
        """Return the files in the folder ``name``, by name."""
        folder = self.root / name
        return sorted(folder.iterdir()) if name and folder.is_dir() else []

    def drop(self, name: str) -> None:
        """Remove the folder ``name`` and what is in it."""
        if name:
            shutil.rmtree(self.root / name, ignore_errors=True)


def safe_name(name: str) -> str:
    """Return ``name`` without folders and without characters that file systems refuse."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    clean = re.sub(r"[^\w. ()\[\]-]+", "_", base).strip(". ")
    stem, dot, suffix = clean.rpartition(".")
    return f"{stem[:100]}{dot}{suffix[:16]}" if stem else clean[:100] or "file"

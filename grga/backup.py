"""Copies of people's work, every few minutes and at the end, to a folder or to a dataset on the Hub.

What is copied are the journals: from them every verdict and score can be made again. A home whose
journals are gone (a Space's disk is wiped at each restart) gets them back before anything is opened.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Protocol

from grga.config import BackupConfig
from grga.errors import StoreError

log = logging.getLogger("grga.backup")

JOURNALS = ("annotation/journal.jsonl", "human/journal.jsonl", "secret.key")
"""What is kept, by path below the home; without the secret, links that were sent would be void."""


class Place(Protocol):
    """Where copies go."""

    def save(self, name: str, file: Path) -> None:
        """Keep a copy of ``file`` as ``name``."""
        ...

    def fetch(self, name: str, file: Path) -> bool:
        """Write the copy kept as ``name`` to ``file``; False when there is none."""
        ...


class Folder:
    """Copies in a folder, perhaps of another disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, name: str, file: Path) -> None:
        """Copy beside, then move into place: a copy is never half there."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f"~{target.name}")
        shutil.copyfile(file, draft)
        os.replace(draft, target)

    def fetch(self, name: str, file: Path) -> bool:
        """Copy back."""
        if not (self.folder / name).is_file():
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.folder / name, file)
        return True


class Dataset:
    """Copies in a private dataset on the Hugging Face Hub; the token is in HF_TOKEN."""

    def __init__(self, name: str) -> None:
        from huggingface_hub import HfApi

        self.name = name
        self._api = HfApi()
        self._there = False

    def save(self, name: str, file: Path) -> None:
        """Upload one file as one commit."""
        if not self._there:
            self._api.create_repo(self.name, repo_type="dataset", private=True, exist_ok=True)
            self._there = True
        self._api.upload_file(path_or_fileobj=file, path_in_repo=name, repo_id=self.name, repo_type="dataset")

    def fetch(self, name: str, file: Path) -> bool:
        """Download one file."""
        from huggingface_hub.errors import EntryNotFoundError, RepositoryNotFoundError

        try:
            kept = self._api.hf_hub_download(self.name, name, repo_type="dataset")
        except (EntryNotFoundError, RepositoryNotFoundError):
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(kept, file)
        return True


def place(config: BackupConfig) -> Place | None:
    """Return where copies go, None when nothing is set."""
    if config.folder is not None:
        return Folder(config.folder)
    return Dataset(config.dataset) if config.dataset else None


class Backup:
    """Copies what has changed, in a thread of its own.

    Args:
        home: The folder of meetings and journals.
        place: Where copies go.
        seconds: Between two looks.
    """

    def __init__(self, home: Path, place: Place, seconds: float) -> None:
        self._home = home
        self._place = place
        self._seconds = seconds
        self._copied: dict[str, tuple[int, int]] = {}
        self._closing = Event()
        self._thread: Thread | None = None

    def restore(self) -> list[str]:
        """Fetch what the home lacks; return what was fetched.

        Raises:
            StoreError: the place cannot be read. Starting without the work that lies there would hide it.
        """
        fetched = []
        for name in JOURNALS:
            file = self._home / name
            try:
                if not file.exists() and self._place.fetch(name, file):
                    fetched.append(name)
            except Exception as error:
                raise StoreError(
                    f"the backup of {name} cannot be read: {error}",
                    fix="check backup.folder or backup.dataset and HF_TOKEN, or remove the setting",
                ) from error
        if (secret := self._home / "secret.key").is_file():
            secret.chmod(0o600)
        return fetched

    def start(self) -> None:
        """Begin to copy."""
        self._thread = Thread(target=self._loop, name="backup", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Copy a last time and stop."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def copy(self) -> list[str]:
        """Copy what has changed since the last time; return what was copied. A failure is logged and tried again."""
        done = []
        for name in JOURNALS:
            file = self._home / name
            if not file.is_file():
                continue
            status = file.stat()
            state = status.st_mtime_ns, status.st_size
            if self._copied.get(name) == state:
                continue
            try:
                self._place.save(name, file)
            except Exception:
                log.exception("the backup of %s failed; it is tried again in %.0f s", name, self._seconds)
                continue
            self._copied[name] = state
            done.append(name)
        return done

    def _loop(self) -> None:
        while not self._closing.wait(self._seconds):
            self.copy()
        self.copy()


def starting(home: Path, config: BackupConfig, say: Callable[[str], None]) -> Backup | None:
    """Restore what is missing in ``home`` and return the backup to start, None when none is set.

    Raises:
        StoreError: as for :meth:`Backup.restore`.
    """
    where = place(config)
    if where is None:
        return None
    backup = Backup(home, where, 60 * config.minutes)
    for name in backup.restore():
        say(f"{name} was fetched from the backup")
    return backup

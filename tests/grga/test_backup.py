from __future__ import annotations

from pathlib import Path

import pytest

from grga.backup import Backup, Folder, starting
from grga.config import BackupConfig
from grga.errors import StoreError
from grga.journal import Journal


class Broken:
    """A place that cannot be reached."""

    def save(self, name: str, file: Path) -> None:
        raise OSError("no route to host")

    def fetch(self, name: str, file: Path) -> bool:
        raise OSError("no route to host")


def test_what_people_did_comes_back_after_the_disk_was_wiped(tmp_path: Path) -> None:
    home, wiped, kept = tmp_path / "home", tmp_path / "wiped", tmp_path / "kept"
    journal = Journal(home / "human" / "journal.jsonl")
    journal.append(b'{"id": "one"}')
    backup = Backup(home, Folder(kept), seconds=3600)
    assert backup.copy() == ["human/journal.jsonl"]
    assert backup.copy() == []  # nothing new, nothing copied
    journal.append(b'{"id": "two"}')
    backup.start()
    backup.close()  # the last copy is made on the way out

    said: list[str] = []
    assert starting(wiped, BackupConfig(folder=kept), said.append) is not None
    assert (wiped / "human" / "journal.jsonl").read_bytes() == b'{"id": "one"}\n{"id": "two"}\n'
    assert said == ["human/journal.jsonl was fetched from the backup"]


def test_what_is_there_is_never_replaced_by_a_backup(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    Journal(kept / "human" / "journal.jsonl").append(b"old")
    Journal(tmp_path / "home" / "human" / "journal.jsonl").append(b"new")
    assert Backup(tmp_path / "home", Folder(kept), 60).restore() == []
    assert (tmp_path / "home" / "human" / "journal.jsonl").read_bytes() == b"new\n"


def test_a_failed_copy_is_tried_again_and_a_failed_restore_stops_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Journal(tmp_path / "home" / "human" / "journal.jsonl").append(b"one")
    backup = Backup(tmp_path / "home", Broken(), 60)
    assert backup.copy() == []
    assert "no route to host" in caplog.text
    with pytest.raises(StoreError, match=r"backup of annotation/journal\.jsonl cannot be read"):
        Backup(tmp_path / "empty", Broken(), 60).restore()


def test_without_a_setting_there_is_no_backup(tmp_path: Path) -> None:
    assert starting(tmp_path, BackupConfig(), print) is None

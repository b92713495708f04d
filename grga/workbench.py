"""A finished meeting is worked on beside it and replaced when the work is done.

On the workbench lies a folder of links to the meeting's files; stages write new files in their place
and never into them. So a meeting stays open, whole and right while one of its stages runs again, and
whatever goes wrong meanwhile leaves it as it was.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grga.manifest import saving_to
from grga.store import MeetingFolder, Store

BASE = ".base"
"""Beside the links: the manifest that they began from. Another one there now means they are out of date."""
READY = ".ready"
"""Beside the links: all is done, only the files have yet to be moved."""
MANIFEST = "manifest.json"
PEOPLE_S = ("names.json", "edits.jsonl", "edited.npz")
"""What people change while stages run; no stage writes it."""


@contextmanager
def working_on(folder: MeetingFolder, store: Store) -> Iterator[MeetingFolder]:
    """Give the folder to run stages in: an unfinished meeting's own, or else one on the workbench.

    The caller holds the meeting's lock. New files take the place of the meeting's when the block ends
    well. After a kill the next call goes on where the last one was; after an error as well, for as
    long as the meeting stays the one that was worked on.

    Raises:
        StoreError: the disk is full or read-only.
    """
    bench = store.workbench(folder.id)
    with saving_to(bench.path):
        if (bench.path / READY).is_file():
            _publish(bench, folder)
    if not folder.read_manifest().finished:
        yield folder
        return
    with saving_to(bench.path):
        _begin(bench, folder)
    yield bench
    with saving_to(bench.path):
        if bench.read_manifest().stages == folder.read_manifest().stages:
            shutil.rmtree(bench.path)
        else:
            (bench.path / READY).touch()
            _publish(bench, folder)


def _begin(bench: MeetingFolder, folder: MeetingFolder) -> None:
    base = (folder.path / MANIFEST).read_bytes()
    if (bench.path / BASE).is_file() and (bench.path / BASE).read_bytes() == base:
        return
    shutil.rmtree(bench.path, ignore_errors=True)
    bench.path.mkdir(parents=True)
    for file in folder.path.iterdir():
        if not file.name.startswith((".", "~")) and file.name not in PEOPLE_S:
            _link(file, bench.path / file.name)
    (bench.path / BASE).write_bytes(base)  # last: without it the next call begins anew


def _link(source: Path, target: Path) -> None:
    if source.is_dir():  # a stage may write into a folder, so its files are copied
        shutil.copytree(source, target)
        return
    try:
        os.link(source, target)
    except OSError:  # no links on this file system
        shutil.copyfile(source, target)


def _publish(bench: MeetingFolder, folder: MeetingFolder) -> None:
    """Move what is new; may be interrupted and called again."""
    manifest = folder.read_manifest()
    manifest.finished = False  # nobody may read half of one and half of the other
    folder.write_manifest(manifest)
    names = [file.name for file in bench.path.iterdir() if not file.name.startswith(".")]
    for name in sorted(names, key=lambda name: name == MANIFEST):  # the manifest comes last
        new, old = bench.path / name, folder.path / name
        if old.is_dir():
            shutil.rmtree(old)
        if not (old.is_file() and old.samefile(new)):
            os.replace(new, old)
    shutil.rmtree(bench.path)

"""The bundled sample meetings: indexed beforehand, copied into the store at first start.

``assets/samples/<name>/store/`` holds a meeting folder as the pipeline left it, without the decoded
audio, which is made again from ``audio.*`` in a second or two.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from grga import audio
from grga.manifest import saving_to
from grga.paths import assets
from grga.store import PLAYBACK, MeetingFolder, Store

DERIVED = ("audio.wav", "playback", "original")
"""Files of a meeting folder (by the start of their names) that are not kept in ``store/``."""


def install(store: Store, source: Path | None = None) -> list[str]:
    """Copy every sample that this store has never had; return the ids of the new ones.

    A sample that somebody deleted does not come back: what was installed once is noted in
    ``HOME/samples.json``.
    """
    noted = store.home / "samples.json"
    known = _noted(noted)
    new = []
    for prebuilt in sorted((source or assets() / "samples").glob("*/store/manifest.json")):
        meeting_id = MeetingFolder(prebuilt.parent).read_manifest().id
        folder = store.folder(meeting_id)
        if meeting_id not in known:
            if not folder.exists():
                _copy(prebuilt.parent, folder)
            new.append(meeting_id)
    if new:
        with saving_to(store.home):
            noted.parent.mkdir(parents=True, exist_ok=True)
            noted.write_text(json.dumps(known + new, ensure_ascii=False), encoding="utf-8")
    return new


def _noted(file: Path) -> list[str]:
    """Return the ids that were installed before; a list that was cut by a crash counts as none."""
    try:
        return [str(id) for id in json.loads(file.read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def _copy(prebuilt: Path, folder: MeetingFolder) -> None:
    """Bring one sample into the store; the manifest comes last, so that a half copy is no meeting."""
    with saving_to(folder.path):
        shutil.copytree(
            prebuilt, folder.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("manifest.json")
        )
    questions = prebuilt.parent / "questions.json"
    if questions.is_file():
        shutil.copyfile(questions, folder.path / "questions.json")
    recording = next(prebuilt.parent.glob("audio.*"), None)
    if recording is not None:
        with folder.replacing("audio.wav") as draft:
            audio.decode(recording, draft, max_hours=1.0)
        with folder.replacing(PLAYBACK) as draft:
            audio.write_playback(recording, draft)
        with folder.replacing(f"original{recording.suffix}") as draft:
            shutil.copyfile(recording, draft)
    folder.write_text("manifest.json", (prebuilt / "manifest.json").read_text("utf-8"))

"""Index the sample meetings with the embedded profile and keep the result beside them.

Run with the project installed (``pip install -e .``), after ``make_samples.py`` or after a stage has changed::

    python assets/index_samples.py

Speakers get the names of the reference, as a person would name them after listening: diarization
itself knows voices, not names. A sample without a recording is imported from its transcript.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from grga.config import Config
from grga.ingest import import_transcript, index_recording
from grga.meeting_folder import NAMES
from grga.samples import DERIVED
from grga.store import MeetingFolder, Store
from grga.types import TimeSpan

SAMPLES = Path(__file__).resolve().parent / "samples"


def main() -> None:
    for sample in sorted(file.parent for file in SAMPLES.glob("*/reference.json")):
        with tempfile.TemporaryDirectory() as home:
            folder = index(sample, Store(Path(home)))
            keep(folder.path, sample / "store")
            print(f"{sample.name}: {folder.id}")


def index(sample: Path, store: Store) -> MeetingFolder:
    reference = json.loads((sample / "reference.json").read_text("utf-8"))
    recording = next(sample.glob("audio.*"), None)
    if recording is None:
        result = import_transcript(sample / "reference.json", store, Config(), title=reference["title"])
        return store.folder(result.meeting)
    result = index_recording(recording, store, Config(), title=reference["title"])
    folder = store.folder(result.meeting)
    names = {speaker["id"]: speaker["name"] for speaker in reference["speakers"]}
    given = {
        speaker_id: names[reference_id] for speaker_id, reference_id in matching(folder, reference).items()
    }
    # Not as edits: nobody who tries the sample should be able to take them back.
    folder.write_value(NAMES, dict[str, str], given)
    return folder


def matching(folder: MeetingFolder, reference: dict[str, Any]) -> dict[str, str]:
    """Return found speaker id -> reference speaker id, by seconds spoken together."""
    shared: Counter[tuple[str, str]] = Counter()
    for utterance in folder.read_meeting().utterances:
        for line in reference["utterances"]:
            seconds = utterance.span.overlap(TimeSpan(line["start"], line["end"]))
            shared[utterance.speaker, line["speaker"]] += seconds  # type: ignore[assignment]
    pairs: dict[str, str] = {}
    for (found, wanted), seconds in shared.most_common():
        if seconds > 0 and found not in pairs and wanted not in pairs.values():
            pairs[found] = wanted
    return pairs


def keep(built: Path, target: Path) -> None:
    """Copy a meeting folder without what is made again from the recording."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for file in sorted(built.iterdir()):
        if file.name.startswith((*DERIVED, ".")):
            continue
        copy = shutil.copytree if file.is_dir() else shutil.copyfile
        copy(file, target / file.name)


if __name__ == "__main__":
    main()

"""The sample meetings, indexed from their references: true words and times, measured from their audio."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grga.audio import Waveform, decode
from grga.ingest import index_in_memory
from grga.speech.features import measure
from grga.store import IndexedMeeting
from grga.types import Meeting, Speaker, TimeSpan, Utterance

SAMPLES = Path(__file__).resolve().parents[3] / "assets" / "samples"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], IndexedMeeting]:
    """Return a function from a sample's name to the indexed sample; each is indexed once."""
    known: dict[str, IndexedMeeting] = {}

    def load(name: str) -> IndexedMeeting:
        if name not in known:
            known[name] = _index(SAMPLES / name, tmp_path_factory.mktemp(name) / "audio.wav")
        return known[name]

    return load


def _index(folder: Path, audio: Path) -> IndexedMeeting:
    reference: dict[str, Any] = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    decode(folder / "audio.opus", audio, max_hours=1)
    waveform = Waveform.open(audio)
    utterances = [
        Utterance(one["id"], one["speaker"], TimeSpan(one["start"], one["end"]), one["text"])
        for one in reference["utterances"]
    ]
    # Names are known, roles are not: what is said about them must be found.
    speakers = tuple(Speaker(one["id"], one["name"]) for one in reference["speakers"])
    meeting = Meeting(
        folder.name,
        reference["title"],
        reference["duration"],
        measure(utterances, waveform),
        speakers,
        reference["language"],
        has_audio=True,
    )
    return index_in_memory(meeting, waveform=waveform)

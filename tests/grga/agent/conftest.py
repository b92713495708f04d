"""A small handmade meeting, and the sample meetings indexed from their references."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grga.audio import Waveform, decode
from grga.ingest import index_in_memory
from grga.speech.features import measure
from grga.store import IndexedMeeting
from grga.text import content_terms
from grga.types import Acoustics, Meeting, Speaker, TimeSpan, Utterance

SAMPLES = Path(__file__).resolve().parents[3] / "assets" / "samples"

LINES: tuple[tuple[str, float, float, str], ...] = (
    ("S1", 0, 6, "Good morning everyone, I'm the project manager, let us start with the agenda."),
    (
        "S2",
        7,
        14,
        "Before we start, I promise there are no hidden fees in this contract, the price is fixed.",
    ),
    ("S3", 15, 19, "Great, then the budget of twelve thousand euros is enough."),
    ("S4", 20, 27, "The wooden case cracked in the drop test because the glue was too weak."),
    ("S1", 28, 33, "So how long does the battery last?"),
    ("S3", 34, 40, "The battery lasts nine hours, but a bigger battery would be better."),
    ("S2", 41, 46, "We could use a lithium battery instead."),
    ("S4", 50, 57, "Let us decide: we go for the plastic case, so we drop the wooden one."),
    ("S2", 60, 68, "By the way, there is a new service fee of two hundred euros for every shipment."),
    ("S3", 69, 74, "What? You promised there are no hidden fees! That is not acceptable."),
    ("S1", 73, 80, "Let us calm down. We will check the contract after the break."),
    ("S4", 90, 95, "I will send the minutes by email on Friday."),
)
LOUD = {9: 2.6}
PEOPLE = (("S1", "Maria"), ("S2", "Tom"), ("S3", "Rosa"), ("S4", "Ben"))


class WordEncoder:
    """A stand-in for a text encoder: texts are as similar as the content words they share."""

    name, dimension, min_similarity = "words", 256, 0.3

    def encode_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in content_terms(text):
                row[zlib.crc32(term.encode()) % self.dimension] += 1
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return rows

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        return self.encode_passages([text])[0]


@pytest.fixture(scope="session")
def contract() -> IndexedMeeting:
    """Twelve turns about a contract with a hidden fee, a battery and a case; Rosa is loud once."""
    utterances = tuple(
        Utterance(
            id,
            speaker,
            TimeSpan(start, end),
            text,
            acoustics=Acoustics(
                loudness_db=-20 + 3 * LOUD.get(id, 0.0),
                loudness_z=LOUD.get(id, 0.0),
                f0_mean_hz=180.0,
                rate=3.0,
                arousal=LOUD.get(id, 0.0),
                overlap=0.0,
            ),
        )
        for id, (speaker, start, end, text) in enumerate(LINES)
    )
    speakers = tuple(Speaker(id, name) for id, name in PEOPLE)
    meeting = Meeting("contract", "The contract", 95.0, utterances, speakers, "en", has_audio=True)
    return index_in_memory(meeting, encoder=WordEncoder())


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

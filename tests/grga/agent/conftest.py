"""Small handmade meetings, two of them heard by an emotion model and an event tagger; the sample meetings indexed from their references."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
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
# speaker, start, end, text, emotion, score, events, second speaker
Line = tuple[str, float, float, str, str | None, float | None, tuple[str, ...], str | None]
HEARD: tuple[Line, ...] = (
    ("S1", 0, 6, "Good morning, welcome to the launch review of the Lumen lamp.", "neutral", 0.95, (), None),
    ("S2", 7, 13, "The prototype passed the drop test, all twelve samples.", "happy", 0.91, (), None),
    (
        "S3",
        14,
        19,
        "Wonderful, that is a great result for the whole team!",
        "happy",
        0.97,
        ("applause",),
        "S2",
    ),
    ("S4", 22, 30, "I put it in the oven once, and my cat thought it was the sun.", "neutral", 0.7, (), None),
    ("S2", 31, 34, "Your cat is our best tester.", "happy", 0.88, ("laughter",), "S3"),
    ("S1", 36, 44, "Now to the delivery plan: the supplier wants two more months.", "neutral", 0.9, (), None),
    ("S3", 45, 52, "Two months? They signed the contract, this is not acceptable.", "angry", 0.93, (), None),
    ("S4", 54, 60, "I did not expect that at all either.", "surprised", 0.52, (), None),
    ("S3", 62, 70, "Every single time we get the bad news last.", "angry", 0.86, (), None),
    (
        "S1",
        72,
        80,
        "I understand. The delivery plan stays, I will call the supplier.",
        "neutral",
        0.8,
        (),
        None,
    ),
    ("S2", 82, 88, "Please also ask about the cables.", "sad", 0.41, ("cough",), None),
    (
        "S4",
        90,
        95,
        "And somebody should promote my cat to head of quality.",
        "happy",
        0.8,
        ("laughter",),
        None,
    ),
)
HEARD_ZH: tuple[Line, ...] = (
    ("S1", 0, 6, "大家早上好，我们开始讨论新台灯的发布计划。", "neutral", 0.95, (), None),
    ("S2", 7, 13, "样品全部通过了跌落测试。", "happy", 0.9, ("applause",), None),
    ("S3", 14, 20, "我家的猫以为台灯是太阳。", "happy", 0.85, ("laughter",), None),
    ("S1", 22, 30, "供应商说交货时间要推迟两个月。", "neutral", 0.9, (), None),
    ("S3", 31, 38, "合同早就签了，这样不行！", "angry", 0.94, (), None),
    ("S2", 40, 46, "电缆的问题也要问一下。", "sad", 0.4, (), None),
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


def meeting_of(lines: Sequence[Line], names: Sequence[str], language: str) -> Meeting:
    utterances = tuple(
        Utterance(
            id,
            speaker,
            TimeSpan(start, end),
            text,
            acoustics=Acoustics(
                loudness_db=-20.0 + (4 if emotion == "angry" else 0),
                loudness_z=2.0 if emotion == "angry" else 0.0,
                rate=3.0,
                arousal=1.8 if emotion == "angry" else 0.0,
                overlap=0.2 if second else 0.0,
                emotion=emotion,
                emotion_score=score,
                events=events,
            ),
            second_speaker=second,
        )
        for id, (speaker, start, end, text, emotion, score, events, second) in enumerate(lines)
    )
    speakers = tuple(Speaker(f"S{number}", name) for number, name in enumerate(names, start=1))
    return Meeting("lamp", "The lamp", lines[-1][2], utterances, speakers, language, has_audio=True)


@pytest.fixture(scope="session")
def lamp() -> IndexedMeeting:
    """Twelve turns about a lamp: people laugh about a cat, clap, and one is angry about a delay."""
    meeting = meeting_of(HEARD, ("Maria", "Tom", "Rosa", "Ben"), "en")
    return replace(index_in_memory(meeting, encoder=WordEncoder()), tagged=True)


@pytest.fixture(scope="session")
def lamp_zh() -> IndexedMeeting:
    """The same in Mandarin, shorter."""
    meeting = meeting_of(HEARD_ZH, ("王芳", "李强", "小红"), "zh")
    return replace(index_in_memory(meeting, encoder=WordEncoder()), tagged=True)


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

"""A small meeting, indexed with a stand-in encoder that loads no weights, and a way to ask it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grga.agent import make_answerer
from grga.config import LlmConfig
from grga.ingest import index_in_memory
from grga.llm import connect
from grga.store import IndexedMeeting
from grga.text import tokenize
from grga.types import Meeting, Speaker, TimeSpan, Utterance

TALK = (
    ("S1", "Good morning, shall we start with the street festival?"),
    ("S2", "We promised the neighbours that there are no hidden costs."),
    ("S1", "Right. The stage will stand in Mill Lane."),
    ("S3", "The caterer now wants a handling fee of fifty pounds."),
    ("S2", "Then we refuse the handling fee, because we promised no hidden costs!"),
    ("S1", "Agreed. Imran, please call the caterer tomorrow."),
    ("S3", "I will call at 10:30 and tell them no."),
)
NAMES = {"S1": "Rosa", "S2": "Dilek", "S3": "Imran"}


class BagOfWords:
    """Sums a fixed random vector per word: near when words are shared."""

    name = "bag-of-words"
    dimension = 64
    min_similarity = 0.2

    def encode_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.stack([self.encode_query(text) for text in texts])

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        total = np.full(self.dimension, 1e-6)
        for word in tokenize(text):
            total += np.random.default_rng(zlib.crc32(word.encode())).standard_normal(self.dimension)
        return (total / np.linalg.norm(total)).astype(np.float32)


def indexed(talk: Sequence[tuple[str, str]], **more: Any) -> IndexedMeeting:
    """Return a meeting in which every line takes five seconds."""
    utterances = tuple(
        Utterance(id, speaker, TimeSpan(id * 5.0, id * 5.0 + 4.5), text)
        for id, (speaker, text) in enumerate(talk)
    )
    speakers = tuple(Speaker(id, name, talk_seconds=9.0) for id, name in NAMES.items())
    meeting = Meeting("festival", "Street festival", len(talk) * 5.0, utterances, speakers, "en")
    return index_in_memory(meeting, encoder=BagOfWords(), **more)


@pytest.fixture
def make_meeting() -> Callable[..., IndexedMeeting]:
    return indexed


@pytest.fixture(scope="session")
def meeting() -> IndexedMeeting:
    return indexed(TALK)


@pytest.fixture
def agent(tmp_path: Path) -> Callable[..., Any]:
    """Return a function from a server and settings to an agent that thinks with it."""

    def make(server: Any, **settings: Any) -> Any:
        values = {"base_url": server.address, "model": "m", "retries": 0, **settings}
        client = connect(LlmConfig.model_validate(values), tmp_path)
        return make_answerer(policy="llm", client=client)

    return make

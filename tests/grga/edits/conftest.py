"""The bundled English sample as a meeting that may be edited."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grga.embedding import load_text_encoder
from grga.store import MeetingFolder, Store


class CountingEncoder:
    """The real encoder, with a note of every text that it was given."""

    def __init__(self) -> None:
        self._encoder = load_text_encoder("e5")
        self.name, self.dimension = self._encoder.name, self._encoder.dimension
        self.min_similarity = self._encoder.min_similarity
        self.texts: list[str] = []

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        return self._encoder.encode_passages(texts)

    def encode_query(self, text: str) -> np.ndarray:
        return self._encoder.encode_query(text)


@pytest.fixture(scope="session")
def encoder() -> CountingEncoder:
    return CountingEncoder()


@pytest.fixture
def store(tmp_path: Path, encoder: CountingEncoder, monkeypatch: pytest.MonkeyPatch) -> Store:
    store = Store(tmp_path)
    monkeypatch.setattr(store, "encoder", lambda name: encoder)
    encoder.texts.clear()
    return store


@pytest.fixture
def install(store: Store, samples: Path) -> Callable[[str], MeetingFolder]:
    """Return a function that brings a bundled sample into the store, without its recording."""

    def bring(sample: str) -> MeetingFolder:
        source = samples / sample / "store"
        folder = store.folder(json.loads((source / "manifest.json").read_text("utf-8"))["id"])
        shutil.copytree(source, folder.path)
        return folder

    return bring


@pytest.fixture
def folder(install: Callable[[str], MeetingFolder]) -> MeetingFolder:
    """61 lines by Grace (S1), Maya (S2), Oliver (S3) and Henry (S4); line 3: "The donkey ate my hat."."""
    return install("lantern-players")

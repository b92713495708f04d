"""Dense search against plain numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grga.errors import StoreError
from grga.index.dense import DenseIndex


@pytest.fixture
def vectors() -> np.ndarray:
    rows = np.random.default_rng(3).normal(size=(40, 8)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_scores_are_cosines(vectors: np.ndarray) -> None:
    assert DenseIndex.build(vectors).scores(vectors[5]) == pytest.approx(vectors @ vectors[5], abs=1e-6)


def test_search_gives_the_nearest_first(vectors: np.ndarray) -> None:
    hits = DenseIndex.build(vectors).search(vectors[5], k=4)
    expected = np.argsort(-(vectors @ vectors[5]))[:4]
    assert [hit.id for hit in hits] == expected.tolist()
    assert hits[0].score == pytest.approx(1.0, abs=1e-6)


def test_more_wanted_than_there_are(vectors: np.ndarray) -> None:
    assert len(DenseIndex.build(vectors).search(vectors[0], k=100)) == 40


def test_an_empty_meeting(vectors: np.ndarray) -> None:
    index = DenseIndex.build(np.zeros((0, 8), np.float32))
    assert index.search(vectors[0], k=3) == []
    assert index.scores(vectors[0]).shape == (0,)


def test_a_query_of_another_encoder_is_refused(vectors: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"\(5,\).*\(8,\)"):
        DenseIndex.build(vectors).scores(np.ones(5, np.float32))


def test_saved_and_loaded_it_is_the_same(vectors: np.ndarray, tmp_path: Path) -> None:
    DenseIndex.build(vectors).save(tmp_path / "dense")
    assert np.array_equal(DenseIndex.load(tmp_path / "dense").vectors, vectors)


def test_a_missing_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="dense index"):
        DenseIndex.load(tmp_path)

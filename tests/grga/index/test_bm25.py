"""Keyword search on small corpora whose scores can be worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from grga.errors import StoreError
from grga.index.bm25 import BM25Index

TEXTS = ["The battery is cheap", "The battery uses solar energy", "Red buttons", "mm-hmm"]


def test_scores_follow_the_formula() -> None:
    """k1 = 1.5, b = 0.75; after stopwords the texts have 2, 3 (solar, energi, batteri), 2 and 0 words."""
    index = BM25Index.build(TEXTS)
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    mean = (2 + 3 + 2 + 0) / 4
    expected = [
        idf * (1.5 + 1) / (1 + 1.5 * (1 - 0.75 + 0.75 * length / mean)) if length else 0.0
        for length in (2, 3, 0, 0)
    ]
    assert index.scores("batteries") == pytest.approx(expected, rel=1e-5)


def test_the_rarer_word_decides() -> None:
    assert [hit.id for hit in BM25Index.build(TEXTS).search("solar battery", k=10)] == [1, 0]


def test_an_unseen_word_scores_zero_everywhere() -> None:
    index = BM25Index.build(TEXTS)
    assert np.array_equal(index.scores("zebra"), np.zeros(4, np.float32))
    assert index.search("zebra", k=3) == []
    assert index.idf("zebra") == 0.0


@pytest.mark.parametrize("texts", [[], ["mm-hmm", ""]])
def test_nothing_to_find_is_no_error(texts: list[str]) -> None:
    assert np.array_equal(BM25Index.build(texts).scores("battery"), np.zeros(len(texts), np.float32))


def test_a_word_counts_in_a_meeting_of_two_utterances() -> None:
    assert [hit.id for hit in BM25Index.build(["solar cells", "red buttons"]).search("solar", k=2)] == [0]


def test_chinese_questions_find_either_script() -> None:
    index = BM25Index.build(["遙控器的電池太貴", "按钮是红色的"])
    assert [hit.id for hit in index.search("电池为什么贵", k=2)] == [0]


def test_saved_and_loaded_it_scores_the_same(tmp_path: Path) -> None:
    index = BM25Index.build(TEXTS)
    index.save(tmp_path / "bm25")
    assert np.array_equal(
        BM25Index.load(tmp_path / "bm25").scores("solar battery"), index.scores("solar battery")
    )


def test_a_missing_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="keyword index"):
        BM25Index.load(tmp_path)

"""Fusion on numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grga.index.fusion import hybrid, normalise, top


def array(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_the_median_is_zero_and_the_best_one() -> None:
    assert normalise(array(0.75, 0.80, 0.82, 0.86, 0.90)) == pytest.approx([0, 0, 0, 0.5, 1], abs=1e-5)


def test_keyword_scores_are_divided_by_the_best() -> None:
    assert normalise(array(0, 0, 0, 2, 4)) == pytest.approx([0, 0, 0, 0.5, 1])


def test_when_most_share_the_best_the_lowest_is_the_floor() -> None:
    assert normalise(array(1, 3, 3)) == pytest.approx([0, 1, 1])


@pytest.mark.parametrize("scores", [array(), array(0, 0, 0), array(0.8), array(-1, -1)])
def test_all_equal_is_zero_not_nan(scores: np.ndarray) -> None:
    assert np.array_equal(normalise(scores), np.zeros(len(scores), np.float32))


def test_alpha_weighs_dense_against_keywords() -> None:
    keyword = array(0, 0, 0, 2, 4)
    dense = array(0.75, 0.80, 0.82, 0.90, 0.86)
    assert hybrid(keyword, dense, 0.6) == pytest.approx([0, 0, 0, 0.6 + 0.4 * 0.5, 0.6 * 0.5 + 0.4], abs=1e-5)
    assert hybrid(keyword, dense, 1.0) == pytest.approx(normalise(dense))
    assert hybrid(keyword, dense, 0.0) == pytest.approx(normalise(keyword))


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="2 keyword scores but 3 dense"):
        hybrid(array(1, 2), array(1, 2, 3))


def test_alpha_must_be_a_share() -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        hybrid(array(1), array(1), 1.5)


def test_top_is_ordered_and_leaves_out_zeros() -> None:
    assert [hit.id for hit in top(array(0.2, 0, 0.9, 0.2), k=5)] == [2, 0, 3]
    assert top(array(0.2), k=0) == []

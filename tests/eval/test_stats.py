from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from eval import stats

# Shrout & Fleiss 1979, table 2: six targets, four judges.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_reliability_equals_the_published_example() -> None:
    single, average = stats.icc(SHROUT_FLEISS)
    assert (round(single, 2), round(average, 2)) == (0.29, 0.62)
    squares = stats.mean_squares(SHROUT_FLEISS)
    assert (round(squares.items, 2), round(squares.raters, 2), round(squares.rest, 2)) == (11.24, 32.49, 1.02)


def test_items_that_do_not_differ_have_no_reliability() -> None:
    assert np.isnan(stats.icc(np.full((4, 3), 2.0))).all()
    assert np.isnan(stats.icc(np.array([[1.0, 2.0]]))).all()


def test_a_mean_with_its_interval() -> None:
    found = stats.crossed_mean(SHROUT_FLEISS)
    assert found.mean == pytest.approx(SHROUT_FLEISS.mean())
    assert (found.items, found.raters) == (6, 4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.mean < found.high
    assert found.mean - found.low == pytest.approx(found.high - found.mean)
    assert stats.crossed_mean(SHROUT_FLEISS) == found  # the same seed, the same interval


def test_the_bootstrap_error_is_that_of_the_crossed_design() -> None:
    """The variance of a mean with both items and raters drawn anew, worked out from multinomial weights."""
    random = np.random.default_rng(1)
    table = random.normal(3, 1, (40, 1)) + random.normal(0, 0.5, (1, 8)) + random.normal(0, 0.7, (40, 8))
    drawn = stats._resampled(table, seed=0, resamples=20_000)
    items, raters = table.shape
    centred = table - table.mean()
    expected = (
        (1 - 1 / raters) * (centred.mean(1) ** 2).sum() / items**2
        + (1 - 1 / items) * (centred.mean(0) ** 2).sum() / raters**2
        + (centred**2).sum() / (items * raters) ** 2
    )
    assert drawn.var() == pytest.approx(expected, rel=0.05)


def test_missing_scores_and_tiny_tables() -> None:
    table = np.array([[1.0, np.nan], [3.0, 5.0], [np.nan, np.nan]])
    assert stats.crossed_mean(table).mean == 3.0
    assert stats.crossed_mean(table).items == 2
    alone = stats.crossed_mean(np.array([[4.0, 5.0]]))
    assert (alone.mean, alone.low, alone.high) == (4.5, None, None)
    with pytest.raises(ValueError, match="no scores"):
        stats.crossed_mean(np.full((2, 2), np.nan))


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(-4, 4), min_size=5, max_size=60).filter(any))
def test_the_paired_test_is_scipys(differences: list[int]) -> None:
    found = stats.wilcoxon("a", "b", [float(one) for one in differences])
    expected = scipy_stats.wilcoxon(differences, zero_method="wilcox")
    assert found.p == pytest.approx(expected.pvalue)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.effect is not None
    assert -1 <= found.effect <= 1


def test_an_effect_by_hand_and_no_test_without_differences() -> None:
    # Ranks of 1, 2, 3 are 1, 2, 3; favourable 1 + 3, unfavourable 2: (4 - 2) / 6.
    assert stats.wilcoxon("a", "b", [1.0, -2.0, 3.0, 0.0]).effect == pytest.approx(1 / 3)
    same = stats.wilcoxon("a", "b", [0.0, 0.0])
    assert (same.p, same.effect, same.difference) == (None, 0.0, 0.0)
    assert stats.wilcoxon("a", "b", []).items == 0


def test_holm_by_hand() -> None:
    def test(p: float | None) -> stats.PairedTest:
        return stats.PairedTest("a", "b", 0.0, None, p, None, None, 9)

    corrected = stats.holm([test(0.01), test(None), test(0.04), test(0.03)])
    # Smallest first: 0.01 × 3, then 0.03 × 2, then 0.04 × 1 but never below the one before it.
    assert [one.p_holm for one in corrected] == [
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
        pytest.approx(0.06),
    ]
    assert stats.holm([]) == []

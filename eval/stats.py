"""Statistics of ratings: intervals over items and raters, paired tests, reliability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
"""Items × raters; nan where a rater has not judged an item."""

RESAMPLES = 2000
T = TypeVar("T")


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; the bounds are None where there is too little to tell."""

    mean: float
    low: float | None
    high: float | None
    items: int
    raters: int


def crossed_mean(table: Matrix, *, seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """Return the mean of a table of items × raters, with an interval for other items and other raters.

    Items and raters are drawn anew, both with replacement ("pigeonhole bootstrap", Owen 2007,
    https://doi.org/10.1214/07-AOAS122). With few raters its percentiles are too narrow, so the bootstrap's
    standard error is used with Student's t; its degrees of freedom weigh the variance that items, raters
    and the rest bring (Satterthwaite 1946, https://doi.org/10.2307/3002019); ``benchmarks/human_intervals.py`` shows how often such intervals hold the truth.

    Raises:
        ValueError: not a single value.
    """
    table = table[~np.isnan(table).all(1)][:, ~np.isnan(table).all(0)]
    if not table.size:
        raise ValueError("no scores")
    items, raters = table.shape
    mean = float(np.nanmean(table))
    if items < 2:
        return Estimate(mean, None, None, items, raters)
    draws = _resampled(table, seed, resamples)
    error = float(draws[np.isfinite(draws)].std(ddof=1))
    margin = _student(table) * error
    return Estimate(mean, mean - margin, mean + margin, items, raters)


def _resampled(table: Matrix, seed: int, resamples: int) -> Matrix:
    random = np.random.default_rng(seed)
    items, raters = table.shape
    there = ~np.isnan(table)
    by_item = random.multinomial(items, np.full(items, 1 / items), resamples)
    by_rater = random.multinomial(raters, np.full(raters, 1 / raters), resamples)
    sums = ((by_item @ np.where(there, table, 0.0)) * by_rater).sum(1)
    sizes = ((by_item @ there.astype(float)) * by_rater).sum(1)
    means: Matrix = np.divide(sums, sizes, out=np.full(resamples, np.nan), where=sizes > 0)
    return means


def _student(table: Matrix) -> float:
    """Return the 97.5 % quantile of Student's t for the mean of a crossed design."""
    from scipy.stats import t

    items, raters = table.shape
    if raters < 2:
        return float(t.ppf(0.975, items - 1))
    squares = mean_squares(table)
    cells = items * raters
    # What of the mean's variance comes from the items, the raters, the rest; a share below zero is none.
    shares = (
        max(squares.items - squares.rest, 0.0) / cells,
        max(squares.raters - squares.rest, 0.0) / cells,
        squares.rest / cells,
    )
    sizes = (items - 1, raters - 1, (items - 1) * (raters - 1))
    weight = sum(share * share / size for share, size in zip(shares, sizes, strict=True))
    return float(t.ppf(0.975, sum(shares) ** 2 / weight if weight > 0 else items - 1))


@dataclass(frozen=True)
class MeanSquares:
    """Of a two-way layout without replication: between items, between raters, what is left."""

    items: float
    raters: float
    rest: float


def mean_squares(table: Matrix) -> MeanSquares:
    """Return the mean squares of items × raters; a missing cell counts as its row's and column's mean say."""
    items, raters = table.shape
    grand = np.nanmean(table)
    rows, columns = np.nanmean(table, 1), np.nanmean(table, 0)
    expected = rows[:, None] + columns[None, :] - grand
    filled = np.where(np.isnan(table), expected, table)
    rows, columns, grand = filled.mean(1), filled.mean(0), filled.mean()
    rest = filled - rows[:, None] - columns[None, :] + grand
    return MeanSquares(
        items=float(raters * ((rows - grand) ** 2).sum() / max(items - 1, 1)),
        raters=float(items * ((columns - grand) ** 2).sum() / max(raters - 1, 1)),
        rest=float((rest**2).sum() / max((items - 1) * (raters - 1), 1)),
    )


def icc(table: Matrix) -> tuple[float, float]:
    """Return ICC(2,1) and ICC(2,k): how far one rater, or the mean of all, measures the items.

    Two-way random effects, absolute agreement (Shrout & Fleiss 1979,
    https://doi.org/10.1037/0033-2909.86.2.420). Items that somebody has not judged are left out; nan
    where items do not differ at all.
    """
    whole = table[~np.isnan(table).any(1)]
    items, raters = whole.shape
    if items < 2 or raters < 2:
        return float("nan"), float("nan")
    squares = mean_squares(whole)
    spread = squares.items - squares.rest
    bias = (squares.raters - squares.rest) / items
    single = squares.items + (raters - 1) * squares.rest + raters * bias
    average = squares.items + bias
    return (
        spread / single if single > 0 else float("nan"),
        spread / average if average > 0 else float("nan"),
    )


@dataclass(frozen=True)
class PairedTest:
    """Two systems on the same items.

    Attributes:
        difference: Mean of first minus second.
        statistic, p: Wilcoxon's signed-rank test, two-sided; None where every difference is zero.
        p_holm: ``p`` after Holm's correction over all tests reported together.
        effect: Matched-pairs rank-biserial correlation, -1..1.
        items: Items that both were judged on.
    """

    first: str
    second: str
    difference: float
    statistic: float | None
    p: float | None
    p_holm: float | None
    effect: float | None
    items: int


def wilcoxon(first: str, second: str, differences: Sequence[float]) -> PairedTest:
    """Return Wilcoxon's signed-rank test of item-wise differences (first minus second)."""
    from scipy import stats

    values = np.asarray(differences, dtype=float)
    if not len(values):
        return PairedTest(first, second, float("nan"), None, None, None, None, 0)
    mean = float(values.mean())
    if not values.any():
        return PairedTest(first, second, mean, None, None, None, 0.0, len(values))
    result = stats.wilcoxon(values, zero_method="wilcox")
    moved = values[values != 0]
    ranks = stats.rankdata(np.abs(moved))
    effect = float((ranks[moved > 0].sum() - ranks[moved < 0].sum()) / ranks.sum())
    return PairedTest(
        first, second, mean, float(result.statistic), float(result.pvalue), None, effect, len(values)
    )


def holm(tests: Sequence[PairedTest]) -> list[PairedTest]:
    """Return the tests with Holm's correction over all of them that have a p-value."""
    from statsmodels.stats.multitest import multipletests

    tested = [test.p for test in tests if test.p is not None]
    corrected = iter(multipletests(tested, method="holm")[1] if tested else ())
    return [replace(test, p_holm=float(next(corrected)) if test.p is not None else None) for test in tests]


@dataclass(frozen=True)
class Interval:
    """A statistic with the 2.5th and 97.5th percentile of its bootstrap."""

    value: float
    low: float
    high: float


def clustered(
    clusters: Sequence[Sequence[T]],
    statistic: Callable[[list[T]], float],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return a statistic of all rows with an interval that draws whole clusters anew.

    Questions about one meeting are not independent of each other, so meetings are drawn, not questions.

    Args:
        clusters: The rows of each meeting.
        statistic: Of any list of rows, in any order.
        seed: Of the bootstrap.
        resamples: How many times.

    Raises:
        ValueError: there are no rows.
    """
    if not any(clusters):
        raise ValueError("no rows")
    random = np.random.default_rng(seed)
    value = statistic([row for cluster in clusters for row in cluster])
    drawn = []
    for chosen in random.integers(0, len(clusters), (resamples, len(clusters))):
        rows = [row for number in chosen for row in clusters[number]]
        if rows:
            drawn.append(statistic(rows))
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Interval(value, float(low), float(high))

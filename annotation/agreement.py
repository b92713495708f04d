"""How far raters agree beyond chance, each value with a bootstrap interval over the items.

Cohen's and Fleiss' kappa come from statsmodels. Krippendorff's alpha is computed here from its
definition (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"): the maintained package
for it is under the GPL, which a package under Apache-2.0 cannot build on.

A value that is not defined is None, and ``explanation`` says why in plain words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
"""How often each item (row) got each value (column)."""
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]

RESAMPLES = 1000


class Rating(NamedTuple):
    """What one rater said about one item."""

    item: str
    rater: str
    value: Hashable


@dataclass(frozen=True)
class Measure:
    """A number about agreement.

    Attributes:
        name: What it is ("Cohen's kappa of ana and ben").
        value: None where it is not defined.
        low, high: The 95 % percentile bootstrap interval over items; None where there is none.
        items: How many items it rests on.
        explanation: Why there is no value or no interval, or what was left out; "" otherwise.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    items: int = 0
    explanation: str = ""


def cohen_kappa(
    ratings: Iterable[Rating],
    first: str,
    second: str,
    *,
    weights: Weights | None = None,
    levels: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> Measure:
    """Return Cohen's kappa of two raters over the items that both rated.

    Args:
        ratings: All ratings; those of others are not looked at.
        first: Name of one rater.
        second: Name of the other.
        weights: For ordered values: how a disagreement grows with the distance of their ranks.
        levels: All values in order; by default those that occur, sorted.
        seed: Of the bootstrap.
    """
    said: dict[str, dict[str, Hashable]] = {first: {}, second: {}}
    for one in ratings:
        if one.rater in said:
            said[one.rater][one.item] = one.value
    common = [item for item in said[first] if item in said[second]]
    name = f"Cohen's kappa of {first} and {second}"
    if not common:
        return Measure(name, None, explanation=f"{first} and {second} have judged no item in common")
    pairs = [(said[first][item], said[second][item]) for item in common]
    known = _levels((value for pair in pairs for value in pair), levels)
    rank = {value: place for place, value in enumerate(known)}
    rows = np.array([(rank[a], rank[b]) for a, b in pairs])

    def kappa(some: npt.NDArray[np.int64]) -> float:
        table = np.zeros((len(known), len(known)), np.int64)
        np.add.at(table, (some[:, 0], some[:, 1]), 1)
        return kappa_of_table(table, weights)

    return _measured(name, rows, kappa, len(common), _single(value for pair in pairs for value in pair), seed)


def kappa_of_table(table: Counts, weights: Weights | None = None) -> float:
    """Return Cohen's kappa of a square table of two raters' values; nan where only one value occurs."""
    from statsmodels.stats.inter_rater import cohens_kappa

    if np.count_nonzero(table.sum(0) + table.sum(1)) < 2:
        return float("nan")
    return float(cohens_kappa(table, wt=weights, return_results=False))


def fleiss_kappa(ratings: Iterable[Rating], *, seed: int = 0) -> Measure:
    """Return Fleiss' kappa, which needs the same number of ratings of every item.

    Where the numbers differ, the items with the commonest number above one are used and the
    explanation says how many others were left out.
    """
    name = "Fleiss' kappa"
    counts, values = count(ratings)
    totals = Counter(int(total) for total in counts.sum(1) if total > 1)
    if not totals:
        return Measure(name, None, explanation="no item has been judged by two people")
    usual = max(totals, key=lambda total: (totals[total], total))
    used = counts[counts.sum(1) == usual]
    left_out = len(counts) - len(used)
    note = f"{_items(left_out)} left out, judged by another number of people than {usual}" if left_out else ""
    single = _single(value for value, total in zip(values, used.sum(0), strict=True) if total)
    return _measured(name, used, fleiss_of_counts, len(used), single, seed, note)


def fleiss_of_counts(counts: Counts) -> float:
    """Return Fleiss' kappa of counts whose rows have the same sum; nan where only one value occurs."""
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa

    if np.count_nonzero(counts.sum(0)) < 2:
        return float("nan")
    return float(kappa(counts, method="fleiss"))


def krippendorff_alpha(
    ratings: Iterable[Rating],
    level: Level = "nominal",
    *,
    levels: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> Measure:
    """Return Krippendorff's alpha; items may have any number of ratings, those with one are ignored.

    Args:
        ratings: All of them.
        level: How the values are measured. Interval and ratio need numbers.
        levels: All values in order; by default those that occur, sorted.
        seed: Of the bootstrap.
    """
    name = f"Krippendorff's alpha ({level})"
    counts, values = count(ratings, levels)
    used = counts[counts.sum(1) > 1]
    if not len(used):
        return Measure(name, None, explanation="no item has been judged by two people")
    numbers = None if level in ("nominal", "ordinal") else np.array([float(str(one)) for one in values])
    single = _single(value for value, total in zip(values, used.sum(0), strict=True) if total)
    return _measured(name, used, lambda some: alpha_of_counts(some, level, numbers), len(used), single, seed)


def alpha_of_counts(
    counts: Counts, level: Level = "nominal", values: npt.NDArray[np.float64] | None = None
) -> float:
    """Return Krippendorff's alpha of counts; nan where no two ratings differ in value.

    Args:
        counts: One row per item, one column per value, in order.
        level: How the values are measured.
        values: The columns' numbers, for interval and ratio; by default 0, 1, 2, …
    """
    paired = counts[counts.sum(1) > 1].astype(np.float64)
    if not len(paired):
        return float("nan")
    totals = paired.sum(1, keepdims=True)
    coincidences = (paired / (totals - 1)).T @ paired - np.diag((paired / (totals - 1)).sum(0))
    margins = coincidences.sum(1)
    distances = _distances(margins, level, values)
    expected = float(margins @ distances @ margins) / (margins.sum() - 1)
    return 1 - float((coincidences * distances).sum()) / expected if expected > 0 else float("nan")


def mean(name: str, values: Sequence[float], nothing: str, *, seed: int = 0) -> Measure:
    """Return the mean of one value per item; ``nothing`` explains that there are none."""
    if not values:
        return Measure(name, None, explanation=nothing)
    return _measured(name, np.array(values), lambda some: float(some.mean()), len(values), "", seed)


def count(
    ratings: Iterable[Rating], levels: Sequence[Hashable] | None = None
) -> tuple[Counts, list[Hashable]]:
    """Return how often each item got each value, and the values of the columns."""
    given = list(ratings)
    values = _levels((one.value for one in given), levels)
    column = {value: place for place, value in enumerate(values)}
    row = {item: place for place, item in enumerate(dict.fromkeys(one.item for one in given))}
    counts = np.zeros((len(row), len(values)), np.int64)
    for one in given:
        counts[row[one.item], column[one.value]] += 1
    return counts, values


# --- helpers ----------------------------------------------------------------------------------------


def _levels(values: Iterable[Hashable], levels: Sequence[Hashable] | None) -> list[Hashable]:
    found: set[Any] = set(values)
    return sorted(found) if levels is None else list(levels)


def _single(values: Iterable[Hashable]) -> str:
    """Return why nothing can be compared with chance; "" when two values occur."""
    found = set(values)
    if len(found) > 1:
        return ""
    return (
        f"everybody always said {next(iter(found))!s}: where only one answer occurs, agreement cannot be told "
        "from chance"
    )


def _distances(
    margins: npt.NDArray[np.float64], level: Level, values: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.float64]:
    """Squared distance of every value from every other."""
    size = len(margins)
    if level == "nominal":
        return 1 - np.eye(size)
    if level == "ordinal":
        below = np.cumsum(margins) - margins / 2  # a value's rank is where the middle of its ratings lies
        return np.asarray((below[:, None] - below[None, :]) ** 2)
    numbers = np.arange(size, dtype=np.float64) if values is None else values
    gaps = (numbers[:, None] - numbers[None, :]) ** 2
    if level == "interval":
        return np.asarray(gaps)
    sums = (numbers[:, None] + numbers[None, :]) ** 2
    return np.divide(gaps, sums, out=np.zeros_like(gaps), where=sums > 0)


def _measured(
    name: str,
    rows: npt.NDArray[Any],
    statistic: Callable[[Any], float],
    items: int,
    undefined: str,
    seed: int,
    note: str = "",
) -> Measure:
    """Return ``statistic`` of the rows (one per item) with its interval, or why there is none."""
    value = statistic(rows)
    if not np.isfinite(value):
        return Measure(name, None, items=items, explanation=undefined or "too few different answers")
    if items < 2:
        return Measure(name, value, items=items, explanation="a single item gives no interval")
    draws = np.random.default_rng(seed).integers(0, items, (RESAMPLES, items))
    drawn = np.array([statistic(rows[draw]) for draw in draws])
    defined = drawn[np.isfinite(drawn)]
    if len(defined) < RESAMPLES / 2:
        why = "no interval: in most resamples of the items only one answer occurs"
        return Measure(name, value, items=items, explanation="; ".join(filter(None, (note, why))))
    low, high = np.percentile(defined, (2.5, 97.5))
    return Measure(name, value, float(low), float(high), items, note)


def _items(number: int) -> str:
    return "1 item is" if number == 1 else f"{number} items are"

"""How many questions and raters a study needs to see a difference (paired, by the t approximation)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """``items`` questions rated by ``raters`` people each show ``difference`` with probability ``power``."""

    difference: float
    raters: int
    items: int
    power: float


def needed(
    difference: float,
    *,
    raters: int = 3,
    item_spread: float = 0.8,
    score_spread: float = 0.9,
    power: float = 0.8,
    alpha: float = 0.05,
    tests: int = 3,
) -> Need:
    """Return the least number of questions.

    Args:
        difference: In points of the 1–5 scale, the one that matters.
        raters: People per answer.
        item_spread: Standard deviation, over questions, of the true difference of the two systems.
        score_spread: Standard deviation of one rater's single score around it.
        power: Wished probability of finding the difference.
        alpha: Level of all tests together.
        tests: How many are corrected for (Bonferroni, which is on the safe side of Holm).

    Raises:
        ValueError: a number that makes no sense.
    """
    from statsmodels.stats.power import TTestPower

    if not (difference > 0 and raters >= 1 and tests >= 1 and 0 < power < 1 and 0 < alpha < 1):
        raise ValueError("difference, raters and tests must be positive, power and alpha between 0 and 1")
    # Two systems, each score with its own noise, averaged over the raters.
    spread = (item_spread**2 + 2 * score_spread**2 / raters) ** 0.5
    if spread <= 0:
        raise ValueError("without any spread a single question shows the difference")
    solver = TTestPower()
    items = 2
    while solver.power(difference / spread, items, alpha / tests) < power:
        items += 1
        if items > 100_000:
            raise ValueError(f"a difference of {difference} cannot be seen with fewer than 100,000 questions")
    return Need(difference, raters, items, float(solver.power(difference / spread, items, alpha / tests)))

"""How often the intervals of human studies hold the truth: ``python -m benchmarks.human_intervals``.

Studies are drawn from a population of questions and raters whose mean is known: a question's own
quality, a rater's own strictness, and chance, rounded to the scale from 1 to 5. An honest 95 %
interval holds the population's mean in about 95 of 100 studies.
"""

from __future__ import annotations

import numpy as np

from eval.stats import crossed_mean

STUDIES = 400
MEAN, QUESTIONS, CHANCE = 3.4, 0.8, 0.7
"""Mean score and standard deviations, in points of the scale."""


def study(random: np.random.Generator, items: int, raters: int, strictness: float) -> np.ndarray:
    scores = (
        MEAN
        + random.normal(0, QUESTIONS, (items, 1))
        + random.normal(0, strictness, (1, raters))
        + random.normal(0, CHANCE, (items, raters))
    )
    return np.clip(np.round(scores), 1, 5)


def truth(random: np.random.Generator, strictness: float) -> float:
    spread = (QUESTIONS**2 + strictness**2 + CHANCE**2) ** 0.5
    return float(np.clip(np.round(random.normal(MEAN, spread, 4_000_000)), 1, 5).mean())


def main() -> None:
    random = np.random.default_rng(7)
    print("| questions | raters | strictness (sd) | held the truth | mean half width |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for items, raters in ((12, 3), (50, 3), (150, 3), (50, 6)):
        for strictness in (0.0, 0.15, 0.4):
            wanted, held, width = truth(random, strictness), 0, 0.0
            for number in range(STUDIES):
                found = crossed_mean(study(random, items, raters, strictness), seed=number, resamples=500)
                assert found.low is not None
                assert found.high is not None
                held += found.low <= wanted <= found.high
                width += (found.high - found.low) / 2 / STUDIES
            print(f"| {items} | {raters} | {strictness} | {held / STUDIES:.1%} | {width:.2f} |")


if __name__ == "__main__":
    main()

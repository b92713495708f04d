"""Our alpha on random ratings with gaps is that of the package krippendorff."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.agreement import Rating, count, krippendorff_alpha


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_that_of_the_package(level: str, seed: int) -> None:
    package = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
    random = np.random.default_rng(seed)
    table = random.integers(1, 6, (4, 30)).astype(float)
    table[random.random(table.shape) < 0.25] = np.nan  # not everybody rates everything
    ratings = [
        Rating(f"item {item}", f"rater {rater}", int(table[rater, item]))
        for rater, item in np.argwhere(~np.isnan(table))
    ]
    assert count(ratings)[0].sum() == len(ratings)
    ours = krippendorff_alpha(ratings, level)  # type: ignore[arg-type]
    assert ours.value == pytest.approx(package.alpha(table, level_of_measurement=level))

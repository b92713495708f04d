"""The best path through CTC posteriors, against every path there is."""

from __future__ import annotations

from itertools import groupby, product

import numpy as np
import pytest

from grga.speech.alignment.viterbi import forced_path

BLANK = 0


def posteriors(frames: int, labels: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).exponential(size=(frames, labels))
    return np.log(rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)


def test_each_label_takes_the_frames_where_it_is_heard() -> None:
    heard = [0, 1, 1, 0, 0, 2, 2, 2]
    log_probs = np.full((len(heard), 3), np.log(0.05), np.float32)
    log_probs[range(len(heard)), heard] = np.log(0.9)
    first, second = forced_path(log_probs, [1, 2], BLANK)
    assert (first.first, first.last) == (1, 3)
    assert (second.first, second.last) == (5, 8)
    assert np.exp(first.log_probability) == pytest.approx(0.9)


@pytest.mark.parametrize("labels", [[1], [1, 2], [1, 1], [2, 1, 2], [1, 1, 1], [1, 2, 2]])
@pytest.mark.parametrize("seed", range(4))
def test_no_path_is_better(labels: list[int], seed: int) -> None:
    log_probs = posteriors(6, 3, seed)

    def says(path: tuple[int, ...]) -> list[int]:
        return [label for label, _ in groupby(path) if label != BLANK]

    paths = [path for path in product(range(3), repeat=6) if says(path) == labels]
    best = max(paths, key=lambda path: log_probs[range(6), path].sum())
    path = [BLANK] * 6
    for label, stretch in zip(labels, forced_path(log_probs, labels, BLANK), strict=True):
        path[stretch.first : stretch.last] = [label] * (stretch.last - stretch.first)
    assert path == list(best)


def test_a_repeated_label_needs_a_blank_between() -> None:
    assert forced_path(posteriors(2, 3), [1, 1], BLANK) is None
    one, other = forced_path(posteriors(3, 3), [1, 1], BLANK)
    assert (one[:2], other[:2]) == ((0, 1), (2, 3))


def test_too_few_frames_and_nothing_to_say() -> None:
    assert forced_path(posteriors(2, 5), [1, 2, 3], BLANK) is None
    assert forced_path(posteriors(0, 5), [1], BLANK) is None
    assert forced_path(posteriors(3, 5), [], BLANK) == []

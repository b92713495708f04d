"""The best way through CTC posteriors that says given labels: constrained Viterbi, in numpy.

Forced alignment with CTC (Graves et al. 2006, https://doi.org/10.1145/1143844.1143891; Kürzinger et al. 2020,
https://arxiv.org/abs/2007.09127). It is written out here because no library serves: torchaudio's wheel
needs the CUDA libraries even beside a CPU build of torch, and ctc-segmentation comes as source code that
has to be compiled and looks for whole utterances in long files. A clip of 30 s takes some hundredths of a
second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Stretch(NamedTuple):
    """Frames ``first`` up to, not including, ``last`` in which one label is said."""

    first: int
    last: int
    log_probability: float
    """Mean over its frames, natural logarithm."""


def forced_path(
    log_probs: npt.NDArray[np.float32], labels: Sequence[int], blank: int
) -> list[Stretch] | None:
    """Return where each label is said on the most probable path; None when no path says them all.

    Args:
        log_probs: Natural logarithms of the posteriors, shape (frames, labels).
        labels: What is said, without blanks.
        blank: The label for "nothing new".

    None means too few frames: each label needs one, and a repeated label a blank before it.
    """
    if not labels:
        return []
    states = np.full(2 * len(labels) + 1, blank)
    states[1::2] = labels
    # A blank may be left out between two different labels.
    skippable = np.zeros(len(states), bool)
    skippable[3::2] = states[3::2] != states[1:-2:2]

    frames = len(log_probs)
    came = np.zeros((frames, len(states)), np.int8)  # how many states the best path came forward
    score = np.full(len(states), -np.inf)
    if frames:
        score[:2] = log_probs[0, states[:2]]
    for frame in range(1, frames):
        ways = np.full((3, len(states)), -np.inf)
        ways[0] = score
        ways[1, 1:] = score[:-1]
        ways[2, 2:] = np.where(skippable[2:], score[:-2], -np.inf)
        came[frame] = ways.argmax(axis=0)
        score = ways.max(axis=0) + log_probs[frame, states]
    state = len(states) - 1 if score[-1] >= score[-2] else len(states) - 2
    if not np.isfinite(score[state]):
        return None

    path = np.empty(frames, int)
    for frame in range(frames - 1, -1, -1):
        path[frame] = state
        state -= came[frame, state]
    return [_stretch(path, 2 * index + 1, label, log_probs) for index, label in enumerate(labels)]


def _stretch(
    path: npt.NDArray[np.int_], state: int, label: int, log_probs: npt.NDArray[np.float32]
) -> Stretch:
    first, last = np.searchsorted(path, [state, state + 1])
    return Stretch(int(first), int(last), float(log_probs[first:last, label].mean()))

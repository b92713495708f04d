"""Which meeting belongs to which split. A meeting is never cut, so no split knows another's speakers' words."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping

from grga.errors import AnnotationError

RATIOS: Mapping[str, float] = {"train": 0.8, "validation": 0.1, "test": 0.1}
"""Shares of the meetings."""


def split_meetings(
    meetings: Collection[str], ratios: Mapping[str, float] = RATIOS, seed: int = 0
) -> dict[str, str]:
    """Return the split of every meeting, the same for the same meetings, ratios and seed.

    With at least one meeting per split, none is empty; with fewer, the first splits get them.

    Raises:
        AnnotationError: a ratio is not above zero, or they do not add up to one.
    """
    if any(share <= 0 for share in ratios.values()) or abs(sum(ratios.values()) - 1) > 1e-6:
        raise AnnotationError(
            "the shares of the splits must be above 0 and add up to 1",
            found=", ".join(f"{name} {share:g}" for name, share in ratios.items()),
        )
    shuffled = sorted(set(meetings), key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())
    names = list(ratios)
    sizes = [round(ratios[name] * len(shuffled)) for name in names]
    for place in range(min(len(names), len(shuffled))):
        sizes[place] = max(1, sizes[place])
    sizes[sizes.index(max(sizes))] += len(shuffled) - sum(sizes)
    labels = [name for name, size in zip(names, sizes, strict=True) for _ in range(size)]
    return dict(zip(shuffled, labels, strict=True))

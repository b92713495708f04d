"""Is a question asked already, perhaps in other words?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from annotation.schema import QAItem
from grga.embedding import TextEncoder
from grga.text import tokenize

ALIKE: dict[str, float] = {"e5": 0.96, "use": 0.86}
"""Least cosine of two questions that ask the same, by encoder. Calibrated on rewordings of generated
questions, see ``docs/generation.md``."""
ALIKE_OTHERWISE = 0.96

_QUOTED = re.compile(r"[“\"「]([^”\"」]+)[”\"」]")
_CONTRAST = re.compile(
    r"\b(?:first|last|before|after|most|least|agrees?|objects?|disagrees?|\w{2,}est)\b|最.|先|后|同意|反对",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d+(?::\d\d)+|\d+")


class Twin(NamedTuple):
    """An item that asks the same, and the cosine of the two questions."""

    item: QAItem
    cosine: float


def find_twin(item: QAItem, others: Iterable[QAItem], encoder: TextEncoder) -> Twin | None:
    """Return the most similar item of the same meeting that asks the same as ``item``; None if none does.

    Two questions ask the same when their cosine reaches ``ALIKE`` and they name the same people, times,
    numbers and quoted words, and the same side of a contrast (first, last; loudest, quietest): "How long does Maya speak?" and "How long does Tom speak?" are near in any
    encoder, and different questions.
    """
    near = [
        other
        for other in others
        if other.key != item.key and other.meeting == item.meeting and particulars(other) == particulars(item)
    ]
    if not near:
        return None
    # Both sides as questions: whether two are alike does not depend on which came first.
    asked = encoder.encode_query(item.question)
    cosines = [float(np.dot(encoder.encode_query(other.question), asked)) for other in near]
    best = int(np.argmax(cosines))
    found = Twin(near[best], cosines[best])
    return found if found.cosine >= ALIKE.get(encoder.name, ALIKE_OTHERWISE) else None


def particulars(item: QAItem) -> frozenset[str]:
    """Return what a question is about in particular: people of the evidence, quotes, times, contrasts."""
    question = item.question
    quoted = {" ".join(tokenize(text)) for text in _QUOTED.findall(question)}
    unquoted = _QUOTED.sub(" ", question)
    people = {one.speaker for one in item.evidence if one.speaker in unquoted}
    contrasts = {word.lower() for word in _CONTRAST.findall(unquoted)}
    return frozenset({*quoted, *people, *contrasts, *_TIME.findall(unquoted)})

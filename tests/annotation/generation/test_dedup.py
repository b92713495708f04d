"""Duplicates with the real encoder: rewordings are found, and neighbours in meaning stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.generation.dedup import find_twin
from annotation.schema import QAItem
from grga.embedding import TextEncoder, load_text_encoder

Make = Callable[..., QAItem]

SAME = (
    ("How much is the new service fee that Tom announces?", "How high is the new service fee Tom announces?"),
    ("Who breaks the longest silence of the meeting?", "Who breaks the meeting's longest silence?"),
    ("Why did they drop the wooden case?", "Why was the wooden case dropped?"),
    ("谁说得最多？", "谁说话说得最多？"),
)
OTHER = (
    ("How long does Tom speak in total?", "How long does Rosa speak in total?"),
    ("Who says “there are no hidden fees”?", "Who says “a new service fee of two hundred euros”?"),
    ("What is being said at 0:30?", "What is being said at 1:05?"),
    ("Why did they drop the wooden case?", "How long does the battery last?"),
    ("Who speaks first in the meeting?", "Who speaks last in the meeting?"),
)


@pytest.fixture(scope="module")
def real() -> TextEncoder:
    return load_text_encoder("e5")


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_rewording_is_a_twin(one: str, other: str, item: Make, real: Any) -> None:
    twin = find_twin(item(question=one), [item(key="contract-2", question=other)], real)
    assert twin is not None
    assert twin.item.question == other


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_question_is_none(one: str, other: str, item: Make, real: Any) -> None:
    evidence = (8, 9, 3)
    assert find_twin(item(*evidence, question=one), [item(*evidence, key="k2", question=other)], real) is None

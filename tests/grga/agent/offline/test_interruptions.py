"""An interruption is an overlap, or a turn that breaks off with another voice at once."""

from __future__ import annotations

import pytest

from grga.agent.policies.offline.answers.interruptions import find_cuts
from grga.types import TimeSpan, Utterance

BEFORE = Utterance(0, "S3", TimeSpan(0, 9), "Let us look at the dates that the hall gave us.")


def turns(first: str, gap: float) -> list[Utterance]:
    return [
        BEFORE,
        Utterance(1, "S1", TimeSpan(10, 14), first),
        Utterance(2, "S2", TimeSpan(14 + gap, 18), "Not the twenty-eighth, that is my sister's wedding."),
    ]


@pytest.mark.parametrize(
    "first", ["I would really recommend the", "I would recommend the...", "And I would, no,"]
)
def test_a_turn_that_breaks_off_is_cut_off(first: str) -> None:
    (cut,) = find_cuts(turns(first, 0.1))
    assert (cut.by.id, cut.on.id, round(cut.seconds, 2)) == (2, 1, 0.1)


def test_an_overlap_is_measured() -> None:
    (cut,) = find_cuts(turns("I would really recommend the last one.", -0.8))
    assert (cut.by.id, cut.on.id, round(cut.seconds, 2)) == (2, 1, -0.8)


@pytest.mark.parametrize(
    ("first", "gap"),
    [("I would recommend the last one.", 0.1), ("I would recommend the...", 0.9), ("Is it free then?", 0.0)],
)
def test_a_finished_sentence_or_a_pause_is_no_interruption(first: str, gap: float) -> None:
    assert find_cuts(turns(first, gap)) == []


def test_without_punctuation_a_missing_mark_tells_nothing() -> None:
    bare = [
        Utterance(one.id, one.speaker, one.span, one.text.strip("."))
        for one in turns("I would take the", 0.1)
    ]
    assert find_cuts(bare) == []

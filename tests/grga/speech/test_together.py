"""Who talks at the same time, and for how long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grga.speech.diarization import SpeakerSegment
from grga.speech.together import Together, covered
from grga.types import TimeSpan


def turns(*rows: tuple[str, float, float]) -> list[SpeakerSegment]:
    return [SpeakerSegment(speaker, TimeSpan(start, end)) for speaker, start, end in rows]


def test_others_are_found_inside_the_span_and_inside_the_speakers_own_turns() -> None:
    together = Together(turns(("A", 0, 5), ("B", 4, 8), ("C", 4.5, 9), ("A", 7, 10)))
    assert together.during("A", TimeSpan(0, 10)) == {
        "B": [TimeSpan(4, 5), TimeSpan(7, 8)],
        "C": [TimeSpan(4.5, 5), TimeSpan(7, 9)],
    }
    assert together.during("A", TimeSpan(4.8, 7.5)) == {
        "B": [TimeSpan(4.8, 5), TimeSpan(7, 7.5)],
        "C": [TimeSpan(4.8, 5), TimeSpan(7, 7.5)],
    }
    assert together.during("D", TimeSpan(0, 10)) == {}


def test_turns_that_only_meet_do_not_overlap() -> None:
    together = Together(turns(("A", 0, 4), ("B", 4, 6), ("A", 6, 9), ("A", 8, 10)))
    assert together.during("A", TimeSpan(3, 7)) == {}


def test_covered_counts_common_time_once() -> None:
    parts = [TimeSpan(1, 3), TimeSpan(2, 4), TimeSpan(2.5, 3.5), TimeSpan(9, 12)]
    assert covered(TimeSpan(0, 10), parts) == 4


tenths = st.integers(0, 100)
rows = st.lists(st.tuples(st.sampled_from("ABC"), tenths, st.integers(0, 30)), max_size=12)


@given(rows, tenths, st.integers(1, 60))
def test_it_agrees_with_looking_at_every_tenth(
    spans: list[tuple[str, int, int]], start: int, length: int
) -> None:
    together = Together(turns(*[(who, begin / 10, (begin + more) / 10) for who, begin, more in spans]))
    inside = TimeSpan(start / 10, (start + length) / 10)
    expected = {"A": 0, "B": 0, "C": 0}
    for tenth in range(start, start + length):
        talking = {who for who, begin, more in spans if begin <= tenth < begin + more}
        if "A" in talking:
            for other in talking - {"A"}:
                expected[other] += 1
    found = {who: covered(inside, parts) for who, parts in together.during("A", inside).items()}
    assert {who: found.get(who, 0.0) for who in "ABC"} == {
        who: pytest.approx(tenths / 10) for who, tenths in expected.items()
    }

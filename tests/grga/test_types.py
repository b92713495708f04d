import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grga.types import Meeting, Scope, Speaker, TimeSpan, Utterance

seconds = st.floats(0, 10_000, allow_nan=False)
spans = st.tuples(seconds, seconds).map(lambda pair: TimeSpan(min(pair), max(pair)))


@pytest.mark.parametrize(("start", "end"), [(2.0, 1.0), (math.nan, 1.0), (0.0, math.inf)])
def test_a_span_that_is_no_time_is_refused_at_birth(start: float, end: float) -> None:
    with pytest.raises(ValueError, match="time span"):
        TimeSpan(start, end)


def test_overlap_and_iou_of_two_spans() -> None:
    a, b = TimeSpan(0, 10), TimeSpan(5, 20)
    assert a.overlap(b) == 5
    assert a.iou(b) == 5 / 20
    assert a.overlap(TimeSpan(10, 12)) == 0
    assert a.touches(TimeSpan(10, 12))
    assert not a.touches(TimeSpan(10.1, 12))


def test_two_equal_instants_agree_fully_and_two_different_ones_not_at_all() -> None:
    assert TimeSpan(3, 3).iou(TimeSpan(3, 3)) == 1.0
    assert TimeSpan(3, 3).iou(TimeSpan(4, 4)) == 0.0


def test_widening_never_goes_before_the_recording() -> None:
    assert TimeSpan(1, 2).widened(2) == TimeSpan(0, 4)


@given(spans, spans)
def test_iou_is_symmetric_and_between_zero_and_one(a: TimeSpan, b: TimeSpan) -> None:
    assert a.iou(b) == pytest.approx(b.iou(a))
    assert 0.0 <= a.iou(b) <= 1.0


@given(spans, spans)
def test_clipping_leaves_what_overlaps(a: TimeSpan, b: TimeSpan) -> None:
    part = a.clipped(b)
    assert (part is None) == (not a.touches(b))
    if part is not None:
        assert part.duration == pytest.approx(a.overlap(b))


def test_a_scope_limits_speaker_and_time() -> None:
    early = Utterance(0, "S1", TimeSpan(0, 4), "Hello.")
    late = Utterance(1, "S2", TimeSpan(60, 62), "Goodbye.")
    scope = Scope(frozenset({"S1"}), TimeSpan(0, 30))
    assert scope.allows(early)
    assert not scope.allows(late)
    assert Scope().allows(late)


def test_a_meeting_knows_names_and_refuses_unknown_speakers() -> None:
    line = Utterance(0, "S1", TimeSpan(0, 1), "Hi.")
    meeting = Meeting("m", "M", 1.0, (line,), (Speaker("S1", "Rosa"),))
    assert meeting.name_of(line) == "Rosa"
    with pytest.raises(KeyError):
        meeting.speaker("S2")

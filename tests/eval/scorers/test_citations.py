from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.items import EvalItem, Span
from eval.runs import Cited, RunRecord
from eval.scorers.citations import count, count_spans, rates, recall_at, union
from grga.types import TimeSpan

spans = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 20)).map(lambda one: TimeSpan(one[0], one[0] + one[1])),
    max_size=8,
)


def record(cited: list[tuple[float, float]], gold: list[tuple[float, float]]) -> RunRecord:
    item = EvalItem(
        key="q",
        corpus="c",
        meeting="m",
        question="?",
        gold=tuple(Span(start=start, end=end) for start, end in gold),
    )
    moments = tuple(
        Cited(utterance=number, speaker="A", start=start, end=end, text="")
        for number, (start, end) in enumerate(cited)
    )
    return RunRecord(item=item, system="s", cited=moments)


@pytest.mark.parametrize(
    ("cited", "right"),
    [
        ((9.0, 12.0), True),  # overlaps
        ((6.0, 8.0), True),  # ends exactly 2 s before: the widened span begins there
        ((6.0, 7.9), False),
        ((22.0, 30.0), True),
        ((22.1, 30.0), False),
        ((0.0, 100.0), True),  # a citation of everything is right once, and costs time precision
    ],
)
def test_a_citation_is_right_within_two_seconds(cited: tuple[float, float], right: bool) -> None:
    found = count(record([cited], [(10.0, 20.0)]))
    assert (found.right, found.cited, found.touched, found.gold) == (int(right), 1, int(right), 1)


def test_rates_by_hand() -> None:
    one = count(record([(10, 12), (50, 60)], [(10, 20), (30, 40), (90, 95)]))
    assert (one.precision, one.recall) == (0.5, pytest.approx(1 / 3))
    assert one.f1 == pytest.approx(0.4)
    assert (one.time_precision, one.time_recall) == (pytest.approx(2 / 12), pytest.approx(2 / 25))
    none = count(record([], [(10, 20)]))
    assert (none.precision, none.recall, none.f1, none.time_precision) == (0.0, 0.0, 0.0, 0.0)
    both = rates([one, none])
    assert (both.precision, both.recall) == (0.25, pytest.approx(1 / 6))
    assert (both.micro_precision, both.micro_recall) == (0.5, 0.25)  # 1 of 2 citations, 1 of 4 spans


def test_without_gold_there_is_nothing_to_count() -> None:
    with pytest.raises(ValueError, match="no gold spans"):
        count(record([(1, 2)], []))


@given(spans)
def test_a_union_is_apart_in_order_and_covers_the_same(some: list[TimeSpan]) -> None:
    merged = union(some)
    assert all(one.end < two.start for one, two in pairwise(merged))
    assert all(any(whole.start <= one.start and one.end <= whole.end for whole in merged) for one in some)


@given(spans, spans.filter(bool))
def test_counts_stay_in_bounds(cited: list[TimeSpan], gold: list[TimeSpan]) -> None:
    found = count_spans(cited, gold)
    assert 0 <= found.right <= found.cited == len(cited)
    assert 0 <= found.touched <= found.gold == len(gold)
    assert found.shared_seconds <= min(found.cited_seconds, found.gold_seconds) + 1e-9


def test_recall_counts_only_the_first_that_were_found() -> None:
    utterances = [(0.0, 5.0), (10.0, 15.0), (40.0, 45.0)]
    answer = record([], [(12, 13), (41, 42)]).model_copy(update={"retrieved": (0, 1, 2)})
    assert [recall_at(answer, utterances, k) for k in (1, 2, 3, 10)] == [0.0, 0.5, 1.0, 1.0]

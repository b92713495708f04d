from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest

from eval.human.analysis import ALL, analyse
from eval.human.desk import Desk
from eval.human.rating import RatingRoom
from eval.human.scores import conduct, scores, to_csv
from eval.human.study import Exclusion, KnownItem, Study
from grga.errors import StudyError

Open = Callable[..., Study]
RateAll = Callable[..., None]

LENIENT = Exclusion(least_seconds=0.0)


def by_rater(number: int) -> Callable[[str], int]:
    """Rater ``number`` gives "blue" (whose answers begin with Ann) one more than "green"; later raters more."""
    return lambda text: min(5, number + 1 + text.startswith("Ann"))


@pytest.fixture
def finished(desk: Desk, opened: Open, rate_all: RateAll) -> Desk:
    """Two raters have rated four questions; the study is closed and unblinded."""
    opened(4, exclusion=LENIENT)
    for number in (1, 2):
        rate_all(desk.invite("tea", f"Rater {number}"), by_rater(number))
    desk.close("tea", "Olga")
    desk.unblind("tea", "Olga")
    return desk


def test_the_table_equals_a_computation_by_hand(finished: Desk) -> None:
    found = analyse(finished, "tea")
    # Rater 1 gives blue 3 and green 2, rater 2 gives blue 4 and green 3, on every criterion and question.
    assert found.cell("meetings", "blue", "Correctness").estimate.mean == 3.5
    assert found.cell("meetings", "green", "Coherence").estimate.mean == 2.5
    assert found.cell("meetings", "blue", ALL).estimate.items == 4
    for comparison in found.comparisons:
        assert (comparison.test.first, comparison.test.second) == ("blue", "green")
        assert comparison.test.difference == 1.0
        assert comparison.test.effect == 1.0
        assert comparison.test.p == pytest.approx(0.125)  # two-sided, four pairs: 2 / 2**4
        assert comparison.test.p_holm == pytest.approx(0.375)
        assert comparison.estimate.mean == 1.0
    assert found.corpora == ("meetings",)


def test_corpora_are_reported_apart_and_together(desk: Desk, a_study: Open, rate_all: RateAll) -> None:
    study = a_study(4, exclusion=LENIENT)
    items = tuple(
        one.model_copy(update={"corpus": "AMI" if number % 2 else "AliMeeting"})
        for number, one in enumerate(study.items)
    )
    desk.make(study.model_copy(update={"items": items}))
    desk.open_study("tea", "Olga", cleared=True)
    rate_all(desk.invite("tea", "Rita"), by_rater(1))
    desk.close("tea", "Olga")
    desk.unblind("tea", "Olga")
    found = analyse(desk, "tea")
    assert found.corpora == ("AMI", "AliMeeting")
    assert {one.corpus for one in found.cells} == {"AMI", "AliMeeting", ALL}
    assert found.cell("AMI", "blue", "Correctness").estimate.items == 2
    alpha = found.agreement[0].alpha
    assert alpha.value is None
    assert "judged by two people" in alpha.explanation


def test_nothing_is_told_by_system_before_unblinding(desk: Desk, opened: Open, rate_all: RateAll) -> None:
    opened(2)
    rate_all(desk.invite("tea", "Rita"))
    with pytest.raises(StudyError, match="still blind"):
        analyse(desk, "tea")
    assert conduct(desk, "tea")[0].done == 4


def test_raters_are_excluded_by_rules_fixed_before_and_reported(
    desk: Desk, room: RatingRoom, opened: Open, rate_all: RateAll, clock: object
) -> None:
    check = KnownItem(key="c", question="Please give 1.", text="Give 1.", expected={"Correctness": (1, 1)})
    rule = Exclusion(most_failed_checks=0, least_seconds=0.0)
    opened(2, checks=(check,), exclusion=rule)
    rate_all(desk.invite("tea", "Careful"), lambda text: 1 if text == "Give 1." else 4)
    rate_all(desk.invite("tea", "Careless"), lambda text: 5)
    room.consent(desk.invite("tea", "Absent"))
    desk.close("tea", "Olga")
    desk.unblind("tea", "Olga")
    assert [(line.rater, line.failed_checks, line.excluded) for line in conduct(desk, "tea")] == [
        ("R1", 0, ""),
        ("R2", 1, "failed 1 attention checks (at most 0 allowed)"),
        ("R3", 0, "finished 0 of 4 answers (at least 90% expected)"),
    ]
    assert {one.rater for one in scores(desk, "tea")} == {"R1"}
    assert {one.rater for one in scores(desk, "tea", excluded=True)} == {"R1", "R2"}
    assert analyse(desk, "tea").cell("meetings", "blue", "Coherence").estimate.mean == 4.0


def test_a_study_without_usable_scores_is_analysed_to_nothing(desk: Desk, opened: Open) -> None:
    opened(1)
    desk.close("tea", "Olga")
    desk.unblind("tea", "Olga")
    found = analyse(desk, "tea")
    assert found.cells == ()
    assert found.comparisons == ()


def test_raw_scores_are_a_csv_with_rater_numbers_only(finished: Desk) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(scores(finished, "tea")))))
    assert len(rows) == 2 * 4 * 2 * 3
    assert {row["rater"] for row in rows} == {"R1", "R2"}
    assert {(row["system"], row["score"]) for row in rows if row["rater"] == "R1"} == {
        ("blue", "3"),
        ("green", "2"),
    }
    assert all(row["heard"] == "1" for row in rows)

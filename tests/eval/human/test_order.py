from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.human.order import criteria_order, latin_square, next_row, rater_tasks
from eval.human.study import KnownItem, Study, TaskKind

MakeStudy = Callable[..., Study]


@given(st.integers(1, 8))
def test_every_system_stands_once_in_each_row_and_once_at_each_position(size: int) -> None:
    square = latin_square(size)
    assert all(sorted(row) == list(range(size)) for row in square)
    assert all(sorted(column) == list(range(size)) for column in zip(*square, strict=True))


@pytest.mark.parametrize("size", [2, 4, 6])
def test_for_an_even_number_every_system_follows_every_other_equally_often(size: int) -> None:
    pairs = Counter(pair for row in latin_square(size) for pair in pairwise(row))
    assert set(pairs.values()) == {1}


def positions(study: Study, row: int, salt: str) -> dict[str, list[str]]:
    """Return, per question, the systems in the order shown."""
    order: dict[str, list[str]] = {}
    for task in rater_tasks(study, row, salt):
        if task.kind == TaskKind.RATING:
            order.setdefault(task.item, []).append(task.system or "")
    return order


def test_each_system_is_first_equally_often_for_a_rater_and_for_a_question(a_study: MakeStudy) -> None:
    study = a_study(6)
    one, two = positions(study, 0, "a"), positions(study, 1, "b")
    assert Counter(order[0] for order in one.values()) == {"blue": 3, "green": 3}
    assert all(one[key] == list(reversed(two[key])) for key in one)


def test_ids_and_order_differ_from_rater_to_rater_and_say_nothing(a_study: MakeStudy) -> None:
    study = a_study(6)
    one, two = rater_tasks(study, 0, "a"), rater_tasks(study, 0, "b")
    assert not {task.id for task in one} & {task.id for task in two}
    assert [task.item for task in one] != [task.item for task in two]
    assert rater_tasks(study, 0, "a") == one


def test_training_comes_first_and_checks_never_part_two_answers_to_one_question(a_study: MakeStudy) -> None:
    known = [KnownItem(key=f"k{n}", question="?", text=".", expected={"Coherence": (1, 5)}) for n in range(3)]
    tasks = rater_tasks(a_study(6, training=known[:1], checks=known[1:]), 0, "a")
    assert [task.position for task in tasks] == list(range(15))
    assert tasks[0].kind == TaskKind.TRAINING
    ratings = [task.item if task.kind == TaskKind.RATING else None for task in tasks[1:]]
    assert ratings.count(None) == 2
    assert all(abs(_places(ratings, key)) == 1 for key in set(ratings) - {None})


def _places(shown: list[str | None], key: str | None) -> int:
    first, second = (place for place, one in enumerate(shown) if one == key)
    return second - first


@pytest.mark.parametrize(
    ("completed", "active", "row"),
    [
        ({}, {}, 0),
        ({}, {0: 1}, 1),
        ({0: 1}, {1: 5}, 1),  # five who may never finish do not count against one who has
        ({0: 2, 1: 2}, {0: 1}, 1),
    ],
)
def test_only_finished_raters_balance_the_rows(
    completed: dict[int, int], active: dict[int, int], row: int
) -> None:
    assert next_row(2, completed, active) == row


def test_criteria_are_shuffled_per_rater_only_when_the_study_says_so(a_study: MakeStudy) -> None:
    plain, shuffled = a_study(3), a_study(3, shuffle_criteria=True)
    assert {criteria_order(plain, salt) for salt in "abcdef"} == {
        ("Correctness", "Groundedness", "Coherence")
    }
    assert len({criteria_order(shuffled, salt) for salt in "abcdefghij"}) > 1

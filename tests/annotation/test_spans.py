"""Temporal IoU of marked evidence."""

from __future__ import annotations

import pytest

from annotation.spans import agree, merged, temporal_iou
from grga.types import TimeSpan


def spans(*bounds: tuple[float, float]) -> list[TimeSpan]:
    return [TimeSpan(*one) for one in bounds]


@pytest.mark.parametrize(
    ("first", "second", "iou"),
    [
        (spans((0, 10)), spans((0, 10)), 1.0),
        (spans((0, 10)), spans((5, 15)), 5 / 15),
        (spans((0, 10)), spans((10, 20)), 0.0),
        (spans((0, 10)), [], 0.0),
        ([], [], 1.0),
        (spans((0, 4), (6, 10)), spans((0, 10)), 0.8),
        (spans((0, 4), (6, 10)), spans((6, 10), (0, 4)), 1.0),
        (spans((0, 6), (4, 10)), spans((0, 10)), 1.0),
        (spans((0, 10), (0, 10)), spans((0, 10)), 1.0),
        (spans((3, 3)), spans((3, 3)), 1.0),
        (spans((3, 3)), spans((4, 4)), 0.0),
        (spans((0, 1), (2, 3)), spans((0, 1), (5, 6)), 1 / 3),
    ],
)
def test_iou_is_the_seconds_in_both_over_the_seconds_in_either(
    first: list[TimeSpan], second: list[TimeSpan], iou: float
) -> None:
    assert temporal_iou(first, second) == pytest.approx(iou)
    assert temporal_iou(second, first) == pytest.approx(iou)


def test_spans_that_touch_become_one() -> None:
    assert merged(spans((5, 7), (0, 2), (2, 3), (6, 6))) == (TimeSpan(0, 3), TimeSpan(5, 7))


def test_nine_tenths_is_not_yet_agreement() -> None:
    assert not agree(temporal_iou(spans((0, 9)), spans((0, 10))))
    assert agree(temporal_iou(spans((0, 9.1)), spans((0, 10))))

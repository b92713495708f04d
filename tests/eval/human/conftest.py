"""A small study of two systems, and raters who go through it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from eval.human.desk import Desk
from eval.human.rating import RatingRoom
from eval.human.study import Candidate, Study, StudyItem
from eval.records import Clip


class Clock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        self.now += timedelta(**time)


def item(number: int, **fields: object) -> StudyItem:
    """Question ``number`` with an answer of "blue" and one of "green", both citing one clip."""
    candidates = tuple(
        Candidate(
            system=system,
            text=f"{words} it was settled on day {number} [1].",
            clips=(Clip(start=10.0 * number, end=10.0 * number + 3, speaker="Ann", text="Day it is."),),
        )
        for system, words in (("blue", f"Ann says for question {number}"), ("green", f"In part {number}"))
    )
    return StudyItem.model_validate(
        {"key": f"q{number}", "question": f"What was settled, number {number}?", "meeting": "m1"}
        | {"candidates": candidates}
        | fields
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(tmp_path: Path, clock: Clock) -> Desk:
    return Desk.open(tmp_path, clock=clock)


@pytest.fixture
def room(desk: Desk) -> RatingRoom:
    return RatingRoom(desk)


@pytest.fixture
def a_study() -> Callable[..., Study]:
    """Return a study of ``questions`` questions; other fields as given."""

    def make(questions: int = 3, **fields: object) -> Study:
        items = tuple(map(item, range(1, questions + 1)))
        return Study.model_validate({"key": "tea", "title": "Tea", "items": items} | fields)

    return make


@pytest.fixture
def opened(desk: Desk, a_study: Callable[..., Study]) -> Callable[..., Study]:
    """Make and open a study of ``questions`` questions; other fields as given."""

    def make(questions: int = 3, **fields: object) -> Study:
        study = desk.make(a_study(questions, **fields), by="Olga")
        desk.open_study(study.key, by="Olga", cleared=True)
        return study

    return make


@pytest.fixture
def rate_all(room: RatingRoom) -> Callable[..., None]:
    """Go through everything as a diligent rater; ``score`` maps an answer's text to its scores."""

    def go(token: str, score: Callable[[str], int] = lambda text: 3) -> None:
        _rate_all(room, token, score)

    return go


def _rate_all(room: RatingRoom, token: str, score: Callable[[str], int]) -> None:
    view = room.consent(token)
    while view.task is not None:
        task = view.task
        for clip in task.clips:
            room.listen(token, task.id, clip.id, clip.seconds)
        for criterion in task.criteria:
            room.rate(token, task.id, criterion.name, score(task.text))
        view = room.view(token)

"""A short meeting, items about it, and a workspace whose clock the test moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation import queries
from annotation.schema import Evidence, Generator, QAItem
from annotation.verdicts import Judgement
from annotation.workflow import add_items
from annotation.workspace import Rules, Workspace
from grga.agent.steps import QuestionType
from grga.errors import StoreError
from grga.types import Meeting, Speaker, TimeSpan, Utterance

LINES = (
    ("S1", 0.0, 6.0, "Good morning, let us start with the budget."),
    ("S2", 7.0, 14.0, "I promise there are no hidden fees."),
    ("S1", 15.0, 19.0, "Then twelve thousand euros are enough."),
    ("S2", 20.0, 30.0, "There is a new service fee of two hundred euros."),
    ("S1", 31.0, 40.0, "What? You promised there are no hidden fees!"),
)


def a_meeting(name: str = "m1") -> Meeting:
    spoken = tuple(
        Utterance(number, speaker, TimeSpan(start, end), text)
        for number, (speaker, start, end, text) in enumerate(LINES)
    )
    return Meeting(name, "Budget", 42.0, spoken, (Speaker("S1", "Maria"), Speaker("S2", "Tom")), "en")


def an_item(key: str = "m1-1", evidence: tuple[int, ...] = (3,), **values: Any) -> QAItem:
    meeting = a_meeting(values.get("meeting", "m1"))
    plain: dict[str, Any] = {
        "key": key,
        "meeting": meeting.id,
        "type": QuestionType.FACTUAL,
        "subtask": "attribute association",
        "question": f"How high is the service fee? ({key})",
        "answer": "Two hundred euros.",
        "evidence": tuple(Evidence.of(meeting, one) for one in evidence),
        "generator": Generator(name="offline", prompt="factual@1", seed=7, seconds=0.5),
    }
    return QAItem.model_validate({**plain, **values})


class Clock:
    """The time of day, which moves only when told to, and a second with each look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Desk:
    """What a test works with."""

    home: Path
    workspace: Workspace
    clock: Clock

    def item(self, key: str = "m1-1", evidence: tuple[int, ...] = (3,), **values: Any) -> QAItem:
        """Return an item that is not in the workspace yet."""
        return an_item(key, evidence, **values)

    def add(self, *keys: str, overlap: int | None = None, **values: Any) -> None:
        """Propose items."""
        add_items(self.workspace, [an_item(key, **values) for key in keys], "setup", overlap=overlap)

    def stands(self, key: str = "m1-1") -> QAItem:
        """Return an item as it is now."""
        with self.workspace.reading() as session:
            return queries.item(session, key)

    def judgements(self, **wanted: Any) -> list[Judgement]:
        """Return verdicts that were given."""
        with self.workspace.reading() as session:
            return queries.judgements(session, **wanted)


def find_meeting(name: str) -> Meeting:
    if not name.startswith("m"):
        raise StoreError(f"there is no meeting {name!r}")
    return a_meeting(name)


@pytest.fixture
def open_desk(tmp_path: Path) -> Callable[..., Desk]:
    """Return a function that opens the workspace below ``home`` with the given rules."""

    def open_(home: Path = tmp_path / "home", **rules: Any) -> Desk:
        clock = Clock()
        opened = Workspace.open(home, rules=Rules(**{"gold_every": 0, **rules}))
        return Desk(home, replace(opened, clock=clock, meeting=find_meeting), clock)

    return open_


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    """Two annotators per item, no gold items."""
    return open_desk()

"""What kind of thing an answer must hold, and whether some words hold it."""

from __future__ import annotations

import pytest

from grga.agent.policies.offline.kinds import asks_for_moment, holds, kind_asked
from grga.agent.steps import Form


@pytest.mark.parametrize(
    ("question", "form", "kind"),
    [
        ("How much is the fee?", Form.HOW_MANY, "money"),
        ("What is the selling price?", Form.WHAT, "money"),
        ("How many chairs are there?", Form.HOW_MANY, "number"),
        ("How long does the battery last?", Form.HOW_LONG, "length"),
        ("On which date is the show?", Form.WHAT, "date"),
        ("When will it be delivered?", Form.WHEN, "date"),
        ("When was the fee mentioned?", Form.WHEN, None),
        ("What is the name of the donkey?", Form.WHAT, "name"),
        ("What did they think of the price?", Form.WHAT, None),
        ("水桶要多少钱？", Form.HOW_MANY, "money"),
    ],
)
def test_kind_asked(question: str, form: Form, kind: str | None) -> None:
    assert kind_asked(question, form) == kind


@pytest.mark.parametrize(
    ("kind", "text", "there"),
    [
        ("money", "twelve point five Euros per unit", True),
        ("money", "It costs €25.", True),
        ("money", "The price is too high.", False),
        ("money", "三百块钱", True),
        ("date", "on the fourteenth of November", True),
        ("date", "We meet on Friday at 9 am.", True),
        ("date", "We meet soon.", False),
        ("date", "下个星期六上午九点", True),
        ("length", "The battery lasts nine hours.", True),
        ("length", "The battery is heavy.", False),
        ("number", "two hundred chairs", True),
        ("number", "a lot of chairs", False),
    ],
)
def test_holds(kind: str, text: str, there: bool) -> None:
    assert holds(kind, text) is there


def test_a_when_about_the_meeting_asks_for_a_moment() -> None:
    assert asks_for_moment("When did Rosa shout?")
    assert not asks_for_moment("When is the deadline?")

"""Which generator survives, and how the annotators do."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.report import report
from annotation.schema import Status
from annotation.verdicts import read_verdict
from annotation.workflow import adjudicate, judge, set_gold, undo

Desk = Any  # of conftest.py, which tests cannot import


def say(kind: str, seconds: float = 0, **values: Any) -> Any:
    return read_verdict({"kind": kind, "seconds": seconds, **values})


@pytest.fixture
def worked(desk: Desk) -> Desk:
    """The desk after some work of two generators and two annotators."""
    model = {"name": "qwen", "prompt": "factual@2", "seconds": 2.0, "tokens": 300, "price": 0.01}
    desk.add("m1-1", "m1-2", "m1-3", overlap=1, generator=model)
    desk.add("m1-4", overlap=1, generator=model, status=Status.FAILED)
    desk.add("m1-5", overlap=1)
    desk.add("gold-1", "gold-2", overlap=1)
    set_gold(desk.workspace, "gold-1", True, "lead")
    set_gold(desk.workspace, "gold-2", False, "lead")
    judge(desk.workspace, "m1-1", "ana", say("accept", 10))
    judge(desk.workspace, "m1-2", "ana", say("reject", 20, reason="trivial"))
    judge(desk.workspace, "m1-3", "ana", say("flag", 30))
    adjudicate(desk.workspace, "m1-3", "ben", say("accept", 40))
    judge(desk.workspace, "gold-1", "ana", say("accept", 6, marks=[{"utt_id": 3, "start": 20, "end": 25}]))
    judge(desk.workspace, "gold-2", "ana", say("reject", 8, reason="other"))
    judge(desk.workspace, "m1-5", "ben", say("accept", 5))
    undo(desk.workspace, "ben")
    return desk


def test_acceptance_and_cost_by_generator_prompt_and_type(worked: Desk) -> None:
    offline, model = report(worked.workspace).groups
    assert (model.generator, model.prompt, model.type) == ("qwen", "factual@2", "factual")
    assert (model.items, model.accepted, model.rejected, model.open, model.failed) == (4, 2, 1, 0, 1)
    assert model.acceptance == 0.5
    assert model.per_accepted(model.human_seconds) == 50
    assert model.per_accepted(model.machine_seconds) == 4
    assert model.per_accepted(model.tokens) == 600
    assert model.per_accepted(model.price) == pytest.approx(0.02)
    assert (offline.items, offline.open, offline.acceptance, offline.price) == (1, 1, None, None)
    assert offline.human_seconds == 5


def test_annotators_are_measured_by_their_pace_and_by_gold_items(worked: Desk) -> None:
    ana, ben = report(worked.workspace).annotators
    assert (ana.decisions, ana.flagged, ana.median_seconds) == (4, 1, 9)
    assert (ana.gold_right, ana.gold_seen, ana.gold_accuracy) == (1, 2, 0.5)
    assert (ben.decisions, ben.undone, ben.adjudicated, ben.gold_accuracy) == (0, 1, 1, None)


def test_the_items_of_one_prompt_taken_together(worked: Desk) -> None:
    found = report(worked.workspace)
    model = found.made_by("qwen", "factual@2")
    assert model is not None
    assert (model.items, model.acceptance) == (4, 0.5)
    assert found.made_by("nobody", None) is None


def test_the_report_as_text_and_as_a_record(worked: Desk) -> None:
    found = report(worked.workspace)
    assert found.text().splitlines()[2].split() == (
        ["qwen", "factual@2", "factual", "4", "2", "1", "0", "1", "50%", "50", "4", "600", "0.02"]
    )
    assert found.text().splitlines()[5].split() == [
        "ana",
        "4",
        "9",
        "0",
        "1",
        "0",
        "0",
        "1",
        "of",
        "2",
        "(50%)",
    ]
    assert found.to_dict()["groups"][1]["price_per_accepted"] == pytest.approx(0.02)


def test_the_report_can_be_limited_to_a_meeting(worked: Desk) -> None:
    assert report(worked.workspace, meetings=["m2"]).groups == ()
    assert report(worked.workspace, batch="").groups != ()

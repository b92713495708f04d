"""A batch is verified before the next one is made."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.batches import WorkspaceSink, batches, may_generate, start_batch, update_batch
from annotation.schema import Status
from annotation.verdicts import read_verdict
from annotation.workflow import judge, set_gold
from grga.errors import AnnotationError

Desk = Any  # of conftest.py, which tests cannot import

ACCEPT = read_verdict({"kind": "accept"})
PLAN = {"generator": "offline", "quotas": {"factual": 2}}


def test_the_next_batch_waits_until_the_last_one_is_settled(desk: Desk) -> None:
    start_batch(desk.workspace, "b1", "m1", PLAN)
    desk.add("m1-1", "m1-2", batch="b1", overlap=1)
    refused = may_generate(desk.workspace, "m1", "b2")
    assert not refused
    assert (
        refused.reason == "2 questions are not settled yet in the batch 'b1': finish it before the next one"
    )
    with pytest.raises(
        AnnotationError, match="the batch 'b2' cannot be made yet: 2 questions are not settled"
    ):
        start_batch(desk.workspace, "b2", "m1", PLAN)
    assert may_generate(desk.workspace, "m2", "b2")
    assert may_generate(desk.workspace, "m1", "b1")

    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    assert may_generate(desk.workspace, "m1", "b2").reason.startswith("1 question is not settled")
    judge(desk.workspace, "m1-2", "ana", read_verdict({"kind": "flag"}))
    assert not may_generate(desk.workspace, "m1", "b2")
    set_gold(desk.workspace, "m1-2", True, "lead")
    allowed = may_generate(desk.workspace, "m1", "b2")
    assert allowed
    assert allowed.reason == "every earlier batch of this meeting is verified"


def test_failed_items_and_items_without_a_batch_hold_nothing_up(desk: Desk) -> None:
    desk.add("m1-1", batch="b1", status=Status.FAILED)
    desk.add("m1-2")
    assert may_generate(desk.workspace, "m1", "b2")


def test_a_stopped_batch_goes_on_under_its_name_and_plan(desk: Desk) -> None:
    start_batch(desk.workspace, "b1", "m1", PLAN, by="lead", total=5)
    update_batch(desk.workspace, "b1", state="failed", done=2, tokens=700, error="the server is gone")
    again = start_batch(desk.workspace, "b1", "m1", PLAN)
    assert (again.state, again.done, again.total, again.tokens, again.error) == ("running", 2, 5, 700, "")
    with pytest.raises(AnnotationError, match="there is another batch 'b1' already"):
        start_batch(desk.workspace, "b1", "m1", {**PLAN, "seed": 2})
    with pytest.raises(AnnotationError, match="there is no batch 'b9'"):
        update_batch(desk.workspace, "b9", done=1)
    assert [one.name for one in batches(desk.workspace, "m1")] == ["b1"]


def test_a_generator_puts_items_into_its_batch_and_goes_on_where_it_stopped(desk: Desk) -> None:
    desk.add("m1-0")
    sink = WorkspaceSink(desk.workspace, start_batch(desk.workspace, "b1", "m1", PLAN, by="lead"), overlap=3)
    sink.add(desk.item("m1-1"))
    sink.finish("factual 0")

    again = WorkspaceSink(desk.workspace, start_batch(desk.workspace, "b1", "m1", PLAN))
    again.add(desk.item("m1-1", question="Another question under a known key?"))
    again.add(desk.item("m1-2", status=Status.FAILED))

    assert again.finished() == ["factual 0"]
    assert [(one.key, one.batch) for one in again.items()] == [("m1-0", ""), ("m1-1", "b1"), ("m1-2", "b1")]
    assert desk.stands("m1-1").question == "How high is the service fee? (m1-1)"
    assert desk.stands("m1-1").history[0].by == "lead"
    assert batches(desk.workspace)[0].done == 1

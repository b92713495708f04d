"""Batches in the background: they end, stop, go on after a restart, and say why they may not begin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotation import queries
from annotation.batches import batches
from annotation.schema import Status
from annotation.tables import Batch
from annotation.ui.batches_view import batches_html
from annotation.ui.desk import Desk
from annotation.ui.from_ask import take_over
from annotation.ui.generating import Generating, read_plan
from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.config import LlmConfig
from grga.errors import AnnotationError
from grga.history import Part
from grga.llm import connect

SECONDS = 60


def plan(**values: Any) -> Any:
    return read_plan({"types": {"factual": 2}, "generator": "offline", "overlap": 1, **values})


def row(office: Desk, name: str) -> Batch:
    return next(one for one in batches(office.workspace) if one.name == name)


def made(office: Desk, batch: str) -> list[Any]:
    with office.workspace.reading() as session:
        return queries.items(session, batch=batch)


def test_a_batch_is_made_checked_and_done(office: Desk, meeting: str) -> None:
    name = office.generating.start("", meeting, plan(), by="test", check=office.run_checks)
    office.generating.wait(name, SECONDS)
    found = row(office, name)
    assert (found.state, found.done, found.total, found.error) == ("done", 1, 1, "")
    items = made(office, name)
    assert items
    with office.workspace.reading() as session:
        for item in items:
            checks = queries.checks(session, item.key)
            assert checks is not None
            assert all(one["passed"] for one in checks), checks


def test_the_next_batch_waits_for_the_one_before(office: Desk, meeting: str) -> None:
    name = office.generating.start("first", meeting, plan())
    office.generating.wait(name, SECONDS)
    with pytest.raises(AnnotationError, match="not settled yet in the batch 'first'"):
        office.generating.start("second", meeting, plan(types={"temporal": 1}))


def test_what_a_restart_has_cut_waits_and_goes_on(office: Desk, meeting: str) -> None:
    from annotation.batches import start_batch

    wanted = plan(types={"factual": 1, "temporal": 1})
    start_batch(office.workspace, "cut", meeting, wanted.model_dump(mode="json"))
    assert row(office, "cut").state == "running"
    again = Generating(office.services, office.workspace)  # as a new process does
    assert row(office, "cut").state == "stopped"
    again.start("cut", meeting, wanted)
    again.wait("cut", SECONDS)
    assert row(office, "cut").state == "done"
    keys = [item.key for item in made(office, "cut")]
    assert len(keys) == len(set(keys))
    again.close()


def test_a_model_batch_without_a_model_says_so(office: Desk, meeting: str) -> None:
    with pytest.raises(AnnotationError, match="no model is set up"):
        office.generating.start("", meeting, plan(generator="model"))


@pytest.mark.parametrize(
    "values",
    [
        {"types": {}},
        {"types": {"factual": 0}},
        {"types": {"factual": 999}},
        {"types": {"musical": 1}},
        {"subtasks": ["duration"]},
        {"overlap": 0},
        {"seed": -1},
        {"generator": "guess"},
    ],
)
def test_an_impossible_plan_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(AnnotationError, match="these questions cannot be made"):
        plan(**values)


def test_only_the_chosen_subtasks_are_made(office: Desk, meeting: str) -> None:
    wanted = plan(types={"factual": 3}, subtasks=["keyword locating"])
    name = office.generating.start("", meeting, wanted)
    office.generating.wait(name, SECONDS)
    assert {item.subtask for item in made(office, name)} == {"keyword locating"}


def test_a_model_s_good_and_broken_replies_are_both_kept(
    office: Desk, meeting: str, serve: Any, tmp_path: Any
) -> None:
    good = {
        "subtask": "attribute association",
        "question": "How high is the handling fee that Imran names?",
        "answer": "Fifty pounds.",
        "evidence": [1],
        "reasoning": "He says it.",
    }
    server = serve({"questions": [{"questions": [good, good | {"evidence": []}]}]})
    settings = LlmConfig.model_validate({"base_url": server.address, "model": "m", "retries": 0})
    client = connect(settings, tmp_path)
    wanted = plan(generator="model", types={"factual": 2}, subtasks=["attribute association"])
    name = office.generating.start("", meeting, wanted, client=client, check=office.run_checks)
    office.generating.wait(name, SECONDS)
    found = row(office, name)
    assert found.state == "done", found.error
    assert found.tokens > 0
    states = sorted(item.status for item in made(office, name))
    assert states[:1] == [Status.FAILED]
    assert Status.PROPOSED in states
    html = batches_html([found], {name: made(office, name)}, {})
    assert "no evidence from the stretch that was read" in html


def test_failures_are_shown_with_their_reason_and_reply(propose: Any, office: Desk) -> None:
    reply = "<img src=x> ${alert(1)}"
    propose(
        "q1",
        batch="b",
        status=Status.FAILED,
        evidence=(),
        answerable=False,
        reasoning=f"broken JSON\n\nThe model wrote:\n{reply}",
    )
    one = Batch(name="b", meeting="m", created=office.workspace.clock(), plan={}, state="done")
    html = batches_html([one], {"b": made(office, "b")}, {})
    assert "1 failed" in html
    assert "broken JSON" in html
    assert "&lt;img src=x&gt; &#36;&#123;alert(1)&#125;" in html
    assert "<img" not in html


def test_an_answer_of_ask_becomes_an_item_once(office: Desk, meeting: str, stands: Any) -> None:
    question = "How high is the handling fee?"
    loaded = office.services.load(meeting)
    part = Part.of(loaded.meeting, AgentTrace.collect(make_answerer().answer(question, loaded)))
    asked = office.services.history.add("a" * 32, question, [part])
    assert "waiting to be verified" in take_over(office, asked)
    assert "already" in take_over(office, asked)
    item = stands(f"ask-{asked.token}-1")
    assert (item.generator.name, item.batch, item.status) == ("ask", "", Status.PROPOSED)
    assert item.evidence_nodes == tuple(sorted(one.utterance for one in part.answer.citations))
    silent = replace(asked, parts=(replace(part, answer=replace(part.answer, sentences=())),))
    with pytest.raises(AnnotationError, match="nothing that could be verified"):
        take_over(office, silent)

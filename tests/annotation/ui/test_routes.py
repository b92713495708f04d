"""Verify and Adjudicate over HTTP: blind, checked, and the same verdict sent twice counts once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from annotation import queries, workflow
from annotation.schema import Status
from annotation.ui.desk import Desk
from annotation.verdicts import read_verdict

AT = "/grga/annotate"
EVIDENCE = {"utt_id": 1, "start": 5.0, "end": 8.0}


def take(client: TestClient, name: str) -> dict[str, Any]:
    reply = client.post(f"{AT}/next", json={"name": name})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def give(client: TestClient, name: str, key: str, path: str = "verdict", **verdict: Any) -> Any:
    plain = {"kind": "accept", "seconds": 3.25}
    return client.post(f"{AT}/{path}", json={"name": name, "key": key, "verdict": plain | verdict})


def test_an_item_comes_with_what_is_needed_to_judge_it(client: TestClient, propose: Any) -> None:
    propose("q1")
    told = take(client, "Ana")
    task = told["task"]
    assert (task["question"], task["answer"]) == ("How high is the handling fee? (q1)", "Fifty pounds.")
    assert task["evidence"][0]["utt_id"] == 1
    assert task["meeting"]["here"]
    assert task["meeting"]["audio"].startswith("grga/audio/")
    assert told["progress"] == {"yours": 0, "left": 1, "adjudication": 0, "total": 1}
    checks = client.get(f"{AT}/checks/q1").json()["checks"]
    assert {one["name"]: one["passed"] for one in checks}["evidence exists"]
    assert all(one["reason"] for one in checks)


def test_nobody_hears_of_another_verdict_before_the_own_one(client: TestClient, propose: Any) -> None:
    propose("q1")
    note = "quite sure, says the first one"
    marks = [EVIDENCE | {"start": 6.5}]
    assert give(client, "First Person", "q1", note=note, marks=marks).status_code == 200
    for path, reply in {
        "next": client.post(f"{AT}/next", json={"name": "Second"}),
        "checks": client.get(f"{AT}/checks/q1"),
        "item": client.get(f"{AT}/items/q1"),
        "list": client.get(f"{AT}/items.json"),
        "setup": client.get(f"{AT}/setup.json"),
    }.items():
        assert reply.status_code == 200, path
        assert "First Person" not in reply.text, path
        assert note not in reply.text, path
        assert "6.5" not in reply.text, path
    task = take(client, "Second")["task"]
    assert not {"history", "status", "verifier", "gold"} & set(task)
    assert client.get(f"{AT}/items/q1").json()["held_back"]


def test_a_gold_item_looks_like_any_other(client: TestClient, propose: Any, office: Desk) -> None:
    propose("plain")
    plain = take(client, "Ana")["task"]
    propose("golden")
    workflow.set_gold(office.workspace, "golden", True, "lead")
    with office.workspace.writing() as session:
        task = workflow._take(session, office.workspace, "golden", "Ana", workflow.Role.ANNOTATOR)
    from annotation.ui.task_view import task_model

    golden = task_model(task, office.page(task.item.meeting))
    assert set(golden) == set(plain)
    assert "gold" not in json.dumps({**golden, "key": "", "question": ""})
    keys = [one["key"] for one in client.get(f"{AT}/items.json").json()["items"]]
    assert keys == ["plain"]  # the list tells the right decision, so it holds no gold


def test_the_same_verdict_sent_again_is_acknowledged_and_kept_once(
    client: TestClient, propose: Any, office: Desk
) -> None:
    propose("q1")
    first = give(client, "Ana", "q1", marks=[EVIDENCE | {"end": 7.9}])
    again = give(client, "Ana", "q1", marks=[EVIDENCE | {"end": 7.9}])
    assert first.json()["saved"] == again.json()["saved"]
    give(client, "Ben", "q1")
    assert give(client, "Ben", "q1").status_code == 200  # also after it has settled the item
    with office.workspace.reading() as session:
        assert len(queries.judgements(session, item="q1")) == 2
    other = give(client, "Ana", "q1", kind="reject", reason="trivial")
    assert other.status_code == 409
    assert "error" in other.json()


def test_undo_brings_the_item_back_and_only_once(client: TestClient, propose: Any, stands: Any) -> None:
    propose("q1")
    give(client, "Ana", "q1")
    told = client.post(f"{AT}/undo", json={"name": "Ana", "key": "q1"}).json()
    assert (told["task"]["key"], told["progress"]["yours"]) == ("q1", 0)
    assert client.post(f"{AT}/undo", json={"name": "Ana", "key": "q1"}).status_code == 409
    assert stands("q1").status is Status.PROPOSED


def test_an_adjudication_is_not_taken_back_under_verify(client: TestClient, propose: Any) -> None:
    disputed(client, propose)
    give(client, "Cleo", "q1", "settle")
    reply = client.post(f"{AT}/undo", json={"name": "Cleo", "role": "annotator"})
    assert reply.status_code == 409
    assert "Adjudicate" in reply.json()["error"]


def disputed(client: TestClient, propose: Any) -> None:
    """Two people differ about q1: one moves the evidence, one rejects."""
    propose("q1")
    give(client, "Ana Quist", "q1", marks=[EVIDENCE | {"start": 6.5}])
    give(client, "Ben Rood", "q1", kind="reject", reason="ambiguous")


def test_an_adjudicator_sees_versions_under_letters(client: TestClient, propose: Any) -> None:
    disputed(client, propose)
    reply = client.post(f"{AT}/dispute", json={"name": "Cleo"})
    task = reply.json()["task"]
    assert "Ana" not in reply.text
    assert "Ben" not in reply.text
    assert [one["letter"] for one in task["versions"]] == ["A", "B"]
    assert sorted(one["kind"] for one in task["versions"]) == ["accept", "reject"]
    moved = next(one for one in task["versions"] if one["kind"] == "accept")
    assert moved["evidence"][0]["start"] == 6.5
    assert moved["iou"] == pytest.approx(0.5)
    assert task["evidence"][0]["start"] == 5.0  # as proposed
    assert "differ" in task["dispute"]


def test_an_adjudicator_settles_with_own_spans(client: TestClient, propose: Any, stands: Any) -> None:
    disputed(client, propose)
    assert give(client, "Ana Quist", "q1", "settle").status_code == 409  # she is one of the annotators
    assert give(client, "Cleo", "q1", "settle", marks=[EVIDENCE | {"start": 5.5}]).status_code == 200
    item = stands("q1")
    assert (item.status, item.verifier, item.evidence[0].start) == (Status.ACCEPTED, "Cleo", 5.5)
    assert client.post(f"{AT}/dispute", json={"name": "Dan"}).json()["task"] is None


WRONG: dict[str, dict[str, Any]] = {
    "no such item": {"key": "q9"},
    "no name": {"name": "  "},
    "unknown verdict": {"verdict": {"kind": "maybe"}},
    "reject without a reason": {"verdict": {"kind": "reject"}},
    "no such line": {"verdict": {"kind": "accept", "marks": [{"utt_id": 99, "start": 1, "end": 2}]}},
    "not where the line is": {"verdict": {"kind": "accept", "marks": [{"utt_id": 1, "start": 1, "end": 2}]}},
    "after the end": {"verdict": {"kind": "accept", "marks": [{"utt_id": 1, "start": 5, "end": 500}]}},
    "backwards": {"verdict": {"kind": "accept", "marks": [{"utt_id": 1, "start": 8, "end": 5}]}},
    "no evidence": {"verdict": {"kind": "accept", "marks": []}},
    "other words without an edit": {"verdict": {"kind": "accept", "answer": "Sixty."}},
    "an empty edit": {"verdict": {"kind": "edit"}},
    "a foreign subtask": {"verdict": {"kind": "edit", "subtask": "duration"}},
    "a field of its own": {"verdict": {"kind": "accept", "status": "accepted"}},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=list(WRONG))
def test_what_cannot_be_is_refused_in_a_sentence(
    client: TestClient, propose: Any, office: Desk, wrong: dict[str, Any]
) -> None:
    propose("q1")
    posted = {"name": "Ana", "key": "q1", "verdict": {"kind": "accept"}} | wrong
    reply = client.post(f"{AT}/verdict", json=posted)
    assert reply.status_code in (400, 409), reply.text
    assert reply.json()["error"]
    assert "Traceback" not in reply.text
    with office.workspace.reading() as session:
        assert queries.judgements(session) == []


def test_only_this_app_s_own_pages_may_post(client: TestClient, propose: Any) -> None:
    propose("q1")
    posted = {"name": "Ana", "key": "q1", "verdict": {"kind": "accept"}}
    foreign = client.post(f"{AT}/verdict", json=posted, headers={"Origin": "https://elsewhere.example"})
    form = client.post(f"{AT}/verdict", data={"name": "Ana"})
    assert (foreign.status_code, form.status_code) == (403, 415)


def test_an_item_without_its_meeting_can_still_be_read(client: TestClient, propose: Any) -> None:
    propose("q1", meeting="gone")
    task = take(client, "Ana")["task"]
    assert not task["meeting"]["here"]
    assert client.get(f"{AT}/checks/q1").json()["checks"] == []
    assert give(client, "Ana", "q1").status_code == 200


def test_disputes_of_verdicts_made_elsewhere_are_there_too(
    client: TestClient, propose: Any, office: Desk
) -> None:
    propose("q1", overlap=1)
    workflow.judge(office.workspace, "q1", "Ana", read_verdict({"kind": "flag", "note": "private"}))
    task = client.post(f"{AT}/dispute", json={"name": "Cleo"}).json()["task"]
    assert task["dispute"] == "flagged: private"
    assert [one["kind"] for one in task["versions"]] == ["flag"]

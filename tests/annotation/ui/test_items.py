"""The Items page over HTTP: filters, what stays out of sight, files out and in, items by hand."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from starlette.testclient import TestClient

from annotation.schema import Status

AT = "/grga/annotate"


def judged(client: TestClient, key: str, *names: str) -> None:
    for name in names:
        reply = client.post(
            f"{AT}/verdict", json={"name": name, "key": key, "verdict": {"kind": "accept", "seconds": 2}}
        )
        assert reply.status_code == 200, reply.text


def listed(client: TestClient, query: str = "") -> list[str]:
    reply = client.get(f"{AT}/items.json?{query}")
    assert reply.status_code == 200, reply.text
    return [one["key"] for one in reply.json()["items"]]


def test_filters_limit_the_list(client: TestClient, propose: Any, meeting: str) -> None:
    propose("q1", batch="one")
    propose("q2", batch="two", question="Who signed?", answer="Nobody says.")
    propose(
        "q3",
        status=Status.FAILED,
        batch="two",
        question="(none)",
        answer="(none)",
        evidence=(),
        answerable=False,
    )
    judged(client, "q1", "Ana", "Ben")
    assert listed(client) == ["q1", "q2", "q3"]
    assert listed(client, "status=accepted") == ["q1"]
    assert listed(client, "status=failed") == ["q3"]
    assert listed(client, "batch=two&status=proposed") == ["q2"]
    assert listed(client, f"meeting={meeting}&words=SIGNED nobody") == ["q2"]
    assert listed(client, "type=acoustic") == []


@pytest.mark.parametrize("query", ["status=wonderful", "type=x", "first=-1", "unknown=1"])
def test_an_unknown_filter_is_refused(client: TestClient, query: str) -> None:
    reply = client.get(f"{AT}/items.json?{query}")
    assert reply.status_code == 400
    assert reply.json()["error"]


def test_the_history_tells_everything_once_settled(client: TestClient, propose: Any) -> None:
    propose("q1")
    judged(client, "q1", "Ana")
    half = client.get(f"{AT}/items/q1").json()
    assert [one["action"] for one in half["history"]] == ["added"]
    judged(client, "q1", "Ben")
    whole = client.get(f"{AT}/items/q1").json()
    assert not whole["held_back"]
    assert [one["by"] for one in whole["history"] if one["action"] == "accept"] == ["Ana", "Ben"]
    assert whole["verifier"] == "Ana, Ben"


def test_a_failed_item_shows_its_reason_and_what_was_written(client: TestClient, propose: Any) -> None:
    propose(
        "q1",
        status=Status.FAILED,
        evidence=(),
        answerable=False,
        reasoning="no evidence from the stretch that was read\n\nThe model wrote:\n{broken",
    )
    assert "The model wrote:\n{broken" in client.get(f"{AT}/items/q1").json()["reasoning"]


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_what_goes_out_comes_in_again_unchanged(client: TestClient, propose: Any, format: str) -> None:
    propose("q1")
    propose("q2", question="“Fünfzig”?", answer="50, 五十")
    judged(client, "q1", "Ana", "Ben")
    file = client.get(f"{AT}/export/{format}")
    assert f"longaudioqa.{format}" in file.headers["content-disposition"]
    reply = client.post(
        f"{AT}/import?file=back.{format}&name=Ana",
        content=file.content,
        headers={"Content-Type": "application/octet-stream"},
    )
    told = reply.json()
    assert (told["added"], told["updated"], told["unchanged"], told["problems"]) == (0, 0, 2, [])
    assert client.get(f"{AT}/export/{format}").content == file.content


def test_a_broken_line_costs_only_itself(client: TestClient, propose: Any, meeting: str) -> None:
    item = propose("q1")
    new = item.model_copy(update={"key": "q2"}).model_dump_json()
    reply = client.post(
        f"{AT}/import?file=some.jsonl&name=Ana",
        content=f"{new}\n{{broken\n".encode(),
        headers={"Content-Type": "application/octet-stream"},
    )
    told = reply.json()
    assert told["added"] == 1
    assert [problem.split(":")[0] for problem in told["problems"]] == ["line 2"]
    assert listed(client) == ["q1", "q2"]


def test_files_of_other_kinds_are_refused(client: TestClient) -> None:
    wrong = client.post(
        f"{AT}/import?file=poem.exe&name=Ana",
        content=b"x",
        headers={"Content-Type": "application/octet-stream"},
    )
    assert wrong.status_code == 409
    form = client.post(
        f"{AT}/import?file=a.jsonl&name=Ana", content=b"x", headers={"Content-Type": "text/plain"}
    )
    assert form.status_code == 415
    assert client.get(f"{AT}/export/exe").status_code == 404


def test_the_data_set_holds_accepted_items_with_sound(client: TestClient, propose: Any) -> None:
    propose("q1")
    propose("q2")
    assert client.get(f"{AT}/export/dataset").status_code == 404  # nothing is accepted yet
    judged(client, "q1", "Ana", "Ben")
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"{AT}/export/dataset").content))
    names = archive.namelist()
    assert "README.md" in names
    [rows] = [name for name in names if name.endswith(".parquet")]
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(archive.read(rows)))
    assert table.column("key").to_pylist() == ["q1"]
    assert len(table.column("clips").to_pylist()[0]) == 1


def test_a_question_written_by_hand_is_proposed_and_checked(
    client: TestClient, meeting: str, stands: Any
) -> None:
    posted = {
        "name": "Ana",
        "meeting": meeting,
        "type": "factual",
        "subtask": "attribute association",
        "question": " How high is the handling fee? ",
        "answer": "Fifty pounds.",
        "marks": [{"utt_id": 1, "start": 5.0, "end": 8.0}],
    }
    told = client.post(f"{AT}/items", json=posted).json()
    assert {one["name"] for one in told["checks"] if not one["passed"]} == set()
    item = stands(told["key"])
    assert (item.question, item.generator.name) == ("How high is the handling fee?", "human")
    assert item.evidence[0].text == "There is a handling fee of fifty pounds."
    assert item.history[0].by == "Ana"
    wrong = posted | {"marks": []}
    assert client.post(f"{AT}/items", json=wrong).status_code == 409
    assert client.post(f"{AT}/items", json=posted | {"subtask": "duration"}).status_code == 400
    assert client.post(f"{AT}/items", json=posted | {"meeting": "../etc"}).status_code == 409


def test_gold_is_set_and_taken_away(client: TestClient, propose: Any) -> None:
    propose("q1")
    told = client.post(f"{AT}/gold", json={"name": "Lead", "key": "q1", "accept": True}).json()
    assert (told["gold"], told["status"]) == (True, "accepted")
    assert listed(client) == []
    assert listed(client, "gold=1") == ["q1"]
    told = client.post(f"{AT}/gold", json={"name": "Lead", "key": "q1", "accept": None}).json()
    assert (told["gold"], told["status"]) == (False, "proposed")

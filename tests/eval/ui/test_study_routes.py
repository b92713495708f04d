"""Reports over HTTP: nothing before the study is unblinded, then every file."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from eval.human.study import Candidate, Exclusion, Study, StudyItem
from eval.ui import reports
from eval.ui.routes import routes
from eval.ui.studies import Studies
from grga.ui import visitors


@pytest.fixture
def client(studies: Studies) -> TestClient:
    return TestClient(Starlette(routes=routes(studies)))


@pytest.fixture
def study(studies: Studies) -> Study:
    items = tuple(
        StudyItem(
            key=f"q{number}",
            question=f"What, number {number}?",
            candidates=tuple(Candidate(system=name, text=f"{name} it was.") for name in ("blue", "green")),
        )
        for number in range(3)
    )
    made = studies.desk.make(
        Study(key="tea", title="Tea", items=items, exclusion=Exclusion(least_seconds=0, least_share=0))
    )
    studies.desk.open_study("tea", "Olga", cleared=True)
    return made


def rate_all(client: TestClient, token: str) -> None:
    view: dict[str, Any] = client.post(f"/rate/{token}/consent", json={}).json()
    while (task := view["task"]) is not None:
        for place, criterion in enumerate(task["criteria"]):
            score = 5 - place if task["text"].startswith("blue") else 2
            click = {"task": task["id"], "criterion": criterion["name"], "score": score}
            client.post(f"/rate/{token}/score", json=click).raise_for_status()
        view = client.get(f"/rate/{token}/view").json()


@pytest.mark.parametrize("name", reports.FILES)
def test_a_blind_study_has_no_report(client: TestClient, study: Study, name: str) -> None:
    answer = client.get(f"/grga/evaluate/tea/{name}")
    assert answer.status_code == 404
    assert "still blind" in answer.json()["error"]


def test_an_unblinded_study_has_every_file(client: TestClient, studies: Studies, study: Study) -> None:
    for name in ("Ada", "Ben"):
        rate_all(client, studies.desk.invite("tea", name))
    studies.desk.close("tea", "Olga")
    studies.desk.unblind("tea", "Olga")
    for name in reports.FILES:
        answer = client.get(f"/grga/evaluate/tea/{name}").raise_for_status()
        assert answer.content
        assert answer.headers["content-disposition"] == f'attachment; filename="tea-{name}"'
    raw = client.get("/grga/evaluate/tea/scores.csv").text
    assert len(raw.splitlines()) == 1 + 2 * 3 * 2 * 3
    shown = client.get("/grga/evaluate/tea/means.svg?show")
    assert "content-disposition" not in shown.headers
    assert shown.headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("path", ["tea/secret.key", "tea/..%2fjournal.jsonl", "coffee/report.md"])
def test_nothing_else_is_served(client: TestClient, study: Study, path: str) -> None:
    assert client.get(f"/grga/evaluate/{path}").status_code == 404


def test_a_click_of_another_site_is_refused(client: TestClient, studies: Studies, study: Study) -> None:
    token = studies.desk.invite("tea", "Ada")
    answer = client.post(f"/rate/{token}/consent", json={}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert visitors.COOKIE not in client.cookies


def test_the_same_click_sent_again_counts_once(client: TestClient, studies: Studies, study: Study) -> None:
    token = studies.desk.invite("tea", "Ada")
    task = client.post(f"/rate/{token}/consent", json={}).json()["task"]
    click = {"task": task["id"], "criterion": "Correctness", "score": 4}
    first, again = (client.post(f"/rate/{token}/score", json=click).json() for _ in range(2))
    assert first == again
    assert len(client.get(f"/rate/{token}/my-ratings.csv").text.splitlines()) == 2


def test_a_study_without_recordings_is_noticed(studies: Studies, study: Study) -> None:
    assert studies.silent(study) == []  # nothing is cited
    cited = Candidate(system="blue", text="So [1].", clips=({"start": 1.0, "end": 2.0},))
    item = StudyItem(key="q9", question="What?", meeting="gone", candidates=(cited,))
    assert studies.silent(Study(key="one", title="One", items=(item,))) == ["q9"]

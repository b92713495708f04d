"""An opened meeting over HTTP: documents that cost nothing while unchanged, and edits that are checked."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from grga.audio import SAMPLE_RATE, write_wav
from grga.config import Config, load_config
from grga.ingest import import_transcript
from grga.store import Store
from grga.ui import meeting_routes
from grga.ui.services import Services

TRANSCRIPT = """\
1
00:00:01,000 --> 00:00:04,000
Rosa: There are no hidden costs in this offer.

2
00:00:05,000 --> 00:00:08,000
Imran: There is a handling fee of fifty pounds.

3
00:00:09,000 --> 00:00:11,000
Rosa: Who signed this offer?
"""
VISITOR = {"Cookie": "grga-visitor=" + "a" * 32}


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one recorded meeting: silence, then a tone."""
    home = tmp_path_factory.mktemp("home")
    (home / "fees.srt").write_text(TRANSCRIPT, encoding="utf-8")
    tone = 0.3 * np.sin(2 * np.pi * 220 * np.arange(12 * SAMPLE_RATE) / SAMPLE_RATE)
    tone[: 6 * SAMPLE_RATE] *= 0.1
    write_wav(home / "fees.wav", tone.astype(np.float32))
    config: Config = load_config(overrides={"home": home})
    import_transcript(home / "fees.srt", Store(home), config, recording=home / "fees.wav")
    return home


@pytest.fixture
def services(imported: Path, tmp_path: Path) -> Services:
    """Services over a home of the test's own."""
    home = tmp_path / "home"
    shutil.copytree(imported, home)
    return Services.open(load_config(overrides={"home": home}))


@pytest.fixture
def client(services: Services) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=meeting_routes.routes(services)), headers=VISITOR) as client:
        yield client


@pytest.fixture
def at(services: Services) -> str:
    return f"/grga/meetings/{services.meetings()[0].id}"


def lines(client: TestClient, at: str) -> list[list[Any]]:
    return list(client.get(f"{at}/transcript.json").json()["lines"])


def test_the_transcript_is_sent_again_only_after_an_edit(client: TestClient, at: str) -> None:
    first = client.get(f"{at}/transcript.json")
    told = first.json()
    assert [line[3] for line in told["lines"]][1] == "There is a handling fee of fifty pounds."
    assert [speaker["name"] for speaker in told["speakers"]] == ["Rosa", "Imran"]
    assert (told["audio"], told["undo"], told["redo"]) == (True, None, None)

    same = {"If-None-Match": first.headers["etag"]}
    assert client.get(f"{at}/transcript.json", headers=same).status_code == 304
    client.post(f"{at}/edits", json={"kind": "text", "utterance": 1, "text": "A fee of sixty pounds."})
    changed = client.get(f"{at}/transcript.json", headers=same)
    assert changed.status_code == 200
    assert changed.json()["lines"][1][3:6] == ["A fee of sixty pounds.", None, 1]
    assert "sixty" in changed.json()["undo"]


def test_an_edit_answers_with_the_new_revision(client: TestClient, at: str) -> None:
    told = client.post(f"{at}/edits", json={"kind": "rename", "speaker": "S2", "name": "Imran Q."})
    if told.status_code == 409:  # the importer names ids after the speakers
        told = client.post(f"{at}/edits", json={"kind": "rename", "speaker": "Imran", "name": "Imran Q."})
    assert told.status_code == 200, told.text
    assert told.json()["record"]["summary"] == '"Imran" → "Imran Q."'
    assert client.get(f"{at}/transcript.json").headers["etag"] == f'"{told.json()["revision"]}"'
    assert [one["name"] for one in client.get(f"{at}/timeline.json").json()["speakers"]] == [
        "Rosa",
        "Imran Q.",
    ]


def test_undo_and_redo_walk_the_history(client: TestClient, at: str) -> None:
    assert client.post(f"{at}/edits", json={"kind": "undo"}).json()["record"] is None
    client.post(f"{at}/edits", json={"kind": "text", "utterance": 0, "text": "No costs."})
    undone = client.post(f"{at}/edits", json={"kind": "undo"}).json()["record"]
    assert undone["undone"]
    told = client.get(f"{at}/transcript.json").json()
    assert told["lines"][0][3] == "There are no hidden costs in this offer."
    assert told["undo"] is None
    assert "costs" in told["redo"]
    client.post(f"{at}/edits", json={"kind": "redo"})
    assert lines(client, at)[0][3] == "No costs."


def test_the_history_says_who_without_giving_a_visitor_away(client: TestClient, at: str) -> None:
    client.post(f"{at}/edits", json={"kind": "title", "title": "Fees"})
    other = {"Cookie": "grga-visitor=" + "b" * 32}
    client.post(f"{at}/edits", json={"kind": "tags", "tags": ["money"]}, headers=other)
    newest, oldest = client.get(f"{at}/edits").json()["edits"]
    assert (oldest["mine"], newest["mine"]) == (True, False)
    assert oldest["summary"].startswith("Title: ")
    assert "a" * 32 not in client.get(f"{at}/edits").text
    assert client.get(f"{at}/transcript.json").json()["title"] == "Fees"


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"kind": "text", "utterance": 99, "text": "x"}, 409, "there is no line 99"),
        ({"kind": "text", "utterance": 0, "text": "   "}, 409, "empty"),
        ({"kind": "text", "utterance": 0}, 400, "text.text: Field required"),
        ({"kind": "merge", "speaker": "nobody", "into": "S1"}, 409, "there is no speaker 'nobody'"),
        ({"kind": "drop"}, 400, "Input tag 'drop'"),
        ({"kind": "text", "utterance": 0, "text": "x", "extra": 1}, 400, "extra"),
        (["undo"], 400, "valid dictionary"),
    ],
)
def test_a_bad_edit_gets_one_sentence(
    client: TestClient, at: str, body: Any, status: int, sentence: str
) -> None:
    before = lines(client, at)
    told = client.post(f"{at}/edits", json=body)
    assert (told.status_code, list(told.json())) == (status, ["error"])
    assert sentence in told.json()["error"]
    assert "\n" not in told.json()["error"]
    assert lines(client, at) == before


def test_edits_come_from_our_own_page_as_json_of_a_sensible_size(client: TestClient, at: str) -> None:
    def sent(content: bytes, **headers: str) -> httpx.Response:
        return client.post(
            f"{at}/edits", content=content, headers={"Content-Type": "application/json", **headers}
        )

    assert sent(b'{"kind":"undo"}', Origin="https://evil.example").status_code == 403
    assert sent(b'{"kind":"undo"}', Origin="http://testserver").status_code == 200
    assert sent(b"kind=undo", **{"Content-Type": "application/x-www-form-urlencoded"}).status_code == 415
    assert sent(b"{").status_code == 400
    assert sent(b'{"kind":"title","title":"' + b"x" * 70_000 + b'"}').status_code == 413


def test_ids_are_checked(client: TestClient) -> None:
    for wrong in ("nobody", "..%2f..%2fetc", ".hidden"):
        for kind in ("transcript.json", "timeline.json", "peaks", "edits", "graph.json?around=0"):
            told = client.get(f"/grga/meetings/{wrong}/{kind}")
            assert told.status_code == 404, (wrong, kind)
    assert client.post("/grga/meetings/nobody/edits", json={"kind": "undo"}).status_code == 404


def test_the_graph_is_asked_for_around_lines(client: TestClient, at: str) -> None:
    drawn = client.get(f"{at}/graph.json?around=2&depth=2").json()
    assert drawn["around"] == [2]
    assert {node["id"] for node in drawn["nodes"]} == {0, 1, 2}
    only = client.get(f"{at}/graph.json?around=0&types=same_speaker").json()
    assert {edge[2] for edge in only["edges"]} == {"same_speaker"}


@pytest.mark.parametrize(
    "query", ["", "around=x", "around=0&depth=4", "around=0&types=love", "around=0&more=1"]
)
def test_a_graph_that_cannot_be_drawn_gets_one_sentence(client: TestClient, at: str, query: str) -> None:
    told = client.get(f"{at}/graph.json?{query}")
    assert (told.status_code, list(told.json())) == (400, ["error"])


def test_a_line_without_a_graph_is_not_found(client: TestClient, at: str) -> None:
    assert client.get(f"{at}/graph.json?around=77").json() == {"error": "there is no line 77 in this meeting"}


def test_peaks_are_bytes_of_a_tenth_of_a_second(client: TestClient, at: str) -> None:
    peaks = client.get(f"{at}/peaks").content
    assert len(peaks) == pytest.approx(120, abs=2)
    assert max(peaks) == 255
    assert max(peaks[:50]) < 40

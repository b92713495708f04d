"""An answer is taken along by its link: as text, as a document, or with clips to hear."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
import soundfile
from docx import Document
from starlette.applications import Starlette
from starlette.testclient import TestClient

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.audio import SAMPLE_RATE, write_wav
from grga.config import Config, load_config
from grga.history import Part
from grga.ingest import import_transcript
from grga.ui import answer_routes
from grga.ui.services import Services

TRANSCRIPT = """\
1
00:00:01,000 --> 00:00:04,000
Rosa: There are no hidden costs.

2
00:00:34,000 --> 00:00:37,000
Imran: There is a handling fee of fifty pounds.
"""
QUESTION = "How much is the “handling fee”, <b>Imran</b>?"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    """Services over a home with one recorded meeting."""
    home = tmp_path_factory.mktemp("home")
    (home / "fees.srt").write_text(TRANSCRIPT, encoding="utf-8")
    tone = 0.3 * np.sin(2 * np.pi * 220 * np.arange(40 * SAMPLE_RATE, dtype=np.float32) / SAMPLE_RATE)
    write_wav(home / "fees.wav", tone.astype(np.float32))
    config: Config = load_config(overrides={"home": home})
    services = Services.open(config)
    import_transcript(home / "fees.srt", services.store, config, recording=home / "fees.wav")
    return services


@pytest.fixture(scope="module")
def client(services: Services) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=answer_routes.routes(services))) as client:
        yield client


@pytest.fixture
def token(services: Services) -> str:
    [meeting] = services.meetings()
    loaded = services.load(meeting.id)
    trace = AgentTrace.collect(make_answerer("grga").answer("How much is the handling fee?", loaded))
    return services.history.add("somebody", QUESTION, [Part.of(loaded.meeting, trace)]).token


def test_the_archive_holds_the_answer_and_what_was_cited_to_hear(client: TestClient, token: str) -> None:
    reply = client.get(f"/grga/answers/{token}/export/zip")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/zip")
    archive = zipfile.ZipFile(io.BytesIO(reply.content))
    assert "“There is a handling fee of fifty pounds.”" in archive.read("answer.md").decode()
    [clip] = [name for name in archive.namelist() if name.endswith("-Imran-0m34s.wav")]
    samples, rate = soundfile.read(io.BytesIO(archive.read(clip)))
    assert len(samples) / rate == pytest.approx(3.5)
    assert float(np.abs(samples).max()) == pytest.approx(0.3, abs=0.01)


def test_text_and_document_carry_the_question_in_name_and_heading(client: TestClient, token: str) -> None:
    text = client.get(f"/grga/answers/{token}/export/md")
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"
    assert (
        text.headers["content-disposition"] == f"attachment; filename*=UTF-8''{quote(QUESTION, safe='')}.md"
    )
    assert text.headers["x-content-type-options"] == "nosniff"
    assert text.text.startswith("# How much is the “handling fee”, &lt;b&gt;Imran&lt;/b&gt;?\n")

    document = client.get(f"/grga/answers/{token}/export/docx")
    assert Document(io.BytesIO(document.content)).paragraphs[0].text == QUESTION


def test_a_renamed_speaker_is_renamed_in_the_file(client: TestClient, services: Services, token: str) -> None:
    [meeting] = services.meetings()
    folder = services.store.folder(meeting.id)
    imran = next(speaker.id for speaker in folder.read_meeting().speakers if speaker.name == "Imran")
    folder.rename_speaker(imran, "Imran Khan")
    try:
        assert "**Imran Khan** (0:34–0:37)" in client.get(f"/grga/answers/{token}/export/md").text
    finally:
        folder.rename_speaker(imran, "Imran")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nobody-knows-this/export/md", "this answer is not kept"),
        ("{token}/export/exe", "unknown answer format 'exe'"),
        ("{token}/export/..%2f..%2fgrga.db", None),
    ],
)
def test_what_is_not_there_is_not_found(
    client: TestClient, token: str, path: str, sentence: str | None
) -> None:
    reply = client.get(f"/grga/answers/{path.format(token=token)}")
    assert reply.status_code == 404
    assert reply.headers["content-type"].startswith("text/plain")
    if sentence:
        assert sentence in reply.text


def test_a_deleted_meeting_leaves_an_answer_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "fees.srt").write_text(TRANSCRIPT, encoding="utf-8")
    config = load_config(overrides={"home": tmp_path})
    services = Services.open(config)
    done = import_transcript(tmp_path / "fees.srt", services.store, config)
    loaded = services.load(done.meeting)
    trace = AgentTrace.collect(make_answerer("grga").answer("How much is the handling fee?", loaded))
    token = services.history.add("somebody", QUESTION, [Part.of(loaded.meeting, trace)]).token

    services.store.delete(done.meeting)

    client = TestClient(Starlette(routes=answer_routes.routes(services)))
    for format in answer_routes.MEDIA_TYPES:
        reply = client.get(f"/grga/answers/{token}/export/{format}")
        assert reply.status_code == 200
    text = client.get(f"/grga/answers/{token}/export/md").text
    assert "fifty pounds" in text
    assert "This meeting has been deleted" in text

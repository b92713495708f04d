"""What the library's page asks for again and again, and what its buttons may do."""

from __future__ import annotations

from pathlib import Path

import gradio as gr
import pytest

from grga.config import Config
from grga.errors import JobError, StoreError
from grga.ingest import import_transcript
from grga.ui.library_panel import BUSY_SECONDS, IDLE_SECONDS, _act, changes
from grga.ui.services import Services

NOTHING = (gr.skip(), gr.skip(), gr.skip(), gr.skip())


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services.open(Config(home=tmp_path / "home"))


@pytest.fixture
def standup(services: Services, tmp_path: Path) -> str:
    file = tmp_path / "standup.srt"
    file.write_text("1\n00:00:01,000 --> 00:00:04,000\nRosa: The lights are two hundred more.\n")
    return import_transcript(file, services.store, services.config).meeting


def upload(tmp_path: Path, name: str) -> list[tuple[str, Path]]:
    path = tmp_path / name
    path.write_bytes(b"sound")
    return [(name, path)]


def test_only_what_has_changed_is_sent(services: Services, standup: str, tmp_path: Path) -> None:
    jobs, library, shown, timer = changes(services, "", "Ann")
    assert (jobs, "standup" in library, timer.value) == ("", True, IDLE_SECONDS)
    assert changes(services, shown, "Ann") == NOTHING

    services.jobs.submit(upload(tmp_path, "a.wav"), visitor="Ann")
    jobs, library, busy, timer = changes(services, shown, "Ann")
    assert ("a.wav" in jobs, library, timer.value) == (True, gr.skip(), BUSY_SECONDS)
    assert changes(services, busy, "Ann") == NOTHING
    # Somebody else's job: another state, but nothing to show.
    assert changes(services, shown, "Bea")[:2] == (gr.skip(), gr.skip())

    _act(services, {"action": "tag", "id": standup, "tag": "budget"}, "Ann")
    jobs, library, _, timer = changes(services, busy, "Ann")
    assert (jobs, "budget" in library, timer) == (gr.skip(), True, gr.skip())


def test_a_tag_is_given_once_and_taken_away(services: Services, standup: str) -> None:
    def tags() -> tuple[str, ...]:
        return services.meetings()[0].tags

    for tag in ("budget", "spring", "budget"):
        _act(services, {"action": "tag", "id": standup, "tag": tag}, "Ann")
    assert sorted(tags()) == ["budget", "spring"]
    _act(services, {"action": "untag", "id": standup, "tag": "budget"}, "Ann")
    assert tags() == ("spring",)


def test_a_button_does_only_what_its_visitor_may_do(services: Services, standup: str, tmp_path: Path) -> None:
    job = services.jobs.submit(upload(tmp_path, "a.wav"), visitor="Ann")
    with pytest.raises(JobError, match="there is no job"):
        _act(services, {"action": "cancel", "id": str(job.id)}, "Bea")
    for wrong in (
        {},
        {"action": "format"},
        {"action": "cancel", "id": "-1"},
        {"action": "discard", "id": standup},
    ):
        with pytest.raises(JobError, match="not known"):
            _act(services, wrong, "Ann")
    for wrong in ({"id": standup, "stage": "asr"}, {"id": "../x", "stage": "graph"}):
        with pytest.raises(StoreError):
            _act(services, {"action": "again", **wrong}, "Ann")
    with pytest.raises(StoreError, match="there is no meeting"):
        _act(services, {"action": "tag", "id": "../x", "tag": "budget"}, "Ann")
    assert services.meetings()[0].id == standup


def test_a_stage_is_queued_again_for_its_visitor(services: Services, standup: str) -> None:
    _act(services, {"action": "again", "id": standup, "stage": "graph"}, "Ann")
    [job] = services.jobs.jobs(visitor="Ann")
    assert (job.kind, job.title, job.given(), job.plan()) == (
        "rerun",
        "standup",
        {"meeting": standup, "stage": "graph"},
        ("graph",),
    )
    assert services.jobs.jobs(visitor="Bea") == []

"""The frame of an opened meeting."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from grga.manifest import Manifest, Source, StageRecord
from grga.types import Meeting
from grga.ui.graph_view import graph_html
from grga.ui.meeting_view import header_html, page_html
from grga.ui.timeline import timeline_html


@pytest.fixture
def manifest() -> Manifest:
    asr = StageRecord(settings="", inputs={}, output="", seconds=1.0, warnings=["two voices were alike"])
    return Manifest(
        id="supplier-1a2b",
        title="Supplier review",
        created=datetime(2026, 3, 1, 9, tzinfo=UTC),
        source=Source(name="review.wav", digest="0", kind="audio"),
        stages={"asr": asr},
    )


def test_the_page_asks_for_the_meeting_itself(meeting: Meeting, manifest: Manifest, page: Any) -> None:
    seen = page(page_html(meeting, manifest, ["srt"], timeline_html(meeting)))
    document = "grga/meetings/supplier-1a2b/transcript.json"
    for element in ("grga-heading", "grga-transcript", "grga-speakers"):
        assert seen.first(element)["data-source"] == document
    assert seen.first("grga-history")["data-source"] == "grga/meetings/supplier-1a2b/edits"
    assert "no hidden costs" not in seen.text


def test_the_heading_can_be_read_before_the_meeting_is_there(
    meeting: Meeting, manifest: Manifest, page: Any
) -> None:
    seen = page(header_html(meeting, manifest, ["srt", "docx"]))
    assert "Supplier review" in seen.text
    assert "1:20 · 3 speakers · 4 lines · English · 01 Mar 2026 · from review.wav" in seen.text
    assert json.loads(seen.first("grga-heading")["data-facts"])[0] == "English"
    links = [attributes["href"] for tag, attributes in seen.tags if tag == "a"]
    assert links == ["grga/export/supplier-1a2b/srt", "grga/export/supplier-1a2b/docx"]
    assert "1 note from indexing" in seen.text
    assert "two voices were alike" in seen.text


def test_a_graph_waits_until_lines_are_named(page: Any) -> None:
    assert page(graph_html("supplier-1a2b")).first("grga-graph")["data-around"] == ""
    assert page(graph_html("supplier-1a2b", (3, 12))).first("grga-graph")["data-around"] == "3,12"


def test_a_hostile_meeting_adds_no_element(
    hostile_meeting: Meeting, hostile: tuple[str, ...], manifest: Manifest, page: Any
) -> None:
    named = manifest.model_copy(
        update={"title": hostile[0], "source": Source(name=hostile[1], digest="0", kind="audio")}
    )
    made = page_html(hostile_meeting, named, ["srt"], timeline_html(hostile_meeting))
    seen = page(made)
    assert not {"img", "script", "b"} & {tag for tag, _ in seen.tags}
    assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)
    assert not set("$`\\{}") & set(made)
    assert hostile[0] in seen.text

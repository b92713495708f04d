"""The model that the timeline draws."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from grga.types import Acoustics, Meeting
from grga.ui.timeline import MOST_PEAKS, timeline_html, timeline_model


def test_the_timeline_has_a_lane_per_speaker(meeting: Meeting, page: Any) -> None:
    drawn = page(timeline_html(meeting, [0.2, 0.4], "grga/audio/x", title="Supplier review"))
    model = json.loads(drawn.first("grga-timeline")["data-model"])
    assert model["lanes"] == [[[0.0, 4.0], [60.0, 64.0]], [[5.0, 7.0]], [[65.0, 69.0]]]
    assert [speaker["letter"] for speaker in model["speakers"]] == ["A", "B", "C"]
    assert (model["audio"], model["peaks"], model["title"]) == ("grga/audio/x", [0.5, 1.0], "Supplier review")


def test_the_timeline_knows_where_to_ask_for_changes(meeting: Meeting, page: Any) -> None:
    drawn = page(timeline_html(meeting)).first("grga-timeline")
    assert drawn["data-source"] == "grga/meetings/supplier-1a2b/timeline.json"


def test_long_recordings_keep_their_loudest_moments(meeting: Meeting, page: Any) -> None:
    peaks = [0.1] * 100_000
    peaks[50_000] = 1.0
    model = json.loads(page(timeline_html(meeting, peaks)).first("grga-timeline")["data-model"])
    assert len(model["peaks"]) <= MOST_PEAKS
    assert max(model["peaks"]) == 1.0


def test_laughter_and_applause_have_their_place_and_a_cough_has_none(meeting: Meeting) -> None:
    heard = [("laughter",), (), ("cough",), ("applause", "laughter")]
    felt = tuple(
        replace(one, acoustics=Acoustics(events=events))
        for one, events in zip(meeting.utterances, heard, strict=True)
    )
    model = timeline_model(replace(meeting, utterances=felt))
    assert model["sounds"] == [(0.0, "laughter"), (65.0, "applause"), (65.0, "laughter")]
    assert timeline_model(meeting)["sounds"] == []

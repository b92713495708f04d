"""The model that the timeline draws, and the moments that an answer marks on it."""

from __future__ import annotations

import json
from typing import Any

from grga.types import Answer, Citation, Meeting, Sentence
from grga.ui.timeline import MOST_PEAKS, marks_html, timeline_html


def answer(meeting: Meeting) -> Answer:
    cited = tuple(Citation.of(meeting, meeting.utterances[id]) for id in (2, 3))
    sentences = (Sentence("A fee was added.", (2,)), Sentence("Rosa objects.", (3, 2)))
    return Answer("Why?", sentences, cited, True, 5.0, True, "grga", "offline")


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


def test_marks_tell_cited_from_found(meeting: Meeting, page: Any) -> None:
    drawn = page(marks_html(meeting, answer(meeting), {0, 2})).first("grga-marks")
    marks = json.loads(drawn["data-marks"])
    assert marks["cited"] == [[1, 2, 60.0, 64.0, 0], [2, 3, 65.0, 69.0, 2]]
    assert marks["found"] == [[0, 0.0, 4.0, 0]]
    assert drawn["data-meeting"] == meeting.id

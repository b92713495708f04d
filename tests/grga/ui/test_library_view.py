"""The library and its jobs as visitors read them; whatever a title holds is shown as typed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from grga.jobs import STOPPING, Job, JobNote, JobState
from grga.jobs.table import dump_notes
from grga.store import MeetingSummary
from grga.ui.indexing import plan_again
from grga.ui.jobs_view import jobs_html
from grga.ui.library_view import library_html, tools_html

NOW = datetime(2026, 3, 7, 9, tzinfo=UTC)
STANDUP = MeetingSummary(
    "id-1", "Standup", NOW, 300.0, 4, 61, True, tags=("budget",), names=("Rosa", "Imran", "Lee", "Dana")
)


def a_job(**values: Any) -> Job:
    return Job(**{"id": 1, "title": "a.wav", "folder": "1", "created": NOW, **values})


def buttons(seen: Any) -> list[tuple[str, str]]:
    return [
        (a["data-action"], a["data-id"]) for tag, a in seen.tags if tag == "button" and "data-action" in a
    ]


def test_a_meeting_says_who_spoke_how_long_and_when(page: Any) -> None:
    seen = page(library_html([STANDUP]))
    for said in ("Standup", "5:00", "7 Mar 2026", "Rosa", "Dana", "budget"):
        assert said in seen.text
    assert buttons(seen) == [("open", "id-1"), ("untag", "id-1"), ("rerun", "id-1")]


def test_a_search_looks_in_title_speakers_and_tags_of_any_case(page: Any) -> None:
    row = page(library_html([replace(STANDUP, title="ＳＴＡＮＤＵＰ", tags=("Straße",))])).first("li")
    assert row["data-words"].split("\n") == ["standup", "rosa", "imran", "lee", "dana", "strasse"]


def test_many_speakers_are_counted_not_listed(page: Any) -> None:
    many = replace(STANDUP, speakers=9, names=tuple(f"Speaker {n}" for n in range(1, 10)))
    text = page(library_html([many])).text
    assert "Speaker 5" in text
    assert "Speaker 6" not in text
    assert "+4" in text
    assert "4 speakers" in page(library_html([replace(STANDUP, names=())])).text


def test_tags_can_be_filtered_by_the_most_used_first(page: Any) -> None:
    meetings = [STANDUP, replace(STANDUP, id="id-2", tags=("hiring", "budget"))]
    seen = page(library_html(meetings))
    assert [a["data-only"] for tag, a in seen.tags if "data-only" in a] == ["budget", "hiring"]


def test_the_library_teaches_when_it_is_empty(page: Any) -> None:
    assert "Add a recording or a transcript" in page(library_html([])).text


def test_a_meeting_that_cannot_be_opened_is_listed_with_its_reason(page: Any) -> None:
    damaged = MeetingSummary("m-1", "m-1", NOW, 0.0, 0, 0, False, problem="<manifest> is damaged")
    left = MeetingSummary("m-2", "Half", NOW, 0.0, 0, 0, False)
    shown = page(library_html([], [damaged, left]))
    assert "<manifest> is damaged." in shown.text
    assert "Indexing has not finished" in shown.text
    assert buttons(shown) == [("discard", "m-1"), ("discard", "m-2")]


def test_a_running_job_shows_its_stages_and_the_time_left(page: Any) -> None:
    seen = page(
        jobs_html(
            [
                a_job(
                    state=JobState.RUNNING,
                    stage="asr",
                    percent=42.0,
                    seconds_left=75.0,
                    stages='["vad","asr","graph"]',
                )
            ]
        )
    )
    assert "Recognising words · 42 % · about 1 min 15 s left" in seen.text
    assert [a["class"] for tag, a in seen.tags if tag == "li"] == ["done", "now", "left"]
    assert "Finding speech (done)" in seen.text
    assert buttons(seen) == [("cancel", "1")]


def test_a_job_that_stops_cannot_be_cancelled_again(page: Any) -> None:
    seen = page(jobs_html([a_job(state=JobState.RUNNING, stage=STOPPING)]))
    assert "Stopping after this step" in seen.text
    assert buttons(seen) == []


@pytest.mark.parametrize(("before", "said"), [({1: 0}, "Next"), ({1: 3}, "Jobs that go before it: 3")])
def test_a_waiting_job_says_how_many_go_before_it(page: Any, before: dict[int, int], said: str) -> None:
    assert said in page(jobs_html([a_job()], before)).text


def test_a_failed_job_says_why_and_can_be_tried_again(page: Any) -> None:
    seen = page(jobs_html([a_job(state=JobState.FAILED, error="b.pdf holds no sound")]))
    assert "b.pdf holds no sound." in seen.text
    assert buttons(seen) == [("retry", "1"), ("forget", "1")]


def test_a_finished_job_opens_its_meeting_and_tells_what_there_is_to_know(page: Any) -> None:
    notes = (
        JobNote("failed", "the weights are gone", "diarization"),
        JobNote("note", "only one channel holds sound"),
    )
    seen = page(jobs_html([a_job(state=JobState.DONE, meeting="id-1", notes=dump_notes(notes))]))
    assert "Telling speakers apart failed; the rest is there. The weights are gone." in seen.text
    assert "Only one channel holds sound." in seen.text
    assert buttons(seen) == [("open", "id-1"), ("forget", "1"), ("again", "id-1")]
    again = page(jobs_html([a_job(state=JobState.DONE, notes=dump_notes([JobNote("duplicate", "Standup")]))]))
    assert "Already here as “Standup”" in again.text


def test_without_jobs_there_is_nothing() -> None:
    assert jobs_html([]) == ""


def test_what_follows_from_a_stage(page: Any) -> None:
    known = (
        "preprocess",
        "vad",
        "asr",
        "diarization",
        "utterances",
        "acoustics",
        "embeddings",
        "graph",
        "index",
    )
    assert plan_again("asr", known) == ("asr", "utterances", "acoustics", "embeddings", "graph", "index")
    assert plan_again("diarization", known)[:2] == ("diarization", "utterances")
    assert plan_again("embeddings", known) == ("embeddings", "graph")
    assert plan_again("acoustics", known) == ("acoustics",)
    assert plan_again("graph", known) == ("graph",)


def test_whatever_names_hold_is_shown_as_typed(page: Any, hostile: tuple[str, ...]) -> None:
    for text in hostile:
        notes = dump_notes([JobNote("duplicate", text)])
        meeting = replace(STANDUP, title=text, tags=(text,), names=(text,))
        for made in (
            library_html([meeting], [replace(meeting, problem=text)]),
            jobs_html(
                [
                    a_job(title=text, state=JobState.FAILED, error=text),
                    a_job(state=JobState.DONE, notes=notes),
                ]
            ),
            tools_html(),
        ):
            seen = page(made)
            assert not {"img", "script"} & {tag for tag, _ in seen.tags}
            assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)
            assert not set("$`\\{}") & set(made)
        assert text in page(library_html([meeting])).text

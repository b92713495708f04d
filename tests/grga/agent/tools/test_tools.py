"""Each tool on a small meeting: what it finds, in which order, and why."""

from __future__ import annotations

from typing import Any

import pytest

from grga.agent.belief import Belief
from grga.agent.steps import Decomposition, Observation, Plan, ToolCall
from grga.agent.tools import TOOLS, Toolbox
from grga.store import IndexedMeeting
from grga.types import Scope


def call(meeting: IndexedMeeting, name: str, **arguments: Any) -> Observation:
    plan = Plan(1, (ToolCall(name, arguments, "r1"),))
    (observation,) = Toolbox.all().execute(plan, meeting, Scope(), Belief("?", Decomposition()))
    return observation


def ids(observation: Observation) -> list[int]:
    assert observation.error is None
    return [one.id for one in observation.found]


def test_the_seven_tools_have_their_names_and_schemas() -> None:
    tools = Toolbox.all().tools
    assert list(tools) == list(TOOLS)
    schema = tools["hybrid_search"].arguments.model_json_schema()["properties"]
    assert schema["alpha"]["default"] == 0.6
    assert all(tool.name == name and tool.description for name, tool in tools.items())


def test_keyword_search_finds_words_in_any_inflection(contract: IndexedMeeting) -> None:
    assert set(ids(call(contract, "keyword_search", query="batteries"))) == {4, 5, 6}
    assert ids(call(contract, "keyword_search", query="satellite")) == []


def test_semantic_search_returns_the_nearest_with_their_cosine(contract: IndexedMeeting) -> None:
    found = call(contract, "semantic_search", query="lithium battery", limit=3).found
    assert found[0].id == 6
    assert found[0].score > found[1].score > 0


def test_hybrid_search_weighs_words_and_meaning(contract: IndexedMeeting) -> None:
    found = call(contract, "hybrid_search", query="hidden fees", limit=2).found
    assert {one.id for one in found} == {1, 9}
    assert all(0 < one.score <= 1 for one in found)


def test_filter_time_range_keeps_what_touches_the_window(contract: IndexedMeeting) -> None:
    assert ids(call(contract, "filter_time_range", t_start=26, t_end=34)) == [3, 4, 5]
    assert ids(call(contract, "filter_time_range", t_start=81, t_end=89)) == []
    assert ids(call(contract, "filter_time_range", t_start=0, t_end=95, nodes=[7, 2])) == [7, 2]


@pytest.mark.parametrize("name", ["S3", "Rosa", "rosa", " ROSA "])
def test_filter_speaker_takes_id_and_name(name: str, contract: IndexedMeeting) -> None:
    assert ids(call(contract, "filter_speaker", spk_id=name)) == [2, 5, 9]


def test_filter_speaker_takes_a_role_that_was_said(contract: IndexedMeeting) -> None:
    assert ids(call(contract, "filter_speaker", spk_id="project manager")) == [0, 4, 10]


def test_an_unknown_speaker_is_answered_with_who_takes_part(contract: IndexedMeeting) -> None:
    error = call(contract, "filter_speaker", spk_id="Bob").error
    assert error == "filter_speaker: no speaker is called 'Bob': choose one of Maria, Tom, Rosa, Ben"


def test_traverse_walks_both_ways_and_tells_the_edge(contract: IndexedMeeting) -> None:
    found = call(contract, "traverse_relations", nodes=[9], relations=["reply_to"]).found
    assert {8, 10} <= {one.id for one in found}
    reasons = " | ".join(one.why for one in found)
    assert "reply_to: 8 → 9" in reasons
    assert "reply_to: 9 → 10 (interruption)" in reasons


def test_traverse_depth_reaches_further(contract: IndexedMeeting) -> None:
    near = set(ids(call(contract, "traverse_relations", nodes=[5], relations=["temporal"])))
    far = set(ids(call(contract, "traverse_relations", nodes=[5], relations=["temporal"], depth=2)))
    assert near == {4, 6}
    assert far == {3, 4, 6, 7}


def test_audio_segment_measures_the_span(contract: IndexedMeeting) -> None:
    observation = call(contract, "audio_segment", t_start=61, t_end=72)
    assert ids(observation) == [8, 9]
    assert observation.measurements["loudness_db"] == pytest.approx((-20 + -12.2) / 2)
    assert observation.found[1].why == "5 dB louder than Rosa's average"
    assert observation.found[1].score == 2.6


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("keyword_search", {}, "keyword_search: query: Field required"),
        ("keyword_search", {"query": "a", "top": 3}, "keyword_search: top: Extra inputs are not permitted"),
        (
            "hybrid_search",
            {"query": "a", "alpha": 2},
            "hybrid_search: alpha: Input should be less than or equal to 1",
        ),
        (
            "filter_time_range",
            {"t_start": 9, "t_end": 3},
            "filter_time_range: arguments: Value error, t_end (3) is before t_start (9)",
        ),
        (
            "filter_time_range",
            {"t_start": 0, "t_end": float("nan")},
            "filter_time_range: t_end: Input should be",
        ),
        ("filter_speaker", {"nodes": [99], "spk_id": "Tom"}, "filter_speaker: there is no utterance 99"),
        (
            "traverse_relations",
            {"nodes": [1], "relations": ["friendship"]},
            "traverse_relations: relations.0: Input",
        ),
    ],
)
def test_wrong_arguments_are_told_not_raised(
    name: str, arguments: dict[str, Any], error: str, contract: IndexedMeeting
) -> None:
    observation = call(contract, name, **arguments)
    assert observation.found == ()
    assert (observation.error or "").startswith(error)


def test_audio_segment_names_emotions_and_sounds_where_models_heard_them(lamp: IndexedMeeting) -> None:
    observation = call(lamp, "audio_segment", t_start=31, t_end=90)
    assert observation.measurements["emotions"] == {"happy": 2, "angry": 2, "surprised": 1, "sad": 1}
    assert observation.measurements["events"] == {"laughter": 2, "cough": 1}
    why = {one.id: one.why for one in observation.found}
    assert why[4] == "about as loud as Tom usually is, 20% of it overlapped, sounded happy, [laughter]"
    assert why[6] == "1 dB louder than Rosa's average, sounded angry"
    assert why[7].endswith("perhaps sounded surprised")
    assert why[9] == "about as loud as Maria usually is"  # neutral is nothing to point at


def test_audio_segment_says_nothing_of_emotions_that_nobody_measured(contract: IndexedMeeting) -> None:
    observation = call(contract, "audio_segment", t_start=0, t_end=95)
    assert not {"emotions", "events"} & observation.measurements.keys()
    assert "sounded" not in " ".join(one.why for one in observation.found)

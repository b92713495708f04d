"""What the model gets to read: evidence within a budget, by relevance and in order of time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from grga.agent.belief import Belief
from grga.agent.policies.llm.material import card, evidence_block, relevance, results_block, tool_list
from grga.agent.policies.llm.replies import plan_schema
from grga.agent.steps import AgentTrace, Decomposition, Draft, Found, Observation, Plan, ToolCall
from grga.agent.tools import Toolbox
from grga.llm.usage import estimate_tokens
from grga.store import IndexedMeeting
from grga.types import Scope

Serve = Callable[..., Any]


def believing(*results: tuple[tuple[int, float], ...]) -> Belief:
    """A belief after one round whose calls found these ids with these scores."""
    calls = [ToolCall("keyword_search", {"query": str(n)}, f"r{n}") for n in range(len(results))]
    seen = [
        Observation(1, call, tuple(Found(id, score) for id, score in found))
        for call, found in zip(calls, results, strict=True)
    ]
    return Belief("?", Decomposition()).after_observing(Plan(1, tuple(calls)), seen)


def test_evidence_is_told_in_order_of_time_with_number_time_and_speaker(meeting: IndexedMeeting) -> None:
    shown = evidence_block(believing(((3, 9.0), (1, 2.0))), meeting.meeting, 1000)
    assert shown.text == (
        "<<< evidence\n"
        "[utt 1] (5.0-9.5 s, 0:05) Dilek: We promised the neighbours that there are no hidden costs.\n"
        "[utt 3] (15.0-19.5 s, 0:15) Imran: The caterer now wants a handling fee of fifty pounds.\n"
        ">>>"
    )
    assert (shown.ids, shown.left_out, shown.note) == ((1, 3), 0, None)


def test_what_is_found_first_and_often_weighs_most(meeting: IndexedMeeting) -> None:
    belief = believing(((3, 9.0), (4, 8.0), (0, 1.0)), ((4, 0.9), (5, 0.8)))
    weights = relevance(belief)
    assert sorted(weights, key=lambda id: -weights[id]) == [4, 3, 5, 0]


def test_the_least_relevant_is_left_out_and_that_is_said(meeting: IndexedMeeting) -> None:
    belief = believing(tuple((id, 10.0 - id) for id in range(7)))
    shown = evidence_block(belief, meeting.meeting, 80)
    assert shown.ids == (0, 1)
    assert estimate_tokens(shown.text) < 100
    assert shown.note == "5 of 7 pieces of evidence were left out to fit the model's context"
    assert evidence_block(belief, meeting.meeting, 80, first=[6]).ids == (0, 2, 6)  # 1 is too long by now


def test_the_trace_reports_what_was_left_out(
    serve: Serve, agent: Callable[..., Any], make_meeting: Callable[..., IndexedMeeting]
) -> None:
    talk = [("S1", f"Point {n} about the fee of the caterer, said at some length.") for n in range(60)]
    call = {"tool": "keyword_search", "arguments": {"query": "fee", "limit": 60}, "result": "r1"}
    server = serve(
        {
            "decompose": [
                {
                    **{key: [] for key in ("entities", "concepts", "times", "speakers", "acoustic")},
                    "question_type": "summarization",
                    "subtask": "topic",
                    "form": "summary",
                    "language": "en",
                }
            ],
            "plan": [{"goal": "all points", "calls": [call]}],
            "answer": [{"found": True, "sentences": ["There are many points [utt 0]."]}],
            "reflection": [{"critique": "Fine.", "score": 4, "missing": [], "weak": []}],
        }
    )
    question = "What was said about the fee?"
    trace = AgentTrace.collect(agent(server, evidence_tokens=600).answer(question, make_meeting(talk)))
    [draft] = [step for step in trace.steps if isinstance(step, Draft)]
    [note] = draft.notes
    shown = server.prompts("answer")[0].count("[utt ")
    assert note == f"{60 - shown} of 60 pieces of evidence were left out to fit the model's context"
    assert 10 < shown < 25


def test_a_model_that_can_read_less_than_configured_gets_half(
    serve: Serve, agent: Callable[..., Any], make_meeting: Callable[..., IndexedMeeting]
) -> None:
    from grga.agent.policies.llm.policy import LlmPolicy

    talk = [("S1", f"Point {n} about the fee of the caterer, said at some length.") for n in range(60)]
    too_long = {"fault": "status", "code": 400, "message": "maximum context length is 2048 tokens"}
    server = serve({"answer": [too_long, {"found": True, "sentences": ["Many points [utt 0]."]}]})
    policy: LlmPolicy = agent(server, evidence_tokens=1200).policy
    draft = policy.synthesize(believing(tuple((id, 1.0) for id in range(60))), make_meeting(talk))
    first, second = server.prompts("answer")
    assert len(second) < 0.7 * len(first)
    assert draft.cited == (0,)
    assert "were left out" in draft.notes[0]


def test_the_planner_sees_the_tools_and_their_arguments() -> None:
    told = tool_list(Toolbox.all().tools)
    assert "- keyword_search: Find utterances that contain the query's words" in told
    assert "    query: what to look for (required)" in told
    assert "    alpha: share of the semantic score (default 0.6)" in told


def test_the_schema_of_a_plan_knows_the_tools_at_hand() -> None:
    schema = plan_schema(Toolbox.all().without({"audio_segment"}).tools)
    offered = [
        one["properties"]["tool"]["enum"][0] for one in schema["properties"]["calls"]["items"]["anyOf"]
    ]
    assert offered == [
        "keyword_search",
        "semantic_search",
        "hybrid_search",
        "filter_time_range",
        "filter_speaker",
        "traverse_relations",
    ]
    assert "reply_to" in json.dumps(schema["$defs"])


def test_the_card_names_the_people_and_the_length(meeting: IndexedMeeting) -> None:
    text = card(meeting.meeting)
    assert "length: 35 s (0:35), 7 utterances" in text
    assert "speaker S2: Dilek, talks 9 s" in text


def test_evidence_that_was_listened_to_names_emotion_and_sounds(lamp: IndexedMeeting) -> None:
    plan = Plan(1, (ToolCall("audio_segment", {"t_start": 30.5, "t_end": 35.0}, "heard"),))
    start = Belief("?", Decomposition())
    belief = start.after_observing(plan, Toolbox.all().execute(plan, lamp, Scope(), start))
    assert evidence_block(belief, lamp.meeting, 1000).text == (
        "<<< evidence\n"
        "[utt 4] (31.0-34.0 s, 0:31) Tom: Your cat is our best tester. {sound: about as loud as Tom usually is, "
        "20% of it overlapped, sounded happy, (laughter)}\n"
        ">>>"
    )
    assert '"emotions": {"happy": 1}, "events": {"laughter": 1}' in results_block(belief)

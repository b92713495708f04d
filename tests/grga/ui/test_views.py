"""What the tabs show of a meeting, its jobs and an answer."""

from __future__ import annotations

from typing import Any

from grga.agent.steps import (
    Decomposition,
    Draft,
    Form,
    Found,
    Metadata,
    Observation,
    Plan,
    QuestionType,
    Reflection,
    Step,
    ToolCall,
)
from grga.types import Answer, Citation, Cost, Meeting, Sentence
from grga.ui.answer_view import answer_html, evidence_html, provenance
from grga.ui.trace_view import trace_html


def steps() -> list[Step]:
    search = ToolCall("hybrid_search", {"query": "fee"}, "r1")
    walk = ToolCall("traverse_relations", {"nodes": "r1"}, "r2")
    return [
        Decomposition(
            ("fee",), (), (), Metadata(QuestionType.INFERENTIAL, "causal inference", Form.WHY), 0.003
        ),
        Plan(1, (search, walk), "look for the fee"),
        Observation(1, search, (Found(2, 0.9, "words and meaning"),), seconds=0.04),
        Observation(1, walk, (Found(3, 0.5, "reply_to: 2 → 3"), Found(0, 0.4, "entity: 0 → 2 (costs)"))),
        Draft(1, (Sentence("A fee was added.", (2,)),)),
        Reflection(1, 5.0, "every sentence is supported", reward=1.0),
    ]


def answer(meeting: Meeting, **changes: Any) -> Answer:
    values: dict[str, Any] = {
        "question": "Why?",
        "sentences": (Sentence("A fee was added.", (2,)), Sentence("Rosa objects.", (3, 2))),
        "citations": tuple(Citation.of(meeting, meeting.utterances[id]) for id in (2, 3)),
        "verified": True,
        "reflection_score": 5.0,
        "found": True,
        "system": "grga",
        "policy": "offline",
        "cost": Cost(0.31, {}, 0, 0, 0, 2),
    }
    return Answer(**{**values, **changes})


def test_an_answer_numbers_its_citations_and_says_what_it_cost(meeting: Meeting, page: Any) -> None:
    seen = page(answer_html(answer(meeting), meeting, 1))
    pills = [attributes for tag, attributes in seen.tags if tag == "button"]
    assert [pill["data-cite"] for pill in pills] == ["1", "2", "1"]
    assert (pills[0]["data-start"], pills[0]["data-end"]) == ("60.000", "64.000")
    assert pills[1]["aria-label"] == "Citation 2, Rosa, 1:05"
    assert "✓ Verified 5/5" in seen.text
    assert "1 round · 2 tool calls · 0.31 s · offline policy" in seen.text


def test_an_unsupported_answer_is_marked(meeting: Meeting, page: Any) -> None:
    doubtful = answer(meeting, verified=False, reflection_score=2.0, dropped_citations=1)
    seen = page(answer_html(doubtful, meeting, 5)).text
    assert "Unverified 2/5" in seen
    assert "1 citation dropped" in seen


def test_not_in_this_meeting_is_a_proper_answer(meeting: Meeting, page: Any) -> None:
    nothing = answer(
        meeting,
        sentences=(Sentence("This meeting does not say."),),
        citations=(),
        found=False,
        verified=False,
        reflection_score=None,
    )
    assert "This meeting does not say." in page(answer_html(nothing, meeting, 2)).text
    assert "Not in this meeting" in page(answer_html(nothing, meeting, 2)).text
    assert "Nothing is cited" in page(evidence_html(nothing, meeting, [])).text


def test_evidence_shows_quote_speaker_time_and_why(meeting: Meeting, page: Any) -> None:
    seen = page(evidence_html(answer(meeting), meeting, steps())).text
    assert "CRosa" in seen
    assert "1:05–1:09" in seen
    assert "“Then who signed this?”" in seen
    assert "found by reply" in seen


def test_provenance_names_tool_and_relation() -> None:
    assert provenance(steps()) == {
        2: "found by words and meaning",
        3: "found by reply",
        0: "found by same topic (costs)",
    }


def test_provenance_puts_the_telling_reason_first() -> None:
    look = [
        Observation(1, ToolCall(tool), (Found(1, 1.0, why),))
        for tool, why in [
            ("keyword_search", ""),
            ("semantic_search", ""),
            ("traverse_relations", "reply_to: 0 → 1"),
        ]
    ]
    assert provenance(look) == {1: "found by reply · words and meaning"}


def test_the_trace_reads_as_a_story(meeting: Meeting, page: Any) -> None:
    seen = page(trace_html(steps(), meeting)).text
    assert "inferential question, causal inference · wants: why · about fee" in seen
    assert "Round 1 · look for the fee" in seen
    assert "hybrid_search(query=fee) → 1 utterance" in seen
    assert "Checked 5/5 every sentence is supported." in seen
    assert trace_html([], meeting) == ""
    assert "Looking…" in page(trace_html(steps()[:2], meeting, working=True)).text


def test_what_a_draft_left_out_is_said(meeting: Meeting, page: Any) -> None:
    draft = Draft(1, (Sentence("Yes.", (2,)),), notes=("removed 1 sentence without a citation",))
    assert "removed 1 sentence without a citation" in page(trace_html([draft], meeting)).text


def test_a_repeated_draft_is_not_repeated_and_old_rounds_fold(meeting: Meeting, page: Any) -> None:
    again = [Plan(2, ()), Draft(2, (Sentence("A fee was added.", (2,)),))]
    seen = page(trace_html([*steps(), *again], meeting))
    assert seen.text.count("A fee was added.") == 1
    assert "Draft as before" in seen.text
    assert [("open" in attributes) for tag, attributes in seen.tags if tag == "details"] == [
        True,
        False,
        True,
    ]


def test_a_failed_tool_says_why(meeting: Meeting, page: Any) -> None:
    bad = Observation(1, ToolCall("audio_segment", {"t_start": 1.0}), error="this meeting has no audio")
    assert "this meeting has no audio" in page(trace_html([bad], meeting)).text


def test_hostile_answers_add_no_element(
    hostile_meeting: Meeting, hostile: tuple[str, ...], page: Any
) -> None:
    cited = answer(hostile_meeting, sentences=(Sentence(hostile[4], (2,)),))
    for made in (
        answer_html(cited, hostile_meeting, 1),
        evidence_html(cited, hostile_meeting, []),
        trace_html([Plan(1, (), hostile[0])], hostile_meeting),
    ):
        seen = page(made)
        assert not {"img", "script", "b"} & {tag for tag, _ in seen.tags} - {"b"}
        assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)
        assert not set("$`\\{}") & set(made)

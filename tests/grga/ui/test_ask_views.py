"""What the tabs show of a meeting, its jobs and an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from grga.agent.steps import (
    AgentTrace,
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
    Tokens,
    ToolCall,
)
from grga.history import REASONS, Asked, AskedLine, Part
from grga.scopes import Limits
from grga.types import Answer, Citation, Cost, Meeting, Sentence, TimeSpan
from grga.ui.answer_view import EXPORTS, Kept, answer_html
from grga.ui.asking import Reply
from grga.ui.compare_view import Column, cited_by, comparison_html
from grga.ui.contenders import SYSTEMS
from grga.ui.evidence_view import FOUND_BY, RELATIONS, evidence_html, provenance
from grga.ui.history_view import SEARCHABLE, feedback_html, history_html
from grga.ui.moments import marks_html, numbering
from grga.ui.scope_view import limits_html
from grga.ui.texts import chinese
from grga.ui.trace_view import running, trace_html


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


def replies(meeting: Meeting, *answers: Answer, done: list[Step] | None = None) -> list[Reply]:
    found = steps() if done is None else done
    return [
        Reply(str(place), meeting.id, meeting.title, meeting, tuple(found), one)
        for place, one in enumerate(answers)
    ]


def shown(meeting: Meeting, *answers: Answer, kept: Kept | None = None) -> str:
    listed = replies(meeting, *answers)
    return answer_html(listed, numbering(listed), kept)


def evidence(meeting: Meeting, *answers: Answer, done: list[Step] | None = None) -> str:
    listed = replies(meeting, *answers, done=done)
    return evidence_html(listed, numbering(listed))


def told(meeting: Meeting, done: list[Step], working: bool = False) -> str:
    return trace_html([Reply("1", meeting.id, meeting.title, meeting, tuple(done))], working=working)


def test_an_answer_numbers_its_citations_and_says_what_it_cost(meeting: Meeting, page: Any) -> None:
    seen = page(shown(meeting, answer(meeting)))
    pills = [attributes for tag, attributes in seen.tags if tag == "button"]
    assert [pill["data-cite"] for pill in pills] == ["1", "2", "1"]
    assert (pills[0]["data-from"], pills[0]["data-to"]) == ("60.000", "64.000")
    assert pills[1]["aria-label"] == "Citation 2, Rosa, 1:05"
    assert "✓ Verified 5/5" in seen.text
    assert "1 round · 2 tool calls · 0.31 soffline policy" in seen.text


def test_an_unsupported_answer_is_marked(meeting: Meeting, page: Any) -> None:
    doubtful = answer(meeting, verified=False, reflection_score=2.0, dropped_citations=1)
    seen = page(shown(meeting, doubtful)).text
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
    assert "This meeting does not say." in page(shown(meeting, nothing)).text
    assert "Not in this meeting" in page(shown(meeting, nothing)).text
    assert "Nothing is cited" in page(evidence(meeting, nothing)).text


def test_evidence_shows_quote_speaker_time_and_why(meeting: Meeting, page: Any) -> None:
    seen = page(evidence(meeting, answer(meeting))).text
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
    seen = page(told(meeting, steps())).text
    assert "inferential question, causal inference · wants: why · about fee" in seen
    assert "Round 1 · look for the fee" in seen
    assert "hybrid_search(query=fee) → 1 utterance" in seen
    assert "Checked 5/5 every sentence is supported." in seen
    assert told(meeting, []) == ""
    assert "Running hybrid_search…" in page(told(meeting, steps()[:2], working=True)).text


def test_what_a_draft_left_out_is_said(meeting: Meeting, page: Any) -> None:
    draft = Draft(1, (Sentence("Yes.", (2,)),), notes=("removed 1 sentence without a citation",))
    assert "removed 1 sentence without a citation" in page(told(meeting, [draft])).text


def test_a_repeated_draft_is_not_repeated_and_old_rounds_fold(meeting: Meeting, page: Any) -> None:
    again = [Plan(2, ()), Draft(2, (Sentence("A fee was added.", (2,)),))]
    seen = page(told(meeting, [*steps(), *again]))
    assert seen.text.count("A fee was added.") == 1
    assert "Draft as before" in seen.text
    assert [("open" in attributes) for tag, attributes in seen.tags if tag == "details"] == [
        True,
        False,
        True,
    ]


def test_a_failed_tool_says_why(meeting: Meeting, page: Any) -> None:
    bad = Observation(1, ToolCall("audio_segment", {"t_start": 1.0}), error="this meeting has no audio")
    assert "this meeting has no audio" in page(told(meeting, [bad])).text


def test_hostile_answers_add_no_element(
    hostile_meeting: Meeting, hostile: tuple[str, ...], page: Any
) -> None:
    cited = answer(
        hostile_meeting, question=hostile[0], sentences=(Sentence(hostile[4], (2,)),), policy=hostile[1]
    )
    line = AskedLine("t", hostile[0], NOW, "grga", {"h": hostile[2]}, True, True)
    asked = replace(kept_answer(hostile_meeting), rating=-1, comment=hostile[5])
    for made in (
        shown(hostile_meeting, cited, kept=Kept(hostile[5])),
        shown(hostile_meeting, cited, cited, kept=Kept("t")),
        evidence(hostile_meeting, cited, done=[]),
        told(hostile_meeting, [Plan(1, (), hostile[0])]),
        marks_html(replies(hostile_meeting, cited), {}, hostile[0]),
        history_html([line] * SEARCHABLE, unfolded=True, shown=hostile[5]),
        feedback_html(asked),
        limits_html(Limits((hostile[0],), TimeSpan(0, 1)), {hostile[0]: hostile[1]}),
        comparison_html(
            hostile[0],
            [Column(hostile[1], replies(hostile_meeting, cited)[0]), Column("b", None, hostile[2])],
        ),
    ):
        seen = page(made)
        assert not {"img", "script"} & {tag for tag, _ in seen.tags}
        assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)
        assert not set("$`\\{}") & set(made)


NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


def kept_answer(meeting: Meeting) -> Asked:
    part = Part.of(meeting, AgentTrace(tuple(steps()), answer(meeting)))
    return Asked("token", "v" * 32, NOW, "Why?", "grga", "offline", (), Limits(), (part,))


def test_two_answers_number_the_same_moment_the_same(meeting: Meeting) -> None:
    other = answer(
        meeting, citations=(Citation.of(meeting, meeting.utterances[0]), answer(meeting).citations[0])
    )
    assert numbering(replies(meeting, answer(meeting), other)) == {
        (meeting.id, 2): 1,
        (meeting.id, 3): 2,
        (meeting.id, 0): 3,
    }


def test_marks_tell_cited_from_found_and_whose_timeline_is_meant(meeting: Meeting, page: Any) -> None:
    listed = replies(meeting, answer(meeting))
    seen = page(marks_html(listed, numbering(listed), "token"))
    marks = json.loads(seen.first("grga-moments")["data-marks"])
    assert marks["cited"] == [[1, 2, 60.0, 64.0, 0], [2, 3, 65.0, 69.0, 2]]
    assert marks["found"] == [[0, 0.0, 4.0, 0]]
    assert seen.first("grga-show") == {"data-meeting": meeting.id, "data-turn": "token"}


def test_answers_of_several_meetings_count_on_and_name_who_is_silent(meeting: Meeting, page: Any) -> None:
    other = replace(meeting, id="other-1", title="Other review")
    silent = answer(meeting, citations=(), found=False, verified=False)
    listed = [
        Reply("1", meeting.id, meeting.title, meeting, (), answer(meeting)),
        Reply("2", other.id, other.title, other, (), answer(other)),
        Reply("3", "gone", "Gone", None, (), silent),
    ]
    numbers = numbering(listed)
    seen = page(answer_html(listed, numbers))
    pills = [a for tag, a in seen.tags if tag == "button" and "data-cite" in a]
    assert [(pill["data-meeting"], pill["data-cite"]) for pill in pills] == [
        (meeting.id, "1"),
        (meeting.id, "2"),
        (meeting.id, "1"),
        (other.id, "3"),
        (other.id, "4"),
        (other.id, "3"),
    ]
    assert [a["data-stage"] for tag, a in seen.tags if "data-stage" in a] == [meeting.id, other.id]
    assert "Not said in: Gone" in seen.text
    assert "Other review · found" not in page(evidence_html(listed, numbers)).text
    assert page(evidence_html(listed, numbers)).text.count("Supplier review") == 2


def test_when_no_meeting_says_it_there_is_advice(meeting: Meeting, page: Any) -> None:
    silent = answer(meeting, citations=(), found=False, verified=False)
    seen = page(shown(meeting, silent, silent)).text
    assert "None of these meetings says it." in seen
    assert "take away limits" in seen


def test_an_unverified_answer_warns_and_the_badge_says_why(meeting: Meeting, page: Any) -> None:
    hardly = page(shown(meeting, answer(meeting, verified=False, reflection_score=2.0)))
    assert "hardly fits the question" in hardly.text
    partly = page(shown(meeting, answer(meeting, verified=False, reflection_score=3.6)))
    assert "Not every sentence could be confirmed" in partly.text
    tips = [a["data-tip"] for _, a in partly.tags if "data-tip" in a]
    assert tips == [
        "The check against the cited moments gave only 3.6/5.",
        "No language model took part: every word comes from the meeting itself.",
    ]
    assert "Listen before" not in page(shown(meeting, answer(meeting))).text


def test_only_who_asked_may_rate(meeting: Meeting, page: Any) -> None:
    mine = page(shown(meeting, answer(meeting), kept=Kept("t", rating=-1, annotate=True)))
    actions = [(a["data-action"], a.get("aria-pressed")) for _, a in mine.tags if "data-action" in a]
    assert actions == [
        ("compare", None),
        ("connect", None),
        ("annotate", None),
        ("rate", "false"),
        ("rate", "true"),
    ]
    links = [a["href"] for tag, a in mine.tags if tag == "a"]
    assert links == [f"grga/answers/t/export/{format}" for format in ("md", "docx", "zip")]
    theirs = page(shown(meeting, answer(meeting), kept=Kept("t", mine=False)))
    assert [a["data-action"] for _, a in theirs.tags if "data-action" in a] == ["compare", "connect"]


def test_a_deleted_meeting_leaves_words_to_read(meeting: Meeting, page: Any) -> None:
    gone = [Reply("1", meeting.id, meeting.title, None, tuple(steps()), answer(meeting))]
    assert "deleted since" in page(answer_html(gone, numbering(gone))).text
    seen = page(evidence_html(gone, numbering(gone)))
    assert "“Then who signed this?”" in seen.text
    assert "▶" not in seen.text
    assert marks_html(gone, numbering(gone)) == ""
    assert "hybrid_search" in page(trace_html(gone)).text


def test_what_is_being_done_is_said() -> None:
    done = steps()
    assert [running(done[:n]) for n in range(6)] == [
        "Reading the question…",
        "Planning the next look…",
        "Running hybrid_search…",
        "Running traverse_relations…",
        "Writing a draft…",
        "Checking every sentence against its evidence…",
    ]
    assert running(done) == "Planning the next look…"


def test_another_round_says_what_the_check_missed(meeting: Meeting, page: Any) -> None:
    missed = Reflection(1, 2.0, "a reason is missing", ("the reason",))
    search = ToolCall("keyword_search", {"query": "why"}, "r1")
    look = Observation(2, search, seconds=0.5, tokens=Tokens(100, 20, 1, cached=1))
    seen = page(told(meeting, [*steps()[:-1], missed, Plan(2, (search,)), look])).text
    assert "Planned again for: the reason" in seen
    assert "0.50 s · 120 tokens · 1 from the cache · 0 found" in seen


def test_a_comparison_says_which_moments_are_shared(meeting: Meeting, page: Any) -> None:
    one = replies(meeting, answer(meeting), done=[])[0]
    two = replies(meeting, answer(meeting, citations=answer(meeting).citations[:1]), done=[])[0]
    columns = [
        Column("GRGA", one),
        Column("Text RAG", two),
        Column("Third"),
        Column("Fourth", None, "no server"),
    ]
    assert cited_by(columns) == {(meeting.id, 2): "AB", (meeting.id, 3): "A"}
    seen = page(comparison_html("Why?", columns)).text
    assert "1 of 2 moments are cited by more than one." in seen
    assert "Waiting for its turn" in seen
    assert "No server" in seen


def test_the_list_of_questions_folds_away_and_can_be_searched(page: Any) -> None:
    line = AskedLine("t1", "Why the fee?", NOW, "grga", {"a": "Review", "b": "Other"}, False, True, -1)
    seen = page(history_html([line], unfolded=False, shown="t1"))
    assert "open" not in seen.first("details")
    assert "Why the fee?" in seen.text
    assert "2 meetings · unverified" in seen.text
    assert any(a.get("aria-current") == "true" for _, a in seen.tags)
    assert all(tag != "input" for tag, _ in seen.tags)
    many = page(history_html([line] * SEARCHABLE, unfolded=True))
    assert many.first("input")["type"] == "search"
    assert "kept here, for you alone" in history_html([], unfolded=True)


def test_a_bad_answer_asks_for_reasons_and_a_good_one_does_not(meeting: Meeting, page: Any) -> None:
    asked = kept_answer(meeting)
    assert feedback_html(asked) == ""
    bad = page(feedback_html(replace(asked, rating=-1, reasons=("long",))))
    boxes = {a["value"]: "checked" in a for tag, a in bad.tags if a.get("type") == "checkbox"}
    assert boxes == {"wrong": False, "incomplete": False, "moment": False, "long": True, "other": False}
    good = page(feedback_html(replace(asked, rating=1)))
    assert not any(a.get("type") == "checkbox" for _, a in good.tags)


def test_limits_are_chips_that_a_click_removes(page: Any) -> None:
    seen = page(limits_html(Limits(("S1",), TimeSpan(60, 90)), {"S1": "Dana"}))
    assert [(a["data-kind"], a["data-id"]) for tag, a in seen.tags if tag == "button"] == [
        ("speaker", "S1"),
        ("time", ""),
    ]
    assert "Dana" in seen.text
    assert "1:00–1:30" in seen.text
    assert limits_html(Limits(), {}) == ""


def test_words_from_tables_have_their_chinese_line() -> None:
    tables = [
        *FOUND_BY.values(),
        *RELATIONS.values(),
        *REASONS.values(),
        *EXPORTS.values(),
        *SYSTEMS.values(),
    ]
    forms = [one.value.replace("_", " ") for one in (*Form, *QuestionType)]
    assert [one for one in (*tables, *forms) if one not in chinese()] == []

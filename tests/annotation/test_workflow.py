"""How items go from a proposal to a settled question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.schema import Status
from annotation.verdicts import read_verdict
from annotation.workflow import (
    adjudicate,
    judge,
    next_dispute,
    next_task,
    progress,
    release,
    set_gold,
    undo,
)
from grga.errors import AnnotationError, StoreError

Desk = Any  # of conftest.py, which tests cannot import


def say(kind: str, **values: Any) -> Any:
    return read_verdict({"kind": kind, **values})


ACCEPT = say("accept")
REJECT = say("reject", reason="hallucinated")


def mark(start: float, end: float, utterance: int = 3) -> list[dict[str, Any]]:
    return [{"utt_id": utterance, "start": start, "end": end}]


def opened(desk: Desk, annotator: str, **limits: Any) -> str | None:
    task = next_task(desk.workspace, annotator, **limits)
    return task.item.key if task else None


# --- what comes next --------------------------------------------------------------------------------


def test_an_open_item_comes_back_until_it_is_judged(desk: Desk) -> None:
    desk.add("m1-1", "m1-2")
    assert [opened(desk, "ana"), opened(desk, "ana")] == ["m1-1", "m1-1"]
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    assert opened(desk, "ana") == "m1-2"
    judge(desk.workspace, "m1-2", "ana", ACCEPT)
    assert opened(desk, "ana") is None


def test_the_least_annotated_item_comes_first(desk: Desk) -> None:
    desk.add("m1-1", "m1-2", "m1-3")
    judge(desk.workspace, opened(desk, "ana"), "ana", ACCEPT)
    assert opened(desk, "ben") == "m1-2"
    assert opened(desk, "eva") == "m1-3"
    judge(desk.workspace, "m1-2", "ben", ACCEPT)
    judge(desk.workspace, "m1-3", "eva", ACCEPT)
    assert opened(desk, "ben") == "m1-1"


def test_no_more_people_than_needed_have_an_item_open_at_once(desk: Desk) -> None:
    desk.add("m1-1")
    assert [opened(desk, name) for name in ("ana", "ben", "eva")] == ["m1-1", "m1-1", None]
    release(desk.workspace, "ana")
    assert opened(desk, "eva") == "m1-1"


def test_a_lock_expires_and_frees_the_place(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(overlap=1, lock_seconds=600)
    desk.add("m1-1")
    assert opened(desk, "ana") == "m1-1"
    desk.clock.wait(500)
    assert opened(desk, "ben") is None
    desk.clock.wait(200)
    assert opened(desk, "ben") == "m1-1"
    with pytest.raises(AnnotationError, match="kept for you no longer and somebody else has taken it"):
        judge(desk.workspace, "m1-1", "ana", ACCEPT)
    judge(desk.workspace, "m1-1", "ben", ACCEPT)
    assert desk.stands().verifier == "ben"


def test_a_verdict_after_the_lock_expired_counts_while_nobody_took_the_place(
    open_desk: Callable[..., Desk],
) -> None:
    desk = open_desk(overlap=1, lock_seconds=600)
    desk.add("m1-1")
    opened(desk, "ana")
    desk.clock.wait(5000)
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    assert desk.stands().status == Status.ACCEPTED


def test_an_open_item_that_was_settled_meanwhile_does_not_come_back(desk: Desk) -> None:
    desk.add("m1-1", "m1-2")
    assert [opened(desk, name) for name in ("ana", "ben")] == ["m1-1", "m1-2"]
    judge(desk.workspace, "m1-1", "ben", say("flag"))
    assert opened(desk, "ana") == "m1-1"
    adjudicate(desk.workspace, "m1-1", "judy", REJECT)
    assert opened(desk, "ana") == "m1-2"


def test_work_can_be_limited_to_a_meeting_or_a_batch(desk: Desk) -> None:
    desk.add("m1-1")
    desk.add("m2-1", meeting="m2", batch="b2")
    assert opened(desk, "ana", meeting="m2") == "m2-1"
    release(desk.workspace, "ana")
    assert opened(desk, "ana", batch="b2") == "m2-1"
    assert opened(desk, "ana", batch="b3") is None


def test_failed_items_are_not_offered(desk: Desk) -> None:
    desk.add("m1-1", status=Status.FAILED)
    assert opened(desk, "ana") is None
    with pytest.raises(AnnotationError, match="no longer open"):
        judge(desk.workspace, "m1-1", "ana", ACCEPT)


def test_annotators_do_not_see_what_others_did(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", REJECT)
    task = next_task(desk.workspace, "ben")
    assert task is not None
    assert (task.item.history, task.item.status, task.verdicts) == ((), Status.PROPOSED, ())


# --- what verdicts do -------------------------------------------------------------------------------


def test_two_who_accept_settle_an_item(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    assert (desk.stands().status, desk.stands().verifier) == (Status.IN_REVIEW, None)
    judge(desk.workspace, "m1-1", "ben", ACCEPT)
    assert (desk.stands().status, desk.stands().verifier) == (Status.ACCEPTED, "ana, ben")


def test_two_who_reject_settle_it_whatever_their_reasons(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", REJECT)
    judge(desk.workspace, "m1-1", "ben", say("reject", reason="trivial"))
    assert desk.stands().status == Status.REJECTED


def test_different_verdicts_need_an_adjudicator(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    judge(desk.workspace, "m1-1", "ben", REJECT)
    assert desk.stands().status == Status.ADJUDICATION
    task = next_dispute(desk.workspace, "judy")
    assert task is not None
    assert task.dispute == "the verdicts differ (accept, reject)"
    assert [one.annotator for one in task.verdicts] == ["ana", "ben"]


@pytest.mark.parametrize(
    ("first", "second", "status", "why"),
    [
        # the proposed evidence is 20–30 s
        ((20.0, 30.0), (20.5, 30.0), Status.ACCEPTED, ""),
        ((20.0, 29.0), (20.0, 30.0), Status.ADJUDICATION, "ana's evidence is not the proposed one (IoU 0.90"),
        ((20.5, 30.0), (20.0, 29.4), Status.ADJUDICATION, "ana and ben mark different evidence (IoU 0.89"),
        ((24.0, 30.0), (24.0, 30.0), Status.ADJUDICATION, "ana's evidence is not the proposed one (IoU 0.60"),
    ],
)
def test_evidence_must_agree_by_more_than_nine_tenths(
    desk: Desk, first: tuple[float, float], second: tuple[float, float], status: Status, why: str
) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", say("accept", marks=mark(*first)))
    judge(desk.workspace, "m1-1", "ben", say("accept", marks=mark(*second)))
    assert desk.stands().status == status
    task = next_dispute(desk.workspace, "judy")
    assert (task.dispute if task else "").startswith(why)
    if status is Status.ACCEPTED:
        assert desk.stands().content.spans[0].start == first[0]


def test_the_iou_with_the_proposal_is_kept_with_the_verdict(desk: Desk) -> None:
    desk.add("m1-1", "m1-2", "m1-3")
    marked = judge(desk.workspace, "m1-1", "ana", say("accept", marks=mark(24, 30), seconds=12.5))
    as_is = judge(desk.workspace, "m1-2", "ana", ACCEPT)
    rejected = judge(desk.workspace, "m1-3", "ana", REJECT)
    assert [one.iou for one in (marked, as_is, rejected)] == [0.6, 1.0, None]
    assert [one.seconds for one in desk.judgements()] == [12.5, 0, 0]


def test_one_annotator_is_enough_where_the_overlap_is_one(desk: Desk) -> None:
    desk.add("m1-1", overlap=1)
    wanted = say("edit", question="What does the service cost?", answer="200 euros.", marks=mark(20, 29.9))
    judge(desk.workspace, "m1-1", "ana", wanted)
    item = desk.stands()
    assert (item.status, item.question, item.answer) == (
        Status.ACCEPTED,
        "What does the service cost?",
        "200 euros.",
    )
    assert (item.evidence[0].end, item.evidence[0].speaker) == (29.9, "Tom")


def test_the_same_edit_twice_agrees_and_another_does_not(desk: Desk) -> None:
    desk.add("m1-1", "m1-2")
    for name, text in (("ana", "Two  hundred."), ("ben", "Two hundred.")):
        judge(desk.workspace, "m1-1", name, say("edit", answer=text))
        judge(desk.workspace, "m1-2", name, say("edit", answer=f"{text} {name}"))
    assert desk.stands("m1-1").status == Status.ACCEPTED
    assert desk.stands("m1-2").status == Status.ADJUDICATION
    task = next_dispute(desk.workspace, "judy")
    assert task is not None
    assert task.dispute == "the edits differ"


def test_an_edit_that_only_moves_the_evidence_accepts_the_words(desk: Desk) -> None:
    desk.add("m1-1")
    given = judge(desk.workspace, "m1-1", "ana", say("edit", marks=mark(20, 29.9)))
    judge(desk.workspace, "m1-1", "ben", ACCEPT)
    assert given.kind == "accept"
    assert desk.stands().status == Status.ACCEPTED


def test_a_corrected_answer_has_no_key_for_programs(desk: Desk) -> None:
    desk.add("m1-1", overlap=1, answer_key={"count": 200})
    assert desk.stands().answer_key is not None
    judge(desk.workspace, "m1-1", "ana", say("edit", answer="Three hundred euros."))
    assert desk.stands().answer_key is None


def test_a_skip_leaves_the_place_to_others(desk: Desk) -> None:
    desk.add("m1-1", overlap=1)
    judge(desk.workspace, "m1-1", "ana", say("skip"))
    assert desk.stands().status == Status.PROPOSED
    assert opened(desk, "ana") is None
    assert opened(desk, "ben") == "m1-1"


def test_a_flag_calls_an_adjudicator_at_once(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", say("flag", note="private matter"))
    assert desk.stands().status == Status.ADJUDICATION
    task = next_dispute(desk.workspace, "judy")
    assert task is not None
    assert task.dispute == "flagged: private matter"


# --- undo -------------------------------------------------------------------------------------------


def test_undo_takes_back_one_s_own_last_verdict_and_history_keeps_both(desk: Desk) -> None:
    desk.add("m1-1", "m1-2")
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    judge(desk.workspace, "m1-2", "ana", REJECT)
    judge(desk.workspace, "m1-1", "ben", ACCEPT)

    task = undo(desk.workspace, "ana")

    assert task is not None
    assert task.item.key == "m1-2"
    assert desk.stands("m1-2").status == Status.PROPOSED
    assert [entry.action for entry in desk.stands("m1-2").history] == [
        "added",
        "reject",
        "status",
        "undo",
        "status",
    ]
    assert desk.stands("m1-1").status == Status.ACCEPTED
    judge(desk.workspace, "m1-2", "ana", ACCEPT)
    assert [one.kind for one in desk.judgements(item="m1-2", undone=True)] == ["reject", "accept"]


def test_undo_opens_again_what_the_verdict_had_settled(desk: Desk) -> None:
    desk.add("m1-1", overlap=1)
    before = desk.stands().content
    judge(desk.workspace, "m1-1", "ana", say("edit", answer="200 euros."))
    undo(desk.workspace, "ana")
    assert (desk.stands().status, desk.stands().content) == (Status.PROPOSED, before)


def test_nothing_to_undo_is_no_error(desk: Desk) -> None:
    assert undo(desk.workspace, "ana") is None


def test_an_annotator_cannot_undo_what_was_adjudicated_but_the_adjudicator_can(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    judge(desk.workspace, "m1-1", "ben", REJECT)
    adjudicate(desk.workspace, "m1-1", "judy", ACCEPT)
    with pytest.raises(AnnotationError, match="an adjudicator has settled the question"):
        undo(desk.workspace, "ana")
    task = undo(desk.workspace, "judy")
    assert task is not None
    assert len(task.verdicts) == 2
    assert desk.stands().status == Status.ADJUDICATION


# --- adjudication -----------------------------------------------------------------------------------


def test_an_adjudicator_settles_words_and_evidence_for_good(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", say("accept", marks=mark(25, 30)))
    judge(desk.workspace, "m1-1", "ben", ACCEPT)
    wanted = say("edit", answer="200 euros.", marks=[*mark(24, 30), *mark(31, 33, 4)])
    adjudicate(desk.workspace, "m1-1", "judy", wanted)
    item = desk.stands()
    assert (item.status, item.verifier, item.answer) == (Status.ACCEPTED, "judy", "200 euros.")
    assert [(one.utt_id, one.start, one.end) for one in item.evidence] == [(3, 24.0, 30.0), (4, 31.0, 33.0)]
    assert next_dispute(desk.workspace, "judy") is None


def test_nobody_settles_what_they_judged_themselves(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    judge(desk.workspace, "m1-1", "ben", REJECT)
    assert next_dispute(desk.workspace, "ben") is None
    with pytest.raises(AnnotationError, match="ben has judged 'm1-1' and cannot settle it"):
        adjudicate(desk.workspace, "m1-1", "ben", ACCEPT)


def test_two_adjudicators_do_not_get_the_same_dispute(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", say("flag"))
    assert next_dispute(desk.workspace, "judy") is not None
    assert next_dispute(desk.workspace, "kim") is None
    with pytest.raises(AnnotationError, match="somebody else has taken"):
        adjudicate(desk.workspace, "m1-1", "kim", ACCEPT)


def test_an_adjudicator_may_pass_a_dispute_on(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", say("flag"))
    adjudicate(desk.workspace, "m1-1", "judy", say("skip"))
    assert next_dispute(desk.workspace, "judy") is None
    assert next_dispute(desk.workspace, "kim") is not None


def test_what_is_not_in_dispute_cannot_be_adjudicated(desk: Desk) -> None:
    desk.add("m1-1")
    with pytest.raises(AnnotationError, match=r"needs no adjudicator \(found proposed\)"):
        adjudicate(desk.workspace, "m1-1", "judy", ACCEPT)


# --- gold -------------------------------------------------------------------------------------------


def test_one_in_so_many_items_is_gold_and_looks_like_any_other(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(gold_every=4)
    desk.add(*(f"m1-{n}" for n in range(1, 9)))
    desk.add("gold-1", "gold-2")
    for key in ("gold-1", "gold-2"):
        set_gold(desk.workspace, key, True, "lead")
    seen = []
    for _ in range(8):
        task = next_task(desk.workspace, "ana")
        assert task is not None
        assert not task.item.gold
        seen.append(task.item.key)
        judge(desk.workspace, task.item.key, "ana", ACCEPT)
    assert sum(key.startswith("gold") for key in seen[:4]) == 1
    assert sum(key.startswith("gold") for key in seen[4:]) == 1


def test_verdicts_do_not_change_a_gold_item_and_everybody_may_judge_it(desk: Desk) -> None:
    desk.add("gold-1", overlap=1)
    set_gold(desk.workspace, "gold-1", True, "lead")
    for name in ("ana", "ben", "eva"):
        judge(desk.workspace, "gold-1", name, REJECT)
    assert (desk.stands("gold-1").status, desk.stands("gold-1").verifier) == (Status.ACCEPTED, "lead")
    assert [entry.action for entry in desk.stands("gold-1").history] == ["added", "gold", *["reject"] * 3]


def test_a_gold_item_can_become_an_ordinary_one_again(desk: Desk) -> None:
    desk.add("gold-1", overlap=1)
    set_gold(desk.workspace, "gold-1", False, "lead")
    assert desk.stands("gold-1").status == Status.REJECTED
    set_gold(desk.workspace, "gold-1", None, "lead")
    assert (desk.stands("gold-1").gold, desk.stands("gold-1").status) == (False, Status.PROPOSED)


# --- progress ---------------------------------------------------------------------------------------


def test_progress_counts_items_and_one_s_own_share(desk: Desk) -> None:
    desk.add("m1-1", "m1-2", "m1-3", "m1-4")
    desk.add("m1-5", status=Status.FAILED)
    for name in ("ana", "ben"):
        judge(desk.workspace, "m1-1", name, ACCEPT)
    judge(desk.workspace, "m1-2", "ana", ACCEPT)
    judge(desk.workspace, "m1-3", "ben", say("skip"))
    ana, ben = progress(desk.workspace, "ana", meeting="m1"), progress(desk.workspace, "ben")
    assert (ana.total, ana.accepted, ana.in_review, ana.proposed, ana.failed) == (5, 1, 1, 2, 1)
    assert (ana.yours, ana.left) == (2, 2)
    assert (ben.yours, ben.left) == (1, 2)


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"kind": "agree"}, "kind: Input should be 'accept', 'edit', 'reject', 'skip' or 'flag'"),
        ({"kind": "reject"}, "a reason (hallucinated, ambiguous,"),
        ({"kind": "reject", "reason": "boring"}, "reason: Input should be 'hallucinated'"),
        ({"kind": "accept", "reason": "trivial"}, "belongs to a rejection, and only to one"),
        ({"kind": "accept", "seconds": -1}, "seconds: Input should be greater than or equal to 0"),
        ({"kind": "accept", "seconds": float("nan")}, "seconds: Input should be"),
        ({"kind": "accept", "marks": mark(5, 4)}, "marks.0: the span ends (4.0 s) before it starts (5.0 s)"),
        ({"kind": "accept", "marks": mark(-1, 4)}, "marks.0.start: Input should be greater"),
        ({"kind": "accept", "extra": 1}, "extra: Extra inputs are not permitted"),
        ({}, "kind: Field required"),
    ],
)
def test_what_is_posted_is_checked(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AnnotationError) as caught:
        read_verdict(values)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (say("accept", marks=mark(20, 99)), r"lies outside the meeting \(found 20–99 s, expected 0–42 s\)"),
        (say("accept", marks=mark(20, 30, 17)), r"no utterance 17 \(expected 0 to 4\)"),
        (say("accept", marks=mark(1, 2)), r"1–2 s is not where utterance 3 is"),
        (say("accept", marks=mark(20, 30) * 2), "utterance 3 is marked twice"),
        (say("accept", marks=[]), "an answer needs evidence"),
        (say("accept", answer="Another."), "the verdict accept cannot change the answer"),
        (say("edit"), "the edit changes nothing"),
        (say("edit", answer="Two hundred euros."), "the edit changes nothing"),
        (say("edit", answer="   "), "cannot be empty"),
        (say("edit", subtask="duration"), "factual questions have no subtask 'duration'"),
        (say("edit", type="temporal"), "temporal questions have no subtask 'attribute association'"),
    ],
)
def test_a_verdict_is_checked_against_its_item_and_meeting(desk: Desk, verdict: Any, sentence: str) -> None:
    desk.add("m1-1")
    with pytest.raises(AnnotationError, match=sentence):
        judge(desk.workspace, "m1-1", "ana", verdict)
    assert desk.judgements() == []
    assert len(desk.stands().history) == 1


def test_unknown_items_people_and_meetings_are_refused(desk: Desk) -> None:
    desk.add("x-1")
    desk.add("elsewhere", meeting="x9")
    with pytest.raises(AnnotationError, match="there is no question 'nope'"):
        judge(desk.workspace, "nope", "ana", ACCEPT)
    with pytest.raises(AnnotationError, match="an annotator needs a name"):
        next_task(desk.workspace, "  ")
    with pytest.raises(AnnotationError, match="an annotator needs a name"):
        judge(desk.workspace, "x-1", "a\x00b", ACCEPT)
    with pytest.raises(StoreError, match="there is no meeting 'x9'"):
        judge(desk.workspace, "elsewhere", "ana", say("accept", marks=mark(20, 30)))


def test_nobody_judges_twice(desk: Desk) -> None:
    desk.add("m1-1")
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    with pytest.raises(AnnotationError, match="ana has judged 'm1-1' already: undo it first"):
        judge(desk.workspace, "m1-1", "ana", REJECT)


def test_a_taken_key_adds_nothing(desk: Desk) -> None:
    desk.add("m1-1")
    with pytest.raises(AnnotationError, match="there is a question 'm1-1' already"):
        desk.add("m1-2", "m1-1")
    assert opened(desk, "ana") == "m1-1"
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    assert opened(desk, "ana") is None

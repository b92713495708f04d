"""Raters: what they may do, what is refused and kept, and that nothing they did is ever lost."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from eval.human.desk import Desk
from eval.human.rating import RatingRoom, TaskView
from eval.human.study import KnownItem, Study
from eval.human.tables import RatingHistoryRow, RatingRow, TaskRow
from grga.errors import StudyError

Open = Callable[..., Study]
RateAll = Callable[..., None]


def first_task(room: RatingRoom, token: str) -> TaskView:
    task = room.consent(token).task
    assert task is not None
    return task


def test_a_rater_agrees_rates_everything_and_is_done(
    desk: Desk, room: RatingRoom, opened: Open, rate_all: RateAll
) -> None:
    opened(3)
    token = desk.invite("tea", "Rita")
    before = room.view(token)
    assert (before.consented, before.task, before.total) == (False, None, 0)
    rate_all(token)
    after = room.view(token)
    assert (after.done, after.total, after.task) == (6, 6, None)
    (line,) = desk.raters("tea")
    assert (line.name, line.state, line.done, line.total) == ("Rita", "finished", 6, 6)


def test_nothing_a_rater_sees_names_a_system_an_item_or_the_other_raters(
    desk: Desk, room: RatingRoom, opened: Open
) -> None:
    opened(3)
    tokens = [desk.invite("tea", name) for name in ("Rita", "Ravi")]
    views = [json.dumps(dataclasses.asdict(room.consent(token)), default=str) for token in tokens]
    for view in views:
        for secret in ("blue", "green", '"q1"', "m1", "Ravi", "Rita"):
            assert secret not in view
    ids = [
        {task["id"]} | {clip["id"] for clip in task["clips"]}
        for task in (json.loads(v)["task"] for v in views)
    ]
    assert not ids[0] & ids[1]


def test_groundedness_waits_until_a_clip_was_heard(desk: Desk, room: RatingRoom, opened: Open) -> None:
    opened(1)
    token = desk.invite("tea", "Rita")
    task = first_task(room, token)
    assert {one.name: one.locked for one in task.criteria} == {
        "Correctness": "",
        "Groundedness": "listen to a cited moment first",
        "Coherence": "",
    }
    with pytest.raises(StudyError, match="cannot be rated yet"):
        room.rate(token, task.id, "Groundedness", 4)
    room.listen(token, task.id, task.clips[0].id, 0.4)  # too short to have heard it
    with pytest.raises(StudyError, match="listen to a cited moment"):
        room.rate(token, task.id, "Groundedness", 4)
    room.listen(token, task.id, task.clips[0].id, 1.6)
    assert room.rate(token, task.id, "Groundedness", 4).task_done is False


def test_an_answer_that_cites_nothing_needs_no_listening(desk: Desk, room: RatingRoom, a_study: Open) -> None:
    study = a_study(1)
    silent = [one.model_copy(update={"clips": ()}) for one in study.items[0].candidates]
    quiet = study.items[0].model_copy(update={"candidates": tuple(silent)})
    desk.make(study.model_copy(update={"items": (quiet,)}))
    desk.open_study("tea", "Olga", cleared=True)
    token = desk.invite("tea", "Rita")
    task = first_task(room, token)
    assert "[1]" not in task.text  # a mark that points to nothing would be read as a sign
    assert all(one.locked == "" for one in task.criteria)


def test_one_at_a_time_keeps_the_order(desk: Desk, room: RatingRoom, opened: Open) -> None:
    opened(1, one_at_a_time=True)
    token = desk.invite("tea", "Rita")
    task = first_task(room, token)
    with pytest.raises(StudyError, match="rate Correctness first"):
        room.rate(token, task.id, "Coherence", 5)
    room.rate(token, task.id, "Correctness", 5)
    room.listen(token, task.id, task.clips[0].id, 3.0)
    room.rate(token, task.id, "Groundedness", 5)
    assert room.rate(token, task.id, "Coherence", 5).task_done


def test_a_changed_score_counts_once_and_both_are_kept(desk: Desk, room: RatingRoom, opened: Open) -> None:
    opened(1)
    token = desk.invite("tea", "Rita")
    task = first_task(room, token)
    for score in (2, 5, 4):
        room.rate(token, task.id, "Coherence", score)
    with desk.reading() as session:
        (rating,) = session.exec(select(RatingRow)).all()
        assert (rating.score, rating.changes) == (4, 2)
        assert [row.score for row in session.exec(select(RatingHistoryRow))] == [2, 5, 4]


def test_training_explains_itself_only_after_the_last_score(
    desk: Desk, room: RatingRoom, opened: Open
) -> None:
    known = KnownItem(
        key="t", question="Who?", text="Ann.", expected={"Correctness": (4, 5)}, feedback="She says so."
    )
    opened(1, training=(known,))
    token = desk.invite("tea", "Rita")
    task = first_task(room, token)
    assert task.training
    for criterion in task.criteria:
        assert room.view(token, 0).task.feedback == ""  # type: ignore[union-attr]
        room.rate(token, task.id, criterion.name, 2)
    shown = room.view(token, 0).task
    assert shown is not None
    assert shown.feedback == "Correctness: you gave 2, we expected 4 to 5. She says so."


@pytest.mark.parametrize("raters", [3, 4])
def test_over_the_raters_every_system_has_every_position_within_one(
    desk: Desk, room: RatingRoom, opened: Open, rate_all: RateAll, raters: int
) -> None:
    opened(4)
    for number in range(raters):
        rate_all(desk.invite("tea", f"Rater {number}"))
    with desk.reading() as session:
        tasks = session.exec(select(TaskRow)).all()
    first = Counter()
    for task in tasks:
        pair = [other.position for other in tasks if (other.rater, other.item) == (task.rater, task.item)]
        first[task.item, task.system, task.position == min(pair)] += 1
    for name in {task.item for task in tasks}:
        for system in ("blue", "green"):
            assert abs(first[name, system, True] - first[name, system, False]) <= 1


def attempts(room: RatingRoom, token: str, other: str) -> dict[str, tuple[Callable[[], Any], str]]:
    mine, theirs = first_task(room, token), first_task(room, other)
    return {
        "a forged link": (lambda: room.rate(token + "x", mine.id, "Coherence", 3), "link is not valid"),
        "another rater's task": (
            lambda: room.rate(token, theirs.id, "Coherence", 3),
            "not one of your answers",
        ),
        "a score of 9": (lambda: room.rate(token, mine.id, "Coherence", 9), "score 9 cannot be given"),
        "a score of True": (lambda: room.rate(token, mine.id, "Coherence", True), "cannot be given"),
        "no criterion": (lambda: room.rate(token, mine.id, "Beauty", 3), "no criterion 'Beauty'"),
        "another's clip": (
            lambda: room.listen(token, mine.id, theirs.clips[0].id, 1.0),
            "no such clip",
        ),
        "hours of a short clip": (
            lambda: room.listen(token, mine.id, mine.clips[0].id, 9999.0),
            "not as long as that",
        ),
        "the sound of another": (lambda: room.clip(token, theirs.clips[0].id), "no such clip"),
    }


@pytest.mark.parametrize(
    "name",
    [
        "a forged link",
        "another rater's task",
        "a score of 9",
        "a score of True",
        "no criterion",
        "another's clip",
        "hours of a short clip",
        "the sound of another",
    ],
)
def test_what_is_not_allowed_is_refused_in_a_sentence_and_kept(
    desk: Desk, room: RatingRoom, opened: Open, name: str
) -> None:
    opened(2)
    act, reason = attempts(room, desk.invite("tea", "Rita"), desk.invite("tea", "Ravi"))[name]
    with pytest.raises(StudyError, match=reason):
        act()
    kept = desk.refusals("" if name == "a forged link" else "tea")
    assert len(kept) == 1
    assert reason in kept[0][2]
    with desk.reading() as session:
        assert session.exec(select(RatingRow)).all() == []


def test_an_answer_further_on_cannot_be_rated_yet(desk: Desk, room: RatingRoom, opened: Open) -> None:
    opened(2)
    token = desk.invite("tea", "Rita")
    first_task(room, token)
    with desk.reading() as session:
        last = session.exec(select(TaskRow).where(TaskRow.position == 3)).one().id
    with pytest.raises(StudyError, match="comes later"):
        room.rate(token, last, "Coherence", 3)


def test_links_expire_and_can_be_revoked_and_studies_close(
    desk: Desk, room: RatingRoom, opened: Open, clock: Any
) -> None:
    opened(1, link_days=2)
    late, revoked, closed = (desk.invite("tea", name) for name in ("Lea", "Rex", "Cleo"))
    clock.forward(days=1.9)
    room.view(late)
    desk.revoke(next(line.id for line in desk.raters("tea") if line.name == "Rex"), by="Olga")
    with pytest.raises(StudyError, match="revoked"):
        room.view(revoked)
    task = first_task(room, closed)
    desk.close("tea", by="Olga")
    with pytest.raises(StudyError, match="study is closed"):
        room.rate(closed, task.id, "Coherence", 3)
    clock.forward(days=0.2)
    with pytest.raises(StudyError, match="expired"):
        room.view(late)
    assert [line.state for line in desk.raters("tea")] == ["expired", "revoked", "expired"]


def test_a_study_opens_only_once_its_findings_were_read(desk: Desk, room: RatingRoom, a_study: Open) -> None:
    study = a_study(1)
    telling = study.items[0].candidates[0].model_copy(update={"text": "As an AI I cannot say."})
    item = study.items[0].model_copy(update={"candidates": (telling, study.items[0].candidates[1])})
    desk.make(study.model_copy(update={"items": (item,)}))
    token = desk.invite("tea", "Rita")
    with pytest.raises(StudyError, match="not begun"):
        room.view(token)
    with pytest.raises(StudyError, match="may tell raters"):
        desk.open_study("tea", "Olga")
    desk.open_study("tea", "Olga", cleared=True)
    assert room.view(token).open


def test_looking_at_the_systems_needs_a_closed_study(desk: Desk, opened: Open) -> None:
    opened(1)
    with pytest.raises(StudyError, match="is open"):
        desk.unblind("tea", "Olga")
    desk.close("tea", "Olga")
    desk.unblind("tea", "Olga")


def test_a_lost_database_is_made_again_from_the_journal(
    desk: Desk, room: RatingRoom, opened: Open, rate_all: RateAll, tmp_path: Path, clock: Any
) -> None:
    opened(2)
    token = desk.invite("tea", "Rita")
    rate_all(token)
    before = (desk.raters("tea"), desk.studies(), room.own_ratings(token))
    desk.log.engine.dispose()
    for file in tmp_path.glob("grga.db*"):
        file.unlink()

    restored = Desk.open(tmp_path, clock=clock)
    assert (restored.raters("tea"), restored.studies()) == before[:2]
    assert RatingRoom(restored).own_ratings(token) == before[2]
    assert restored.replay().applied == 0


def test_a_cut_last_line_loses_nothing_else(
    desk: Desk, room: RatingRoom, opened: Open, tmp_path: Path
) -> None:
    opened(1)
    journal = tmp_path / "human" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b'{"kind": "rated", "id"')
    again = Desk.open(tmp_path)
    assert [line.key for line in again.studies()] == ["tea"]
    assert "cut or damaged" in again.replay().problems[0]
    again.invite("tea", "Rita")
    assert [line.name for line in Desk.open(tmp_path).raters("tea")] == ["Rita"]

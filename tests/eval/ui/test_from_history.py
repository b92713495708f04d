"""Answers given under Ask become answers of a study: a visitor's own, about one meeting, the newest ones."""

from __future__ import annotations

from eval.ui.from_history import asked_records, systems
from eval.ui.studies import Studies
from grga.history import Part
from grga.types import Answer, Sentence

ME, OTHER = "visitor-me", "visitor-other"


def part(system: str, text: str, meeting: str = "m1", question: str = "Who?") -> Part:
    answer = Answer(
        question=question,
        sentences=(Sentence(text),),
        citations=(),
        verified=True,
        reflection_score=None,
        found=True,
        system=system,
        policy="offline",
    )
    return Part(meeting, answer, title=meeting)


def test_the_newest_answer_of_each_system_is_taken(studies: Studies) -> None:
    history = studies.services.history
    for system, text in (("grga", "Old."), ("text_rag", "Ben."), ("grga", "Ann.")):
        history.add(ME, "Who?", [part(system, text)])
    history.add(OTHER, "Who?", [part("grga", "Not mine.")])
    records = asked_records(history, ME)
    assert systems(records) == ["GRGA", "Text RAG"]
    assert {one.system: one.text for one in records} == {"GRGA": "Ann.", "Text RAG": "Ben."}
    assert len({one.item for one in records}) == 1
    assert {one.meeting for one in records} == {"m1"}


def test_the_same_question_about_another_meeting_is_another(studies: Studies) -> None:
    history = studies.services.history
    history.add(ME, "Who?", [part("grga", "Ann.")])
    history.add(ME, "who?  ", [part("text_rag", "Ann.")])
    history.add(ME, "Who?", [part("grga", "Ann.", meeting="m2")])
    assert len({one.item for one in asked_records(history, ME)}) == 2


def test_answers_about_several_meetings_are_left_out(studies: Studies) -> None:
    history = studies.services.history
    history.add(ME, "Who?", [part("grga", "Ann."), part("grga", "Ben.", meeting="m2")])
    assert asked_records(history, ME) == []

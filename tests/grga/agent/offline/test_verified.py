"""What "verified" means: the form that is asked for, the question's words covered, nothing read into it."""

from __future__ import annotations

import pytest

from grga.agent import make_answerer
from grga.agent.policies.offline.answers.outcomes import commitment
from grga.agent.policies.offline.answers.verdict import denies
from grga.agent.policies.offline.focus import focus_of
from grga.agent.policies.offline.phrases import phrase
from grga.agent.steps import AgentTrace, Reflection, nothing_found
from grga.store import IndexedMeeting


def ask(question: str, meeting: IndexedMeeting) -> AgentTrace:
    return AgentTrace.collect(make_answerer().answer(question, meeting))


def critiques(trace: AgentTrace) -> list[str]:
    return [step.critique for step in trace.steps if isinstance(step, Reflection)]


def test_the_critique_names_the_words_that_are_not_covered(contract: IndexedMeeting) -> None:
    trace = ask("What is the diameter of the battery?", contract)
    assert not (trace.answer.found and trace.answer.verified)
    assert "not said in or around the citations: diameter (never said in this meeting)" in critiques(trace)[0]


def test_an_answer_that_covers_the_question_is_verified(contract: IndexedMeeting) -> None:
    answer = ask("How long does the battery last?", contract).answer
    assert (answer.verified, [one.utterance for one in answer.citations]) == (True, [5])


def test_a_yes_needs_somebody_who_says_so(contract: IndexedMeeting) -> None:
    decided = ask("Did they decide to go for the plastic case?", contract).answer
    assert (decided.sentences[0].text, decided.sentences[0].citations) == ("Yes.", (7,))
    left_open = ask("Could they use a lithium battery?", contract).answer
    assert left_open.sentences[0].text not in ("Yes.", "No.")
    assert not left_open.verified


def test_a_question_with_not_is_never_verified_by_words_alone(contract: IndexedMeeting) -> None:
    assert not ask("Who does not want a bigger battery?", contract).answer.verified


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The hall does not allow animals.", True),
        ("There is no forest left.", True),
        ("我们不买水桶。", True),
        ("今天我们要决定买不买水桶。", False),
        ("We know the notes.", False),
    ],
)
def test_denials(text: str, denied: bool) -> None:
    assert denies(text) is denied


def test_tasks_are_told_from_talk() -> None:
    names = "Maya|Oliver|Grace"
    tasks = (
        "I will call the insurance company tomorrow.",
        "Maya paints the lighthouse and Oliver calls the farmer.",
        "You will have the contract by Monday.",
        "下个星期六上午九点我带工具来。",
    )
    talk = (
        "I painted those trees for six weeks.",
        "I'm Grace and I'm the director.",
        "Henry, what can you do for us?",
        "I can live with that idea.",
    )
    assert all(commitment(text, names) >= 1.5 for text in tasks)
    assert all(commitment(text, names) < 1.5 for text in talk)


def test_a_quote_without_a_closing_mark_gets_one() -> None:
    assert phrase("en", "said", name="Ben", time="0:02", text="And then we") == (
        "Ben says at 0:02: “And then we”."
    )
    assert phrase("en", "said", name="Ben", time="0:02", text="Why?") == "Ben says at 0:02: “Why?”"
    assert phrase("zh", "said", name="小红", time="0:02", text="那") == "小红在0:02说：“那”。"


def test_what_is_missing_is_named_in_the_words_of_the_question() -> None:
    assert focus_of("How many parking spaces does the hall have?").pieces == ("parking spaces", "hall")
    assert focus_of("开车去机场要多久？").pieces == ("开车去机场",)


def test_nothing_found_is_said_in_the_language_of_the_question() -> None:
    assert nothing_found("Who will play the piano?").text == "This meeting does not say."
    assert nothing_found("谁会弹钢琴？").text == "这次会议没有提到。"

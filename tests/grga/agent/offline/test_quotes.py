"""Quoted phrases are looked for as they stand, and never read as part of the question."""

from __future__ import annotations

import pytest

from grga.agent import make_answerer
from grga.agent.policies.offline.classify import Operation
from grga.agent.policies.offline.decompose import read
from grga.agent.policies.offline.plans import moments_of, options_of
from grga.agent.policies.offline.quotes import hide, quoted_in
from grga.agent.steps import AgentTrace
from grga.store import IndexedMeeting
from grga.types import Answer


def ask(question: str, meeting: IndexedMeeting) -> Answer:
    return AgentTrace.collect(make_answerer().answer(question, meeting)).answer


def test_quotations_are_hidden_and_shown_again() -> None:
    question = "Who says “it's friendly, isn't it?” and \"no\"?"
    hidden = hide(question)
    assert hidden.phrases == ("it's friendly, isn't it?", "no")
    assert "friendly" not in hidden.text
    assert hidden.shown(hidden.text) == question
    assert hidden.phrases_in(hidden.text.split(" and ")[1]) == ("no",)


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("What's Tom's promise?", ()),
        ("「水桶」和『土豆』", ("水桶", "土豆")),
        ("What does 'that idea' mean?", ("that idea",)),
        ("“x” is too short, “yes” is not", ("yes",)),
    ],
)
def test_what_counts_as_a_quotation(question: str, phrases: tuple[str, ...]) -> None:
    assert quoted_in(question) == phrases


def test_a_time_or_name_inside_a_quotation_limits_nothing(contract: IndexedMeeting) -> None:
    reading = read("When does Tom say “Rosa, in about five minutes”?", contract.meeting)
    assert reading.constraints.time == ()
    assert reading.constraints.metadata.speakers == ("S2",)


def test_an_event_keeps_its_quotation_whole(contract: IndexedMeeting) -> None:
    question = "Who speaks right after Ben says “the glue was too weak, so what”?"
    [time] = read(question, contract.meeting).constraints.time
    assert (time.relation, time.anchor) == ("after", "Ben says “the glue was too weak, so what”")


def test_what_is_compared_may_be_quoted() -> None:
    assert options_of("Which comes up first, “sideways” or “later”?") == ("sideways", "later")
    assert options_of("Which came first, the price or the battery?") == ("the price", "the battery")


@pytest.mark.parametrize(
    ("question", "text", "cited"),
    [
        ("Who says “the budget of twelve thousand euros is enough”?", "It was Rosa.", {2}),
        ("When does Ben say “Let us decide”?", "At 0:50.", {7}),
        ("Who speaks right after Maria asks “how long does the battery last”?", "Then, at 0:34, Rosa:", {5}),
        (
            "How many times is the word “battery” said?",
            "“battery” is mentioned 4 times in 3 turns.",
            {4, 5, 6},
        ),
        ("Which comes up first, “battery” or “budget”?", "“budget” comes first, at 0:15;", {2, 4}),
    ],
)
def test_answers_about_quoted_words(
    question: str, text: str, cited: set[int], contract: IndexedMeeting
) -> None:
    answer = ask(question, contract)
    assert answer.text.startswith(text)
    assert cited <= {one.utterance for one in answer.citations}


@pytest.mark.parametrize(
    ("question", "text", "cited"),
    [
        (
            "How much time passes between Maria asking “how long does the battery last” and Ben saying “Let us decide”?",
            "About 22 seconds: from 0:28 to 0:50.",
            {4, 7},
        ),
        (
            "How much time passes between the drop test and the new service fee?",
            "About 40 seconds: from 0:20 to 1:00.",
            {3, 8},
        ),
        ("How long is Tom's longest turn?", "Tom's longest turn lasts 8.0 seconds, from 1:00 to 1:08:", {8}),
        ("How long is the longest turn of the meeting?", "Tom's longest turn lasts 8.0 seconds", {8}),
        ("Who is speaking at 0:53?", "Ben says at 0:50:", {7}),
    ],
)
def test_lengths_and_moments(question: str, text: str, cited: set[int], contract: IndexedMeeting) -> None:
    answer = ask(question, contract)
    assert answer.text.startswith(text)
    assert {one.utterance for one in answer.citations} == cited
    assert answer.verified


def test_a_moment_that_is_not_there_is_not_measured(contract: IndexedMeeting) -> None:
    answer = ask("How much time passes between the fire drill and the lunch buffet?", contract)
    assert not answer.found


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("How long is Rosa's longest turn?", Operation.LONGEST_TURN),
        ("老周最长的一次发言有多长？", Operation.LONGEST_TURN),
        ("How much time passes between the fee and the break?", Operation.TIME_BETWEEN),
        ("从开始到结束中间过了多久？", Operation.TIME_BETWEEN),
        ("How long do they discuss the battery?", Operation.TOPIC_TIME),
    ],
)
def test_what_is_measured(question: str, operation: Operation, contract: IndexedMeeting) -> None:
    assert read(question, contract.meeting).operation is operation


def test_two_moments_as_the_question_names_them() -> None:
    asked = "How much time passes between Tom saying “a and b” and the break?"
    assert moments_of(asked) == ("Tom saying “a and b”", "the break")
    assert moments_of("从小红说“你好”到老周说“再见”，中间过了多久？") == ("小红说“你好”", "老周说“再见”")
    assert moments_of("How long is the meeting?") is None


@pytest.mark.parametrize(
    ("question", "cited"),
    [
        ("Who objects when Tom says “there is a new service fee of two hundred euros”?", {9}),
        ("What is Rosa's reaction to the question “how long does the battery last”?", {5}),
        ("Which question leads Rosa to say “The battery lasts nine hours”?", {4}),
        ("What amount of money does Tom name in the remark with “shipment”?", {8}),
        ("Does Rosa speak louder than usual when saying “You promised there are no hidden fees”?", {9}),
    ],
)
def test_what_takes_up_a_quoted_remark(question: str, cited: set[int], contract: IndexedMeeting) -> None:
    assert cited <= {one.utterance for one in ask(question, contract).citations}


def test_a_comparison_with_a_habit_is_answered_yes_or_no(contract: IndexedMeeting) -> None:
    asked = "Does {} speak louder than usual when saying “{}”?"
    assert ask(asked.format("Rosa", "You promised there are no hidden fees"), contract).text.startswith(
        "Yes."
    )
    assert ask(asked.format("Ben", "I will send the minutes"), contract).text.startswith("No.")


@pytest.mark.parametrize(
    ("question", "relation", "anchor"),
    [
        ("老周说“我们买水桶”的时候，谁反对？", "after", "老周说“我们买水桶”"),
        ("对“什么时候开始”这个问题，老周是怎么回应的？", "after", "“什么时候开始”"),
        ("老周说“星期六九点”，是在回答哪个问题？", "before", "老周说“星期六九点”"),
        ("Who disagrees when Tom says “no fee”?", "after", "Tom says “no fee”"),
        ("What prompted Rosa to say “you promised”?", "before", "Rosa to say “you promised”"),
    ],
)
def test_which_side_of_a_quoted_remark(
    question: str, relation: str, anchor: str, contract: IndexedMeeting
) -> None:
    [time] = read(question, contract.meeting).constraints.time
    assert (time.relation, time.anchor, time.span) == (relation, anchor, None)

"""A question becomes constraints: what it is about, who, when, how it sounded, and what must be answered."""

from __future__ import annotations

import pytest

from grga.agent.policies.offline.classify import Operation
from grga.agent.policies.offline.decompose import read
from grga.agent.policies.offline.focus import focus_of
from grga.agent.steps import Form, QuestionType
from grga.types import Meeting, Speaker

SPEAKERS = (
    Speaker("S1", "Maria", "Project Manager"),
    Speaker("S2", "Tom"),
    Speaker("S3", "Rosa"),
    Speaker("S4", "Marketing", "Marketing"),
    Speaker("S5", "小红"),
)
MEETING = Meeting("m", "m", 1800.0, (), SPEAKERS)

READINGS = [
    ("How many times was the battery mentioned?", Operation.COUNT_MENTIONS, "frequency statistics"),
    ("How many times did Rosa speak?", Operation.COUNT_TURNS, "frequency statistics"),
    ("How many people took part?", Operation.COUNT_PEOPLE, "entity retrieval"),
    ("Who interrupted the most?", Operation.COUNT_INTERRUPTIONS, "cross-modal localisation & cause"),
    ("How long did Tom talk?", Operation.TALK_TIME, "duration"),
    ("How long was the budget discussed?", Operation.TOPIC_TIME, "duration"),
    ("How long was the meeting?", Operation.MEETING_TIME, "duration"),
    ("How long does the battery last?", Operation.EXTRACT, "keyword locating"),
    ("Who talked the most?", Operation.TALK_SHARE, "duration"),
    ("Who spoke first?", Operation.FIRST_SPEAKER, "relative sequencing"),
    ("Who first mentioned hidden fees?", Operation.FIRST_MENTION, "relative sequencing"),
    ("When was the deadline last mentioned?", Operation.LAST_MENTION, "relative sequencing"),
    ("Did they discuss price or design first?", Operation.WHICH_FIRST, "relative sequencing"),
    ("What did Tom say after the break?", Operation.NEXT_TO_EVENT, "relative sequencing"),
    ("What was said at 12:30?", Operation.IN_WINDOW, "absolute localisation"),
    ("Why did someone raise their voice?", Operation.SOUND_CAUSE, "cross-modal localisation & cause"),
    ("Who was the loudest?", Operation.SOUND_EXTREME, "emotion & intensity"),
    ("Did Tom sound angry?", Operation.SOUND_CHECK, "emotion & intensity"),
    ("Why was the app dropped?", Operation.CAUSE, "causal inference"),
    ("What does 'that idea' refer to?", Operation.REFERENT, "coreference resolution"),
    ("What decisions were made?", Operation.OUTCOMES, "topic summarisation"),
    ("Summarize the meeting.", Operation.SUMMARY, "topic summarisation"),
    ("What is Tom's role?", Operation.PROFILE, "speaker profiling"),
    ("Who is the project manager?", Operation.PROFILE, "speaker profiling"),
    ("What did Tom think of rubber?", Operation.EXTRACT, "stance analysis"),
    ("Who agreed with the plan?", Operation.EXTRACT, "stance analysis"),
    ("电池被提到了几次？", Operation.COUNT_MENTIONS, "frequency statistics"),
    ("谁最先提到电池？", Operation.FIRST_MENTION, "relative sequencing"),
    ("小红为什么提高了声音？", Operation.SOUND_CAUSE, "cross-modal localisation & cause"),
    ("谁的声音最大？", Operation.SOUND_EXTREME, "emotion & intensity"),
    ("这次会议主要讨论了什么？", Operation.SUMMARY, "topic summarisation"),
    ("小红的角色是什么？", Operation.PROFILE, "speaker profiling"),
]


@pytest.mark.parametrize(("question", "operation", "subtask"), READINGS)
def test_operation_and_subtask(question: str, operation: Operation, subtask: str) -> None:
    reading = read(question, MEETING)
    assert (reading.operation, reading.constraints.metadata.subtask) == (operation, subtask)


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("Who proposed it?", Form.WHO),
        ("When was it proposed?", Form.WHEN),
        ("Why?", Form.WHY),
        ("How many chairs are there?", Form.HOW_MANY),
        ("How long does it take?", Form.HOW_LONG),
        ("Did they agree?", Form.YES_NO),
        ("When Rosa says that, what does she mean?", Form.WHAT),
        ("谁提出的？", Form.WHO),
        ("为什么？", Form.WHY),
        ("他们同意吗？", Form.YES_NO),
        ("要多少钱？", Form.HOW_MANY),
    ],
)
def test_form(question: str, form: Form) -> None:
    assert read(question, MEETING).constraints.metadata.form is form


@pytest.mark.parametrize(
    ("question", "speakers"),
    [
        ("What did Rosa say?", ("S3",)),
        ("what did rosa say?", ("S3",)),
        ("What did the project manager and Tom say?", ("S1", "S2")),
        ("How often does S2 speak?", ("S2",)),
        ("What did Marketing think of it?", ("S4",)),
        ("Which marketing strategies were discussed?", ()),
        ("小红说了什么？", ("S5",)),
    ],
)
def test_speakers_by_id_name_or_role(question: str, speakers: tuple[str, ...]) -> None:
    assert read(question, MEETING).constraints.metadata.speakers == speakers


@pytest.mark.parametrize(
    ("question", "topic", "setting"),
    [
        ("What did the group think about rubber when discussing the case?", "rubber", "the case"),
        ("Summarize the discussion about the budget.", "budget", ""),
        ("How many times was the battery mentioned?", "battery", ""),
        ("What was said?", "", ""),
        ("电池被提到了几次？", "电池", ""),
    ],
)
def test_focus_is_what_the_question_is_about(question: str, topic: str, setting: str) -> None:
    focus = focus_of(question)
    assert (focus.topic, focus.setting) == (topic, setting)


def test_constraints_carry_everything_the_question_says() -> None:
    constraints = read('Why did Tom shout "no hidden fees" after 10 minutes?', MEETING).constraints
    assert constraints.entities == ("no hidden fees",)
    assert constraints.metadata.speakers == ("S2",)
    assert constraints.metadata.acoustic == ("loud",)
    assert constraints.metadata.question_type is QuestionType.ACOUSTIC
    assert constraints.time[0].span is not None
    assert constraints.time[0].span.start == 600.0


@pytest.mark.parametrize("question", ["What is the volume of the box?", "Is a quick delivery possible?"])
def test_words_that_also_describe_things_are_no_sounds(question: str) -> None:
    assert read(question, MEETING).constraints.metadata.acoustic == ()

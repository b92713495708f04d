"""Emotions and laughter: answered from what models heard, with care, and an honest no."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.store import IndexedMeeting
from grga.types import Answer, Scope

CONTRACT = "“Two months? They signed the contract, this is not acceptable.”"
LATE = "“Every single time we get the bad news last.”"


def ask(question: str, meeting: IndexedMeeting) -> Answer:
    return AgentTrace.collect(make_answerer().answer(question, meeting, Scope())).answer


def told(answer: Answer) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.text, one.citations) for one in answer.sentences]


def test_who_sounded_angry_names_the_person_the_moments_and_the_words(lamp: IndexedMeeting) -> None:
    answer = ask("Who sounded angry?", lamp)
    assert told(answer) == [
        ("Rosa sounds angry twice.", (6, 8)),
        (f"At 0:45 Rosa sounds angry: {CONTRACT}", (6,)),
        (f"At 1:02 Rosa sounds angry: {LATE}", (8,)),
    ]
    assert answer.verified


ANSWERS = [
    ("Who was the angriest?", "Only Rosa sounds angry: twice.", (6, 8)),
    ("How many times did Rosa sound angry?", "Rosa sounds angry twice.", (6, 8)),
    ("Who was the happiest?", "Tom sounds happy most often: twice.", (1, 4)),
    ("Did Rosa sound angry?", "Yes.", (6, 8)),
    ("Was Rosa angry about the delivery plan?", "Yes.", (6,)),
    ("What was the mood in the room?", "Tom sounds happy twice.", (1, 4)),
    ("What emotions did Maria show?", "No strong emotion is heard: it sounds neutral throughout.", (0, 9)),
    ("How often did they laugh?", "Laughter is heard twice.", (4, 11)),
    ("Did anybody laugh, when?", "Yes.", (4, 11)),
    ("When did people laugh?", "At 0:31 there is laughter while Tom and Rosa speak: “Your cat is our best tester.”", (4,)),
    ("Was there any applause?", "Yes.", (2,)),
    ("Who coughed?", "There is coughing during remarks by Tom; who made it is not measured.", (10,)),
    ("Did Rosa laugh?", "There is laughter during remarks by Tom and Rosa; who made it is not measured.", (4,)),
    (
        "Who laughed after Tom's remark about the best tester?",
        "There is laughter during remarks by Ben; who made it is not measured.",
        (11,),
    ),
    ("What did Maria say after everybody laughed?", "Maria says at 0:36: “Now to the delivery plan: the supplier wants two more months.”", (5,)),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sentence", "cites"), ANSWERS)
def test_is_answered_from_what_was_heard(
    question: str, sentence: str, cites: tuple[int, ...], lamp: IndexedMeeting
) -> None:
    answer = ask(question, lamp)
    assert told(answer)[0] == (sentence, cites)
    assert answer.verified


NOTHING = [
    ("Was Rosa happy about the plan?", ["No.", "Nothing that Rosa says about it sounds happy.", f"At 0:45 Rosa sounds angry: {CONTRACT}"]),
    ("Did anybody sound disgusted?", ["No.", "Nothing that anybody says sounds disgusted."]),
    ("Who sounded afraid?", ["Nothing that anybody says sounds fearful."]),
    ("Did Maria laugh?", ["No.", "No laughter is heard during remarks by Maria."]),
    ("Did anybody sneeze?", ["No.", "No sneezing is heard."]),
    ("Why did Tom sound angry?", ["Nothing that Tom says sounds angry."]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sentences"), NOTHING)
def test_a_mood_or_sound_that_is_not_there_gets_an_honest_no(
    question: str, sentences: list[str], lamp: IndexedMeeting
) -> None:
    answer = ask(question, lamp)
    assert [text for text, _ in told(answer)] == sentences
    assert answer.verified
    assert all(cites for _, cites in told(answer))


@pytest.mark.parametrize(
    ("question", "sentences"),
    [
        (
            "Was Tom sad?",
            ["Possibly, but not clearly.", "At 1:22 Tom may sound sad, though not clearly: “Please also ask about the cables.”"],
        ),
        (
            "Who sounded surprised?",
            [
                "Ben may sound surprised once, though not clearly.",
                "At 0:54 Ben may sound surprised, though not clearly: “I did not expect that at all either.”",
            ],
        ),
    ],
)  # fmt: skip
def test_a_weak_score_is_worded_with_care_and_never_as_a_number(
    question: str, sentences: list[str], lamp: IndexedMeeting
) -> None:
    answer = ask(question, lamp)
    assert [text for text, _ in told(answer)] == sentences
    assert not any(sign in answer.text for sign in ("0.4", "0.5", "%"))


def test_why_somebody_sounds_so_is_traced_back(lamp: IndexedMeeting) -> None:
    assert told(ask("Why was Rosa angry?", lamp)) == [
        (f"At 0:45 Rosa sounds angry: {CONTRACT}", (6,)),
        ("It answers what Maria said at 0:36: “Now to the delivery plan: the supplier wants two more months.”", (5,)),
    ]  # fmt: skip


def test_why_people_laugh_is_what_was_said_just_before(lamp: IndexedMeeting) -> None:
    sentences = told(ask("Why did everybody laugh in the first minute?", lamp))
    assert sentences[1] == (
        "Just before, at 0:22, Ben: “I put it in the oven once, and my cat thought it was the sun.”",
        (3,),
    )


def test_a_mood_without_a_label_of_its_own_is_measured_and_the_label_added(lamp: IndexedMeeting) -> None:
    sentences = told(ask("Did Rosa sound excited?", lamp))
    assert sentences[-1] == ("An emotion model hears it as angry.", (6,))


def test_sounds_that_the_model_does_not_know_are_not_denied(lamp: IndexedMeeting) -> None:
    answer = ask("Did anyone sigh?", lamp)
    assert not answer.found
    assert answer.text == (
        "This meeting does not say: of sounds beside speech, only laughter, applause, coughing, crying and "
        "sneezing are listened for."
    )


def test_a_topic_that_is_not_there_is_said_first(lamp: IndexedMeeting) -> None:
    answer = ask("Did anybody laugh about the satellite?", lamp)
    assert answer.text == "This meeting does not say: there is nothing about “satellite” in it."


def test_feelings_of_others_are_what_was_said_about_them(lamp: IndexedMeeting) -> None:
    assert "sounds happy" not in ask("Is the supplier happy with the lamp?", lamp).text


def test_nothing_is_denied_where_nobody_listened(lamp: IndexedMeeting) -> None:
    """Laughter that was not listened for is not "no laughter"; an emotion that was not measured no neutral one."""
    plain = tuple(
        replace(one, acoustics=replace(one.acoustics, emotion=None, emotion_score=None, events=()))
        for one in lamp.meeting.utterances
        if one.acoustics is not None
    )
    silent = replace(lamp, meeting=replace(lamp.meeting, utterances=plain), tagged=False)
    assert ask("Did anybody laugh?", silent).text == (
        "This meeting does not say: laughter and other noises are not measured."
    )
    assert ask("Who sounded angry?", silent).sentences[-1].text == (
        "An emotion is not measured here, only loudness, pitch, rate and pauses."
    )
    assert ask("Did anybody laugh?", replace(silent, tagged=True)).text == "No. No laughter is heard."


MANDARIN = [
    ("最生气的是谁？", ["只有小红听起来生气：1次。", "0:31，小红听起来生气：“合同早就签了，这样不行！”"]),
    ("什么时候大家笑了？", ["0:14，小红说话时有笑声：“我家的猫以为台灯是太阳。”"]),
    ("谁笑了？", ["小红发言时有笑声；是谁发出的，没有测量。", "0:14，小红说话时有笑声：“我家的猫以为台灯是太阳。”"]),
    ("笑了几次？", ["一共有1次笑声。", "0:14，小红说话时有笑声：“我家的猫以为台灯是太阳。”"]),
    ("有人鼓掌吗？", ["是的。", "0:07，李强说话时有掌声：“样品全部通过了跌落测试。”"]),
    ("有人打喷嚏吗？", ["没有。", "没有听到喷嚏声。"]),
    ("小红高兴吗？", ["是的。", "0:14，小红听起来高兴：“我家的猫以为台灯是太阳。”"]),
    ("小红对交货时间不满吗？", ["是的。", "0:31，小红听起来生气：“合同早就签了，这样不行！”"]),
    ("李强难过吗？", ["可能有一点，但不明显。", "0:40，李强听起来可能有点难过，但不明显：“电缆的问题也要问一下。”"]),
    ("谁听起来害怕？", ["大家说的话里，没有听起来害怕的。"]),
    (
        "小红为什么生气？",
        ["0:31，小红听起来生气：“合同早就签了，这样不行！”", "这是在回应王芳在0:22说的：“供应商说交货时间要推迟两个月。”"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sentences"), MANDARIN)
def test_mandarin_is_answered_in_mandarin(
    question: str, sentences: list[str], lamp_zh: IndexedMeeting
) -> None:
    answer = ask(question, lamp_zh)
    assert [text for text, _ in told(answer)] == sentences
    assert answer.verified

"""Questions to a clean Mandarin meeting: five types, absent facts, and the other language."""

from __future__ import annotations

import re

import pytest

from grga.agent import make_answerer
from grga.agent.policies.offline.decompose import read
from grga.agent.steps import AgentTrace, Reflection
from grga.store import IndexedMeeting
from grga.types import Answer

FACTUAL = (
    ("换一台收银机要多少钱？", {10}, "三千六百块"),
    ("测试计划什么时候写好？", {23}, "星期四"),
    ("谁来写测试计划？", {21}, "是赵强"),
    ("谁负责订气球？", {61}, "是李娜"),
    ("明年的总预算是多少？", {25}, "十八万"),
    ("广告费去年花了多少？", {37}, "一万二"),
    ("产品经理访问了多少位老顾客？", {2}, "二十三"),
    ("API 用什么部署？", {7}, "Kubernetes"),
    ("下次会议几点开？", {63}, "两点半"),
    ("开业改到哪天？", {57}, "二十号"),
    ("烤箱什么时候到？", {45}, "五号"),
)
INFERENTIAL = (
    ("为什么优惠券会亏钱？", {15}, "没有设上限"),
    ("为什么烤箱推迟了？", {47}, "海关"),
    ("为什么要换收银机？", {8}, "不支持接口"),
    ("李娜对广告有什么意见？", {39}, "WeChat"),
    ("主持人对墙的颜色有什么看法？", {52, 55}, "浅绿"),
)
TEMPORAL = (
    ("谁先提到小程序？", {1}, "陈静最先提到"),
    ("谁最后提到黄油？", {31}, "陈静"),
    ("黄油提了几次？", {26, 27, 31}, "4次"),
    ("王磊发言几次？", {9}, "王磊发言16次"),
    ("陈静说了多久？", {43}, "陈静说了1分21秒"),
    ("谁说得最多？", {1}, "陈静说得最多"),
    ("五分半到六分钟之间说了什么？", {28, 29}, "李娜"),
    ("最后一分钟说了什么？", {62, 63}, "下周三"),
    ("九分钟左右谈到了什么？", {45}, "烤箱"),
)
SUMMARIES = (
    ("财务是谁？", {9, 13, 15, 17}, "王磊是财务"),
    ("会议做出了哪些决定？", {18}, "积分要做"),
    ("总结一下这次会议。", {25}, "总预算"),
)
ACOUSTIC = ("谁的声音最大？",)
ABSENT = ("有没有讨论停车位？", "谁提到了保险？", "狗粮多少钱一袋？")


def traced(question: str, meeting: IndexedMeeting) -> AgentTrace:
    return AgentTrace.collect(make_answerer().answer(question, meeting))


def ask(question: str, meeting: IndexedMeeting) -> Answer:
    return traced(question, meeting).answer


@pytest.mark.parametrize(("question", "evidence", "words"), [*FACTUAL, *INFERENTIAL, *TEMPORAL, *SUMMARIES])
def test_a_question_is_answered_in_mandarin_with_the_right_citation(
    question: str, evidence: set[int], words: str, bakery: IndexedMeeting
) -> None:
    answer = ask(question, bakery)
    assert answer.found
    assert evidence & {one.utterance for one in answer.citations}
    assert words in answer.text
    assert not re.search(r"\b(?:says|It was|times|talks)\b", answer.text)
    assert all(sentence.citations for sentence in answer.sentences)


@pytest.mark.parametrize("question", [*ABSENT, *ACOUSTIC])
def test_what_the_meeting_does_not_say_is_said_so_in_mandarin(question: str, bakery: IndexedMeeting) -> None:
    answer = ask(question, bakery)
    assert not answer.found
    assert answer.citations == ()
    assert answer.text.startswith("这次会议没有提到")


def test_an_english_question_finds_mixed_lines_and_is_answered_in_english(bakery: IndexedMeeting) -> None:
    answer = ask("How is the API deployed?", bakery)
    assert answer.text == "赵强 says at 1:24: “不难，我们用 Kubernetes 部署 API v2，后台已经有一半了。”"
    assert ask("Does anybody talk about parking?", bakery).text.startswith("This meeting does not say")


def test_a_chinese_question_to_an_english_meeting_is_answered_in_chinese(contract: IndexedMeeting) -> None:
    answer = ask("battery 的事情是谁说的？", contract)
    assert answer.text.startswith("是")
    assert "says" not in answer.text


@pytest.mark.parametrize(
    ("question", "speakers"),
    [
        ("主持人说了什么？", ("S1",)),
        ("财务和工程师同意吗？", ("S2", "S4")),
        ("产品经理建议做什么？", ("S3",)),
        ("王磊说的预算是多少？", ("S2",)),
    ],
)
def test_roles_and_names_mean_their_speakers(
    question: str, speakers: tuple[str, ...], bakery: IndexedMeeting
) -> None:
    assert read(question, bakery.meeting).constraints.metadata.speakers == speakers


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("前十分钟说了什么？", 0, 600),
        ("最后五分钟说了什么？", 492, 792),
        ("第十二分钟说了什么？", 660, 780),
        ("九分钟左右谈到了什么？", 480, 600),
        ("三分半到四分说了什么？", 210, 240),
        ("一刻钟之前说了什么？", 0, 900),
        ("会议开头谈了什么？", 0, 79.2),
        ("会议结尾谈了什么？", 712.8, 792),
    ],
)
def test_times_are_read(question: str, start: float, end: float, bakery: IndexedMeeting) -> None:
    window = read(question, bakery.meeting).window
    assert window is not None
    assert window.span is not None
    assert (window.span.start, window.span.end) == (pytest.approx(start), pytest.approx(end))


def test_an_hour_and_a_half_is_ninety_minutes(bakery: IndexedMeeting) -> None:
    window = read("一个半小时之后说了什么？", bakery.meeting).window
    assert window is not None
    assert window.span is not None
    assert window.span.start == 5400


@pytest.mark.parametrize(
    ("question", "relation", "anchor"),
    [("在讨论预算之后谈了什么？", "after", "讨论预算"), ("讨论装修之前说了什么？", "before", "讨论装修")],
)
def test_events_place_a_question(question: str, relation: str, anchor: str, bakery: IndexedMeeting) -> None:
    event = read(question, bakery.meeting).event
    assert event is not None
    assert (event.relation, event.anchor) == (relation, anchor)


def test_one_sign_is_cut_from_a_topic_only_as_a_word(bakery: IndexedMeeting) -> None:
    assert read("会员积分是什么？", bakery.meeting).focus.topic == "会员积分"


def test_missing_words_are_named_as_asked(contract: IndexedMeeting) -> None:
    steps = traced("Who is choosing the batteries for dinosaurs?", contract).steps
    missing = {word for step in steps if isinstance(step, Reflection) for word in step.missing}
    assert "dinosaurs" in missing
    assert not {"dinosaur", "choos", "batteri"} & missing

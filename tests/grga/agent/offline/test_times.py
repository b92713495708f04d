"""Time expressions, English and Mandarin, in a meeting of thirty minutes."""

from __future__ import annotations

import pytest

from grga.agent.policies.offline.times import find_times, without_times

DURATION = 1800.0

ABSOLUTE = [
    # after and before
    ("What happened after 10 minutes?", "after", 600, 1800),
    ("Who spoke right after 12:30?", "after", 750, 810),
    ("How often did Rosa speak after 2 minutes 30 seconds?", "after", 150, 1800),
    ("What was agreed before 5:00?", "before", 0, 300),
    ("What was agreed by minute 5?", "before", 0, 300),
    # around one time: a minute's slack for minutes, 20 s for seconds
    ("What was said around 19:10?", "around", 1130, 1170),
    ("Why did somebody raise their voice at the 19-minute mark?", "around", 1080, 1200),
    ("Why did somebody raise their voice at 19 minutes?", "around", 1080, 1200),
    ("What did Tom say nineteen minutes in?", "around", 1080, 1200),
    ("What did Tom say twenty-five minutes into the meeting?", "around", 1440, 1560),
    ("At minute 12, what happens?", "around", 660, 780),
    ("What is said at 0:45?", "around", 25, 65),
    ("What is said at 3 min and 20 s?", "around", 180, 220),
    ("What did they say half an hour in?", "around", 1740, 1860),
    ("What was announced 50 seconds before the end?", "around", 1690, 1810),
    # a time after the end keeps its place
    ("What is said at 1:04:13?", "around", 3833, 3873),
    # windows
    ("Who spoke in the last five minutes?", "within", 1500, 1800),
    ("What does she bring, in the last minute of the meeting?", "within", 1740, 1800),
    ("What was said in the first two minutes?", "within", 0, 120),
    ("What was decided between 3:00 and 5:30?", "within", 180, 330),
    ("From 2 to 4 minutes, who talks?", "within", 120, 240),
    ("What was said 3:00-5:30?", "within", 180, 330),
    ("What was discussed at the beginning of the meeting?", "within", 0, 180),
    ("What did they say at the end?", "within", 1620, 1800),
    ("Who talks during the first half of the meeting?", "within", 0, 900),
    ("What was said halfway through the meeting?", "within", 600, 1200),
    # Mandarin
    ("第20分钟谁在说话？", "around", 1140, 1260),
    ("3分20秒的时候谁说了话？", "around", 180, 220),
    ("在12:30左右说了什么？", "around", 730, 770),
    ("最后五分钟讨论了什么？", "within", 1500, 1800),
    ("前两分钟说了什么？", "within", 0, 120),
    ("从3分到5分30秒他们谈了什么？", "within", 180, 330),
    ("十分钟后他们说了什么？", "after", 600, 1800),
    ("二十五分钟之前说了什么？", "before", 0, 1500),
    ("会议开始的时候谁发言？", "within", 0, 180),
]


@pytest.mark.parametrize(("question", "relation", "start", "end"), ABSOLUTE)
def test_a_time_becomes_seconds(question: str, relation: str, start: float, end: float) -> None:
    (time,) = find_times(question, DURATION)
    assert time.span is not None
    assert (time.relation, time.span.start, time.span.end) == (relation, start, end)
    assert time.anchor == ""


@pytest.mark.parametrize(
    ("question", "relation", "anchor"),
    [
        ("What did Maria say right after Tom mentioned the fee?", "after", "Tom mentioned the fee"),
        ("What was discussed before the break?", "before", "the break"),
        ("Following the presentation, who spoke?", "after", "the presentation"),
        ("在讨论预算之后，他们决定了什么？", "after", "讨论预算"),
        ("老周提到运费以后，阿明说了什么？", "after", "老周提到运费"),
    ],
)
def test_a_relative_time_names_its_event(question: str, relation: str, anchor: str) -> None:
    (time,) = find_times(question, DURATION)
    assert (time.relation, time.span, time.anchor) == (relation, None, anchor)


@pytest.mark.parametrize(
    "question",
    [
        "Who suggested a five minute break?",
        "How long did the discussion last?",
        "How many minutes did Rosa speak?",
        "Is there anything about the end of life of the product?",
        "Who looks after the money?",
        "After all, who won?",
        "What is the two-sided remote?",
        "他们讨论了多少分钟？",
    ],
)
def test_what_is_no_time_is_left_alone(question: str) -> None:
    assert find_times(question, DURATION) == ()
    assert without_times(question, ()) == question


def test_the_rest_of_the_question_has_no_time_left() -> None:
    question = "Why did Rosa raise her voice at nineteen minutes?"
    assert without_times(question, find_times(question, DURATION)) == "Why did Rosa raise her voice ?"


def test_beginnings_are_short_in_short_meetings() -> None:
    (time,) = find_times("What was said at the beginning of the meeting?", 100.0)
    assert time.span is not None
    assert time.span.end == 45.0

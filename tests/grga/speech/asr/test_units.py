"""Text and pieces of text become words with times."""

from __future__ import annotations

import pytest

from grga.speech.asr import spread
from grga.speech.asr.units import letters, split_units, timed_words
from grga.types import TimeSpan, Word

CLIP = TimeSpan(10.0, 12.0)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("我们用 GRGA 做，好吗？", ["我", "们", "用", "GRGA", "做，", "好", "吗？"]),
        ("看GRGA项目。", ["看", "GRGA", "项", "目。"]),
        ("Hello, world. It's 9:30!", ["Hello,", "world.", "It's", "9:30!"]),
        ("部署API v2 。", ["部", "署", "API", "v2。"]),
        ("， 开头", ["开", "头"]),
        ("，hello ___ 好", ["hello___", "好"]),
        ("", []),
    ],
)
def test_han_characters_stand_alone_and_other_words_whole(text: str, units: list[str]) -> None:
    assert split_units(text) == units


def test_marks_spaces_and_capitals_are_no_letters() -> None:
    assert letters("▁It's 5%，好_。") == "its5好"


def test_times_are_in_order_inside_the_clip_and_marks_hang_on_the_word_before() -> None:
    stamps = [[0, 200], [200, 200], [150, 400], [1900, 2600]]
    assert timed_words("今，天 ok", ["今", "，", "天", "ok"], stamps, CLIP) == (
        Word("今，", TimeSpan(10.0, 10.2)),
        Word("天", TimeSpan(10.15, 10.4)),
        Word("ok", TimeSpan(11.9, 12.0)),
    )
    assert timed_words("，", ["，"], [[0, 10]], CLIP) == ()


def test_a_word_lasts_from_its_first_piece_to_its_last() -> None:
    pieces, stamps = ["▁road", "m", "ap", "我们"], [[0, 240], [240, 300], [300, 480], [500, 900]]
    assert timed_words("roadmap 我们", pieces, stamps, CLIP) == (
        Word("roadmap", TimeSpan(10.0, 10.48)),
        Word("我", TimeSpan(10.5, 10.7)),
        Word("们", TimeSpan(10.7, 10.9)),
    )


@pytest.mark.parametrize(
    ("pieces", "stamps"), [(["今", "天"], [[0, 100]]), (["今", "日"], [[0, 100], [100, 200]]), ([], [])]
)
def test_times_of_something_else_are_not_taken(pieces: list[str], stamps: list[list[int]]) -> None:
    assert timed_words("今天", pieces, stamps, CLIP) == (
        Word("今", TimeSpan(10.0, 11.0)),
        Word("天", TimeSpan(11.0, 12.0)),
    )


def test_words_without_times_share_the_clip_by_their_length() -> None:
    assert spread(["ab", "cdef", "gh"], TimeSpan(1.0, 5.0)) == (
        Word("ab", TimeSpan(1.0, 2.0)),
        Word("cdef", TimeSpan(2.0, 4.0)),
        Word("gh", TimeSpan(4.0, 5.0)),
    )
    assert spread([], TimeSpan(0, 1)) == ()

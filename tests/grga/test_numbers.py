"""Number words, English and Mandarin, as numbers."""

from __future__ import annotations

import pytest

from grga.numbers import digits, english_number, han_number


def test_english_words_below_a_hundred() -> None:
    assert english_number(["nineteen"]) == 19
    assert english_number(["Forty", "two"]) == 42
    assert english_number(["eighty"]) == 80
    with pytest.raises(ValueError, match="dozen"):
        english_number(["dozen"])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("二十三", 23),
        ("十五", 15),
        ("一百零五", 105),
        ("一百五", 150),
        ("一万二", 12_000),
        ("三千六百", 3600),
        ("一千零五十", 1050),
        ("十八万", 180_000),
        ("五万零三百", 50_300),
        ("二〇二五", 2025),
        ("三点五", 3.5),
        ("两半", 2.5),
        ("半", 0.5),
        ("面包", None),
        ("三四", None),
        ("", None),
    ],
)
def test_chinese_signs(text: str, number: float | None) -> None:
    assert han_number(text) == number


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("访问了二十三位", "访问了23位"),
        ("多百分之五", "多5%"),
        ("下午两点半", "下午2:30"),
        ("三点十五分", "3:15"),
        ("三天", "3天"),
        ("万一下雨", "万一下雨"),
        ("三四个人", "三四个人"),
        ("周三天气好", "周三天气好"),
        ("一下子", "一下子"),
    ],
)
def test_numbers_in_running_text(text: str, told: str) -> None:
    assert digits(text) == told

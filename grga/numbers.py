"""Number words, English and Mandarin, as numbers: one place for everything that reads or compares them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BELOW_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ENGLISH_ONES: tuple[str, ...] = tuple(_BELOW_TWENTY.split())
"""English number words below twenty; the place of each is its value."""
ENGLISH_TENS: dict[str, int] = {word: 10 * tens for tens, word in enumerate(_TENS.split(), 2)}

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SCALES = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_SIGN = "零〇一二两三四五六七八九十百千万亿"
_UNIT = r"(?:[个天块元年月号点分秒倍人位页斤升]|小时|公斤|公里|平方|厘米|欧元|美元)"
_PERCENT = re.compile(rf"百分之([{_SIGN}\d]+(?:[点.][{_SIGN}\d]+)?)")
_HALF_HOUR = re.compile(rf"([{_SIGN}]+|\d{{1,2}})点半")
_CLOCK = re.compile(rf"([{_SIGN}]+|\d{{1,2}})点([二三四五]?十[一二三四五六七八九]?|[1-5]\d)分?")
_LONG = re.compile(rf"[{_SIGN}]{{2,}}")
# One sign is a number only before a unit, and not where it ends a weekday ("周三天气").
_SHORT = re.compile(rf"(?<![{_SIGN}周期拜第])[二两三四五六七八九十](?={_UNIT})")
# Words that are written with number signs and count nothing.
_IDIOMS = frozenset(("万一", "千万", "百万", "一一", "万千", "一千零一", "十万", "十十"))


def english_number(words: Sequence[str]) -> int:
    """Return the number that English words below a hundred mean (["twenty", "three"] -> 23).

    Raises:
        ValueError: a word is no such number.
    """
    total = 0
    for word in (one.lower() for one in words):
        if word not in ENGLISH_TENS and word not in ENGLISH_ONES:
            raise ValueError(f"{word} is no number below a hundred")
        total += ENGLISH_TENS[word] if word in ENGLISH_TENS else ENGLISH_ONES.index(word)
    return total


def han_number(text: str) -> float | None:
    """Return the number that Chinese signs mean, None when they mean none.

    "二十三" -> 23, "一万二" -> 12000 (the last sign counts the next lower scale), "二〇二五" -> 2025,
    "一百零五" -> 105, "三点五" -> 3.5, "半" -> 0.5, "两半" -> 2.5.
    """
    if text == "半":
        return 0.5
    if text.endswith("半"):
        whole = han_number(text[:-1])
        return None if whole is None else whole + 0.5
    whole_part, point, fraction = text.partition("点")
    if point:
        whole = han_number(whole_part)
        if whole is None or not fraction or not set(fraction) <= set(_DIGITS):
            return None
        return float(f"{whole:.0f}.{''.join(str(_DIGITS[sign]) for sign in fraction)}")
    if not text or not set(text) <= set(_SIGN):
        return None
    if set(text) <= set(_DIGITS):
        # "三四个" is three or four.
        if len(text) == 2 and _DIGITS[text[1]] == _DIGITS[text[0]] + 1:
            return None
        return float("".join(str(_DIGITS[sign]) for sign in text))
    return _scaled(text)


def digits(text: str) -> str:
    """Return ``text`` (simplified) with its Chinese numbers in digits.

    "二十三位" -> "23位", "百分之五" -> "5%", "两点半" -> "2:30". A lone sign is taken for a number only before
    a unit ("三天", not "三思"), and 一 never: it mostly means "a".
    """
    text = _PERCENT.sub(lambda match: f"{_shown(match[1])}%", text)
    text = _HALF_HOUR.sub(lambda match: f"{_shown(match[1])}:30", text)
    text = _CLOCK.sub(lambda match: f"{_shown(match[1])}:{_shown(match[2])}", text)
    text = _LONG.sub(lambda match: match[0] if match[0] in _IDIOMS else _shown(match[0]), text)
    return _SHORT.sub(lambda match: _shown(match[0]), text)


def _shown(text: str) -> str:
    number = han_number(text)
    return text if number is None else f"{number:.10g}"


def _scaled(text: str) -> float | None:
    """Read signs with scales; None when two digits follow each other without one."""
    total = section = 0
    digit: int | None = None
    scale = 0
    zero = False
    for sign in text:
        if sign in _DIGITS:
            if digit is not None and digit != 0:
                return None
            digit, zero = _DIGITS[sign], zero or _DIGITS[sign] == 0
        elif sign in _SCALES:
            scale, zero = _SCALES[sign], False
            section += (1 if digit is None or digit == 0 else digit) * scale
            digit = None
        else:
            scale, zero = _MYRIADS[sign], False
            total = (total + section + (digit or 0) or 1) * scale
            section, digit = 0, None
    if digit:
        # "一万二" is 12000 and "一百五" 150, but "一百零五" is 105 and "十五" 15.
        section += digit * (scale // 10 if scale >= 100 and not zero else 1)
    return float(total + section)

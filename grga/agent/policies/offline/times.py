"""Time expressions of a question, English and Mandarin, as seconds of the meeting.

"after 10 minutes", "around 19:10", "in the last five minutes", "between 3:00 and 5:30",
"第20分钟", "最后五分钟", "3分20秒"; and relative ones that name an event ("right after the break").
"""

from __future__ import annotations

import re
from collections.abc import Callable

from grga.agent.steps import TimeConstraint
from grga.numbers import ENGLISH_ONES, ENGLISH_TENS, english_number, han_number
from grga.types import TimeSpan

MINUTE_SLACK = 60.0
"""Seconds either side of a time that was said to the minute."""
SECOND_SLACK = 20.0
"""Seconds either side of a time that was said to the second."""
RIGHT_AFTER = 60.0
"""Seconds that "right after" a time lasts."""
OPENING_SHARE, OPENING_LEAST, OPENING_MOST = 0.1, 45.0, 240.0
"""How much of a meeting its "beginning" and "end" are: a share, within bounds in seconds."""

_WORD = f"(?:{'|'.join(sorted([*ENGLISH_ONES, *ENGLISH_TENS], key=len, reverse=True))})"
_NUMBER_WORDS = re.compile(
    rf"\b(?:(?P<number>{_WORD}(?:[- ]{_WORD})?)|(?P<few>an?|half an?|a couple of))"
    r"(?=[ -](?:hour|minute|min|second|sec)s?\b)",
    re.IGNORECASE,
)
_HAN_NUMBER = re.compile(r"[零一二两三四五六七八九十百半]+(?=个?(?:半?(?:小时|钟头)|分钟|分|秒))")

_AMOUNT = r"\d+(?:\.\d+)?"
_UNIT = rf"{_AMOUNT}[ -]?(?:hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])"
_LENGTH = rf"{_UNIT}(?:(?:,|,? and)? {_UNIT}){{0,2}}"
_CLOCK = r"\d{1,3}:\d{2}(?::\d{2})?(?!\d)"
_HAN_LENGTH = rf"(?:{_AMOUNT}个?小时)?(?:{_AMOUNT}分钟?)?(?:{_AMOUNT}秒钟?)?"
_MARK = rf"(?:the )?(?:minute {_AMOUNT}|{_LENGTH}|{_AMOUNT}(?:st|nd|rd|th)[- ]minute|{_CLOCK})(?: mark)?"
_INTO = r"(?: mark| point)?(?: in(?:to)?(?: the)?(?: meeting| recording| call| discussion)?)?\b"


def find_times(question: str, duration: float) -> tuple[TimeConstraint, ...]:
    """Return the times named in ``question``, in a meeting of ``duration`` seconds.

    A time after the meeting's end keeps its place, so that it can be said to lie outside.
    """
    text = spell_numbers(question)
    found: list[TimeConstraint] = []
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            constraint = read(match, duration)
            if constraint is None:
                continue
            found.append(constraint)
            # What one rule has read is no longer there for the vaguer rules after it.
            text = text[: match.start()] + "\x00" * len(match[0]) + text[match.end() :]
    return tuple(found)


def without_times(question: str, times: tuple[TimeConstraint, ...]) -> str:
    """Return the question without the words that said when."""
    if not times:
        return question
    text = spell_numbers(question)
    for time in times:
        text = text.replace(time.text, " ")
    return re.sub(r"\s+", " ", text).strip()


def spell_numbers(text: str) -> str:
    """Return ``text`` with number words before a unit of time as digits ("nineteen minutes")."""
    text = text.replace("：", ":")
    text = re.sub(
        r"\b(first|last|final|opening|closing) (minute|hour)\b", r"\1 1 \2", text, flags=re.IGNORECASE
    )
    text = _NUMBER_WORDS.sub(_english_number, text)
    text = re.sub(r"([一二两三四五六七八九十]+)个半(?=小时|钟头)", r"\1半个", text)
    text = _HAN_NUMBER.sub(_han_digits, text.replace("一刻钟", "15分钟").replace("三刻钟", "45分钟"))
    # "五分半" and "1个半小时" say the half after the unit.
    text = re.sub(r"(\d+)分钟?半(?!分)", r"\1.5分钟", text)
    return re.sub(r"(\d+)个半(?=小时|钟头)", r"\1.5个", text)


def seconds_of(text: str) -> float:
    """Return the seconds that a clock ("1:04:13"), a length ("3 min 20 s", "3分20秒") or a mark means."""
    clock = re.search(_CLOCK, text)
    if clock:
        total = 0.0
        for part in clock[0].split(":"):
            total = total * 60 + int(part)
        return total
    minute = re.search(rf"minute ({_AMOUNT})", text, re.IGNORECASE)
    if minute:
        return 60 * float(minute[1])
    units = re.findall(rf"({_AMOUNT})(?:st|nd|rd|th)?[ -]?(个?小时|分|秒|h|m|s)", text, re.IGNORECASE)
    return sum(float(amount) * _scale(unit) for amount, unit in units)


def _scale(unit: str) -> float:
    if unit in ("分", "m", "M"):
        return 60.0
    return 1.0 if unit in ("秒", "s", "S") else 3600.0


def _english_number(match: re.Match[str]) -> str:
    if match["few"]:
        few = match["few"].lower()
        return "0.5" if few.startswith("half") else "2" if "couple" in few else "1"
    return str(english_number(re.split(r"[- ]", match["number"])))


def _han_digits(match: re.Match[str]) -> str:
    number = han_number(match[0])
    return match[0] if number is None else f"{number:g}"


def _span(start: float, end: float) -> TimeSpan:
    start = max(0.0, start)
    return TimeSpan(start, max(start, end))


def _slack(text: str) -> float:
    to_the_second = ":" in text or "秒" in text or re.search(r"\d ?s|sec", text, re.IGNORECASE)
    return SECOND_SLACK if to_the_second else MINUTE_SLACK


def _between(match: re.Match[str], duration: float) -> TimeConstraint:
    first, second = match["first"], match["second"]
    if re.fullmatch(_AMOUNT, first):  # "between 3 and 5 minutes": the unit is said once
        first += re.sub(r"^[\d.]+", "", second)
    start, end = sorted((seconds_of(first), seconds_of(second)))
    return TimeConstraint(match[0], "within", _span(start, end))


def _first(match: re.Match[str], duration: float) -> TimeConstraint:
    return TimeConstraint(match[0], "within", _span(0.0, seconds_of(match["time"])))


def _last(match: re.Match[str], duration: float) -> TimeConstraint:
    return TimeConstraint(match[0], "within", _span(duration - seconds_of(match["time"]), duration))


def _half(match: re.Match[str], duration: float) -> TimeConstraint:
    early = match["which"].lower() in ("first", "前", "上")
    span = _span(0.0, duration / 2) if early else _span(duration / 2, duration)
    return TimeConstraint(match[0], "within", span)


def _before_end(match: re.Match[str], duration: float) -> TimeConstraint:
    middle = duration - seconds_of(match["time"])
    return TimeConstraint(match[0], "around", _span(middle - MINUTE_SLACK, middle + MINUTE_SLACK))


def _after(match: re.Match[str], duration: float) -> TimeConstraint:
    start = seconds_of(match["time"])
    right = match["right"] is not None
    return TimeConstraint(match[0], "after", _span(start, start + RIGHT_AFTER if right else duration))


def _before(match: re.Match[str], duration: float) -> TimeConstraint:
    end = seconds_of(match["time"])
    right = match["right"] is not None
    return TimeConstraint(match[0], "before", _span(end - RIGHT_AFTER if right else 0.0, end))


def _at(match: re.Match[str], duration: float) -> TimeConstraint:
    middle, slack = seconds_of(match["time"]), _slack(match["time"])
    return TimeConstraint(match[0], "around", _span(middle - slack, middle + slack))


def _edge(match: re.Match[str], duration: float) -> TimeConstraint:
    length = min(max(OPENING_SHARE * duration, OPENING_LEAST), OPENING_MOST)
    word = match["edge"].lower()
    if word in ("middle", "中间", "中段", "halfway"):
        return TimeConstraint(match[0], "within", _span(duration / 3, 2 * duration / 3))
    at_start = word in ("beginning", "start", "opening", "outset", "开头", "开始", "一开始", "起初")
    span = _span(0.0, length) if at_start else _span(duration - length, duration)
    return TimeConstraint(match[0], "within", span)


def _event(match: re.Match[str], duration: float) -> TimeConstraint | None:
    anchor = match["event"].strip(" ?？.。,，在\x00")
    relation = "after" if match["relation"].lower() in _AFTER_WORDS else "before"
    if len(anchor) < 2 or anchor.lower() in ("that", "this", "it", "all", "then"):
        return None
    return TimeConstraint(match[0].strip(" ?？"), relation, None, anchor)


def _reply(match: re.Match[str], duration: float) -> TimeConstraint:
    """What is taken up comes before what takes it up."""
    return TimeConstraint(match[0].strip(" ?？"), "after", None, match["event"].strip())


def _trigger(match: re.Match[str], duration: float) -> TimeConstraint:
    return TimeConstraint(match[0].strip(" ?？"), "before", None, match["event"].strip())


_AFTER_WORDS = ("after", "following", "之后", "以后", "后")
_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], float], TimeConstraint | None]]


def _rule(pattern: str, read: Callable[[re.Match[str], float], TimeConstraint | None]) -> _Rule:
    return re.compile(pattern, re.IGNORECASE), read


_HAN = rf"(?P<time>第?(?=\d){_HAN_LENGTH})"
_RULES: tuple[_Rule, ...] = (
    # Ranges first, then windows at the edges, then one-sided ones, then single times, then events.
    _rule(
        rf"\b(?:between|from) (?P<first>{_MARK}|{_AMOUNT}) (?:and|to|until|till) (?P<second>{_MARK})"
        rf"(?: of the meeting)?",
        _between,
    ),
    _rule(rf"(?P<first>{_CLOCK}) ?(?:-|–|—|to|至|到) ?(?P<second>{_CLOCK})(?:之间|期间)?", _between),
    _rule(
        rf"从?第?(?P<first>(?=\d){_HAN_LENGTH})(?:到|至|和)第?(?P<second>(?=\d){_HAN_LENGTH})(?:之间|期间)?",
        _between,
    ),
    _rule(
        rf"\b(?:(?:in|during|within|over) )?(?:the )?(?:first|opening|initial) (?P<time>{_LENGTH})", _first
    ),
    _rule(rf"\b(?:(?:in|during|within|over) )?(?:the )?(?:last|final|closing) (?P<time>{_LENGTH})", _last),
    _rule(
        rf"(?:在)?(?:会议)?(?:的)?(?:最?前|开头|最初|头)(?P<time>(?=\d){_HAN_LENGTH})(?:里|内|中)?", _first
    ),
    _rule(rf"(?:在)?(?:会议)?(?:的)?(?:最后|末尾|结尾)(?P<time>(?=\d){_HAN_LENGTH})(?:里|内|中)?", _last),
    _rule(r"\b(?:in |during )?the (?P<which>first|second) half(?: of the meeting)?", _half),
    _rule(r"(?:会议)?(?:的)?(?P<which>前|后|上|下)半(?:段|场|部分)", _half),
    _rule(rf"\b(?P<time>{_LENGTH}) (?:before|from) the end(?: of the meeting)?", _before_end),
    _rule(
        rf"\b(?P<right>right |just |immediately |shortly )?(?:after|past|since) (?P<time>{_MARK}){_INTO}",
        _after,
    ),
    _rule(
        rf"\b(?P<right>right |just |immediately |shortly )?(?:before|until|by|prior to) (?P<time>{_MARK}){_INTO}",
        _before,
    ),
    _rule(rf"(?:在)?{_HAN}(?P<right>刚)?(?:之后|以后|后)", _after),
    _rule(rf"(?:在)?{_HAN}(?P<right>刚)?(?:之前|以前|前)", _before),
    _rule(
        rf"\b(?:at|around|about|near|roughly|approximately|circa|in) (?:about |around )?(?P<time>{_MARK}){_INTO}",
        _at,
    ),
    _rule(rf"\b(?P<time>{_LENGTH}) (?:in|into|through)\b(?: the)?(?: meeting| recording| call)?", _at),
    _rule(rf"\b(?P<time>minute {_AMOUNT}|{_AMOUNT}(?:st|nd|rd|th)? ?-?minute mark)", _at),
    _rule(rf"(?P<time>{_CLOCK})", _at),
    _rule(rf"(?:在|大约|大概|约)*{_HAN}(?:左右|时|的时候|处|那里|附近)", _at),
    _rule(rf"(?:在|大约|大概|约)+{_HAN}", _at),
    _rule(r"(?P<time>第\d+(?:分钟?|秒)(?:\d+秒)?)", _at),
    _rule(rf"(?P<time>{_AMOUNT}分{_AMOUNT}秒)", _at),
    _rule(
        r"\b(?:at|in|near|towards?|by|from)?(?: the)?(?: very)? ?\b(?P<edge>beginning|start|opening|outset|end|close)"
        r"(?: of (?:the |this )?(?:meeting|recording|call|discussion|conversation))",
        _edge,
    ),
    _rule(
        r"\b(?:at|near|towards?|in|by) the (?:very )?(?P<edge>beginning|start|outset|end|middle)(?= ?[?.,]?$|,)",
        _edge,
    ),
    _rule(r"\b(?P<edge>halfway)(?: through)?(?: the meeting)?", _edge),
    _rule(
        r"(?:在)?会议(?:的|刚|快)?(?P<edge>一开始|开头|开始|结束|结尾|末尾|最后|中间|中段)(?:时|的时候|部分)?",
        _edge,
    ),
    _rule(r"(?:在)?(?P<edge>一开始|起初|开头|结尾)(?:时|的时候)?", _edge),
    # A quoted remark (one sign, see quotes.py) that somebody takes up, or that something led to.
    _rule(
        r"\b(?:(?:dis)?agree|object|respon[ds]|repl[yi]|answer|react)\w*(?: (?:when|to|with|after))?"
        r" (?P<event>[^,?.\x00]*[\ue000-\ue0ff])",
        _reply,
    ),
    _rule(
        r"\b(?:leads?|led|prompt(?:s|ed)?|makes?|made) (?P<event>[^,?.\x00]* say(?:ing)? [\ue000-\ue0ff])",
        _trigger,
    ),
    _rule(r"(?P<event>[^，。？,?\x00]*说[\ue000-\ue0ff])的时候[，,]?(?=谁)", _reply),
    _rule(r"对(?P<event>[\ue000-\ue0ff])(?:这个问题)?(?=[，,])", _reply),
    _rule(r"(?P<event>[^，。？,?\x00]*说[\ue000-\ue0ff])[，,]?是在(?:回答|回应)", _trigger),
    _rule(
        r"(?<!look )(?<!looks )(?<!looked )(?<!looking )(?<!named )(?<!take )(?<!takes )"
        r"\b(?:right |just |immediately |shortly |directly )?(?P<relation>after|before|following) "
        r"(?P<event>(?!all\b|that\b|this\b)[^,?.\x00]+)",
        _event,
    ),
    _rule(r"在(?P<event>[^，。？,?\x00]{2,24}?)(?P<relation>之后|以后|之前|以前|后|前)", _event),
    _rule(r"(?P<event>[^，。？,?\x00在]{2,24}?)(?P<relation>之后|以后|之前|以前)", _event),
)

"""What kind of thing an answer must hold: a number, a length, money, a date or hour, a name."""

from __future__ import annotations

import re

from grga.agent.steps import Form

_ONES = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    "|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_NUMBER = rf"\d|\b(?:{_ONES}|hundred|thousand|million|half|dozen)\b|[一二两三四五六七八九十百千万]+(?=[个块元年月天分小米公斤%次人点号岁倍位张])|[一二两三四五六七八九][十百千万][一二两三四五六七八九十百千万]*"
_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)"
_KINDS: dict[str, str] = {
    "number": _NUMBER,
    "length": rf"(?:\d|\b(?:{_ONES}|a|an|half|few|couple of))[\w\s-]{{0,12}}\b{_UNIT}\b|[\d一二两三四五六七八九十半]+个?(?:秒|分钟?|小时|天|周|星期|月|年)",
    "money": r"[$€£¥]\s?\d|(?:\d|\b(?:"
    + _ONES
    + r"|hundred|thousand|million|half))[\w\s,.-]{0,24}\b(?:pounds?|euros?|dollars?|cents?|pence|yuan)\b"
    r"|[\d一二两三四五六七八九十百千万]+(?:块|元|欧元|美元|英镑)|[\d一二两三四五六七八九十百]+[百千万][一二两三四五六七八九]?(?![\d个位次人张天])",
    "date": r"\b(?:january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|tomorrow|yesterday|next (?:week|month|year|time)|o'clock|noon|midnight|deadline"
    r"|in the (?:morning|afternoon|evening))\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m|p\.m)\b|\b(?:19|20)\d\d\b"
    r"|星期[一二三四五六日天]|周[一二三四五六日末]|礼拜|[\d一二三四五六七八九十]+[月号日点](?!钟?内)|明天|后天|今天|昨天|下个?(?:周|月|星期)|上午|下午|晚上",
}
_ASKS: tuple[tuple[str, str], ...] = (
    (
        "money",
        r"\bwhat amount\b|\bhow (?:much|expensive)\b(?!.*\b(?:time|battery|water|food)\b)"
        r"|\bwhat(?:'s| is| are| was| were)? (?:the |its |their )?(?:\w+ ){0,3}(?:price|cost|budget|fee)s?\b"
        r"|多少钱|花(?:了|费)?多少(?!时)|(?:价格|费用|预算|成本|房租|工资)是?多少",
    ),
    (
        "date",
        r"\b(?:what|which) (?:date|day|month|year|week|weekday)\b|\bdeadline\b|哪天|什么日子|哪一天|几号|星期几|几点",
    ),
    ("name", r"\b(?:name of|called|named|'s name)\b|名字|叫什么"),
)
_KIND_WORDS: dict[str, tuple[str, ...]] = {
    "money": ("amount", "price", "cost", "fee", "much", "money", "钱", "价格", "费用"),
    "date": ("date", "day", "month", "year", "week", "weekday", "日期"),
    "length": ("long", "minut", "second", "hour", "时间"),
    "name": ("name", "call", "名字"),
}
_SPOKEN_ABOUT = re.compile(
    r"\b(?:mention\w*|discuss\w*|sa(?:y|ys|id)|talk\w*|brought|bring\w*|rais\w+|announc\w+|propos\w+|suggest\w*|introduc\w+|(?:come|comes|came) up"
    r"|happen\w*|ask\w*|promis\w+|point|moment|minute|shout\w*|speak\w*|spoke|decid\w+|agree\w*|join\w*)\b|提到|提及|说|讨论|谈|提出|宣布|决定",
    re.IGNORECASE,
)


def kind_asked(question: str, form: Form) -> str | None:
    """Return the kind of thing the answer must hold, None when any words may do.

    "When was the fee mentioned?" asks for a moment of the meeting, which needs no kind; "when will it be
    delivered?" asks for a date that somebody says.
    """
    for kind, pattern in _ASKS:
        if re.search(pattern, question, re.IGNORECASE):
            return kind
    if form is Form.HOW_LONG:
        return "length"
    if form is Form.HOW_MANY:
        return "number"
    if form is Form.WHEN and not asks_for_moment(question):
        return "date"
    return None


def asks_for_moment(question: str) -> bool:
    """Return whether a "when" is about the meeting itself: when something was said or happened in it."""
    return _SPOKEN_ABOUT.search(question) is not None


def names_kind(kind: str, term: str) -> bool:
    """Return whether a (stemmed) term only says which kind of thing is asked for ("price", "date")."""
    return term in _KIND_WORDS.get(kind, ())


def holds(kind: str, text: str) -> bool:
    """Return whether ``text`` says a thing of this kind; names are found by their company, not by form."""
    return kind in _KINDS and re.search(_KINDS[kind], text, re.IGNORECASE) is not None

"""Roles that somebody states aloud ("I'm the marketing expert", "our designer, Mei", 我是项目经理).

Nothing is guessed from what a person talks about: no statement, no role.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grga.text import STOPWORDS, clean
from grga.types import Utterance

_HEADS = """
manager designer expert engineer developer director assistant secretary chair chairman chairwoman
chairperson lead leader analyst consultant accountant officer president professor student teacher lecturer
doctor nurse lawyer researcher scientist intern specialist coordinator moderator facilitator host
architect tester programmer editor producer supervisor principal treasurer advisor adviser representative
technician buyer planner owner ceo cto cfo coo minister commissioner inspector nutritionist psychologist
linguist
"""
_HEAD = "|".join(_HEADS.split())
# Up to three words before the title and, after "expert", its field: "expert in marketing".
_FIELD = r"(?:\s+(?:in|of|for)\s+(?!(?:the|an?|our|your|my|this|that)\b)[a-z][\w-]+)?"
_NOUN_PHRASE = rf"(?P<role>(?:[a-z][\w-]*\s+){{0,3}}(?:{_HEAD}){_FIELD})\b(?!'s)"
_HEDGE = r"(?:(?:like|just|basically|actually|also|uh|um|supposed to be|going to be|gonna be)\s+)*"
_DETERMINER = r"(?:the|a|an|your|our)\s+"
_CLAIM = r"\b(?:i'm|i am|my (?:role|job|position|title) is|i'll be|i work as|i'm acting as)"
_OF_ONESELF = re.compile(rf"{_CLAIM}\s+{_HEDGE}{_DETERMINER}{_HEDGE}{_NOUN_PHRASE}")
_AS_ROLE_I = re.compile(rf"\bas\s+(?:{_DETERMINER})?{_NOUN_PHRASE}\s*,?\s*(?:i|i'm|i'll|i've|my)\b")
_HAN_HEADS = """
经理 总监 主任 工程师 设计师 主管 总裁 董事长 秘书 助理 会计
老师 教授 学生 医生 律师 店长 组长 负责人 专员 顾问 主持人
"""
_HAN_OF_ONESELF = re.compile(
    r"(?:我是(?:[^，,。]{1,4}[，,]\s*也?是)?|作为|我担任)(?:咱们|我们|一个|一名|一位|本次|这次|公司|的|这个)*"
    rf"(?P<role>[\u4e00-\u9fff]{{0,6}}?(?:{'|'.join(_HAN_HEADS.split())}))"
)
_HAN_NEGATED = re.compile(r"(?:不|如果|要是)$")


class StatedRole(NamedTuple):
    """A role with the utterances that state it."""

    role: str
    evidence: tuple[int, ...]


def stated_roles(utterances: Sequence[Utterance], names: Mapping[str, str]) -> dict[str, StatedRole]:
    """Return speaker id -> role, for the speakers about whom a role was said.

    Args:
        utterances: The meeting.
        names: Speaker id -> shown name, to recognise "our designer, Mei".
    """
    said: dict[str, list[tuple[str, int]]] = {}
    by_name = _by_name(names)
    for utterance in utterances:
        text = clean(utterance.text)
        lowered = text.lower()
        if role := _own(lowered, text):
            said.setdefault(utterance.speaker, []).append((role, utterance.id))
        for name, speaker in by_name.items():
            if name in lowered and (role := _of_named(lowered, name)):
                said.setdefault(speaker, []).append((role, utterance.id))
    return {speaker: _agreed(found) for speaker, found in said.items()}


def _own(lowered: str, text: str) -> str | None:
    han = _HAN_OF_ONESELF.search(text)
    if han and not _HAN_NEGATED.search(text[: han.start()]):
        return han["role"].rpartition("的")[2]
    for pattern in (_OF_ONESELF, _AS_ROLE_I):
        for match in pattern.finditer(lowered):
            if role := _role(match):
                return role
    return None


def _of_named(lowered: str, name: str) -> str | None:
    """Return the role in "our designer, Mei", "Mei is our designer" or "Mei, the designer"."""
    named = re.escape(name)
    for pattern in (
        rf"\b(?:our|the)\s+{_NOUN_PHRASE}\s*,?\s+{named}\b",
        rf"\b{named}\s*(?:,|is|'s)\s*{_HEDGE}(?:our|the|your)\s+{_NOUN_PHRASE}",
    ):
        match = re.search(pattern, lowered)
        if match and (role := _role(match)):
            return role
    return None


def _role(match: re.Match[str]) -> str | None:
    """Return the matched role, unless the phrase runs over a word that no title holds ("friend of the")."""
    words = match["role"].split()
    inside = [word for word in words if word not in ("in", "of", "for")]
    return None if any(word in STOPWORDS for word in inside) else " ".join(words)


def _by_name(names: Mapping[str, str]) -> dict[str, str]:
    """Return lowercase full and first names -> speaker id; a first name of two people is left out."""
    found: dict[str, str] = {}
    shared: set[str] = set()
    for speaker, name in names.items():
        for form in {name.lower(), *name.lower().split()[:1]}:
            if form in found:
                shared.add(form)
            found[form] = speaker
    return {name: speaker for name, speaker in found.items() if name not in shared and len(name) > 1}


def _agreed(found: list[tuple[str, int]]) -> StatedRole:
    """Return the role said most often (the first of equals) with where it was said."""
    roles = [role for role, _ in found]
    best = max(dict.fromkeys(roles), key=roles.count)
    return StatedRole(best, tuple(dict.fromkeys(utterance for role, utterance in found if role == best)))

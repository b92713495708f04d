"""Is an answer right? Compared with the answer key of its question, without any model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotation.schema import AnswerKey
from grga.agent.policies.offline.people import find_speakers
from grga.numbers import ENGLISH_ONES
from grga.text import content_terms
from grga.types import Answer, Meeting

_QUOTED = re.compile(r"[“\"「][^”\"」]*[”\"」]")
_CLOCK = re.compile(r"(?<![\d:])(?:(\d{1,2}):)?(\d{1,3}):(\d{2})(?![\d:])")
_LENGTH = re.compile(
    r"(?:(?P<minutes>\d+)\s?(?:min(?:utes?)?\b\.?|分钟?))?(?:,? (?:and )?)?\s?"
    r"(?:(?P<seconds>\d+(?:\.\d+)?)\s?(?:s(?:ec(?:onds?)?)?\b|秒))?",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s?%")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ROUNDED = 0.5
"""Seconds that rounding to whole ones may take away."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer holds everything that its key asks for, and what it gave instead."""

    right: bool
    got: str = ""


def judge(key: AnswerKey, answer: Answer, meeting: Meeting) -> Verdict:
    """Return whether ``answer`` is right: every part of ``key`` that is set must hold.

    Counts, lengths, shares and names are read from the first sentence without its quotations, moments also
    from the first citation; of ``utterances`` one must be cited; ``words`` may stand anywhere in the answer.
    """
    if not answer.found:
        return Verdict(False, "not found")
    first = answer.sentences[0].text if answer.sentences else ""
    bare = _QUOTED.sub(" ", first)
    wrong = [
        got
        for right, got in (
            _count(key, bare, meeting),
            _length(key, bare),
            _moment(key, bare, answer),
            _percent(key, answer.text),
            _speakers(key, bare, meeting),
            _utterances(key, answer),
            _words(key, answer.text),
            _yes(key, bare),
        )
        if not right
    ]
    return Verdict(not wrong, "; ".join(wrong))


_Part = tuple[bool, str]
_HOLDS: _Part = (True, "")


def _count(key: AnswerKey, text: str, meeting: Meeting) -> _Part:
    if key.count is None:
        return _HOLDS
    for speaker in meeting.speakers:
        text = text.replace(speaker.name, " ")
    text = re.sub(r"\bonce\b", "1", re.sub(r"\btwice\b", "2", _CLOCK.sub(" ", text), flags=re.I), flags=re.I)
    for number, word in enumerate(ENGLISH_ONES[:13]):
        text = re.sub(rf"\b{word}\b", str(number), text, flags=re.IGNORECASE)
    found = _NUMBER.search(text)
    got = float(found[0]) if found else None
    return got == key.count, f"count {got:g}" if got is not None else "no number"


def _length(key: AnswerKey, text: str) -> _Part:
    if key.seconds is None:
        return _HOLDS
    for match in _LENGTH.finditer(text):
        if match["minutes"] or match["seconds"]:
            got = 60 * float(match["minutes"] or 0) + float(match["seconds"] or 0)
            return abs(got - key.seconds) <= key.tolerance + _ROUNDED, f"{got:g} s"
    return False, "no length"


def _moment(key: AnswerKey, text: str, answer: Answer) -> _Part:
    if key.moment is None:
        return _HOLDS
    told = [
        3600 * int(hours or 0) + 60 * int(minutes) + int(seconds)
        for hours, minutes, seconds in _CLOCK.findall(text)
    ]
    moment: float | None = told[0] if told else answer.citations[0].span.start if answer.citations else None
    if moment is None:
        return False, "no time"
    return abs(moment - key.moment) <= key.tolerance + _ROUNDED, f"{moment:g} s into the meeting"


def _percent(key: AnswerKey, text: str) -> _Part:
    if key.percent is None:
        return _HOLDS
    found = _PERCENT.search(text)
    got = float(found[1]) if found else None
    return got is not None and abs(got - key.percent) <= 1, f"{got} %" if found else "no share"


def _speakers(key: AnswerKey, text: str, meeting: Meeting) -> _Part:
    if not key.speakers:
        return _HOLDS
    got = find_speakers(text, meeting)
    names = ", ".join(meeting.speaker(id).name for id in got) or "nobody"
    return set(got) == set(key.speakers), names


def _utterances(key: AnswerKey, answer: Answer) -> _Part:
    if not key.utterances:
        return _HOLDS
    cited = [one.utterance for one in answer.citations]
    return bool(set(cited) & set(key.utterances)), f"cites {cited}"


def _words(key: AnswerKey, text: str) -> _Part:
    said = set(content_terms(text)) | set(text.casefold().split())
    lacking = [
        word
        for word in key.words
        if word.casefold() not in text.casefold() and not set(content_terms(word)) <= said
    ]
    return not lacking, f"without {', '.join(lacking)}"


def _yes(key: AnswerKey, text: str) -> _Part:
    if key.yes is None:
        return _HOLDS
    got = re.match(r"\W*(?:(?P<yes>yes\b|是|有)|(?P<no>no\b|没有|不))", text, re.IGNORECASE)
    said = None if got is None else got["yes"] is not None
    return said is key.yes, {True: "yes", False: "no", None: "neither yes nor no"}[said]

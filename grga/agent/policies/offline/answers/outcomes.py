"""What a meeting leaves behind: decisions and tasks."""

from __future__ import annotations

import re

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.graph.edges.discourse import is_question
from grga.text import has_han
from grga.types import Sentence, Utterance

MOST = 8
LEAST_COMMITMENT = 1.5
"""Least weight of a turn that counts as a task."""
_RECAP = r"\b(?:to sum up|to summari[sz]e|in summary|to recap|to conclude|so we (?:have|will)|next time)\b|总结一下|总之"
_DECIDED = (
    rf"\b(?:decid\w+|agreed?|decision|settled|we (?:(?:will|'ll|are going to) (?!come|see|talk|look|hear|have to|get|need)|go (?:for|with))|let(?:'s| us) (?:go|do|take|use|have)"
    rf"|it is (?:the|a)|we'll|final(?:ly|ised|ized))\b|{_RECAP}|决定|(?<!不)(?<!不太)同意|(?:就|那)这[样么]|定了|定下来|我们(?:就|要|今年)|那就|改到"
)
_SOMEDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next \w+|the (?:first|\d+)|tonight)"
# How strongly a turn commits somebody: by its own speaker, by name, by a request, by a proposal.
_COMMITMENTS: tuple[tuple[float, str], ...] = (
    (
        2.0,
        r"\bi(?:'ll| will| shall|'m going to| am going to)(?! (?:not|never)\b)|我(?:来|会|再|去|负责|自己|带|出|写|买|做|联系)|我可以",
    ),
    (
        1.0,
        r"\bi can(?! (?:not|live|see|hear|understand|imagine)\b)|\bwe(?:'ll| will| need to| have to)\b|\blet me\b",
    ),
    (
        1.5,
        r"\byou(?:'ll| will) (?:have|get|receive|need)\b|(?<!what )(?<!how )(?<!when )\b(?:could|can|would|will) you\b|你(?:来|去|负责)|负责",
    ),
    (0.5, r"\blet(?:'s| us) (?!leave|all|hear|go back|start|move)|咱们|我们(?:就|要)"),
)
_DEADLINE = re.compile(
    rf"\b(?:by|on|until|before) {_SOMEDAY}\b|(?:星期|周)[一二三四五六日末]|明天|下个?(?:周|月|星期)",
    re.IGNORECASE,
)
_NAMED_TASK = (
    r"\b(?:{names})\s+(?:will\s+[a-z]+|(?!(?:is|was|has|says|does|knows|thinks|yes|as)\b)[a-z]{{2,}}s)\b"
)


def outcomes(case: Case) -> tuple[Sentence, ...]:
    """Quote what was decided, or who took on what; recaps weigh most."""
    tasks = re.search(
        r"\b(?:action|steps?|to-?dos?|follow-?ups?|tasks?|assign\w+|who)\b|下一步|待办|任务|分工",
        case.belief.question,
        re.IGNORECASE,
    )
    names = "|".join(re.escape(speaker.name) for speaker in case.meeting.speakers)
    heard = [one for one in case.in_time_order(case.found("all")) if case.fits(one) and says_something(one)]
    weights = {one.id: commitment(one.text, names) if tasks else _decided(one) for one in heard}
    ranked = sorted(heard, key=lambda one: (-weights[one.id], one.start))
    chosen = [one for one in ranked[:MOST] if weights[one.id] >= (LEAST_COMMITMENT if tasks else 0.01)]
    return tuple(case.quote("said", one) for one in sorted(chosen, key=lambda one: one.start))


def commitment(text: str, names: str) -> float:
    """Return how far ``text`` commits people to something; ``names`` are the speakers', as alternatives."""
    weight = sum(value for value, cue in _COMMITMENTS if re.search(cue, text, re.IGNORECASE))
    if names:
        weight += 1.5 * len(re.findall(_NAMED_TASK.format(names=names), text))
    if weight and _DEADLINE.search(text):
        weight += 1.0
    return weight


def _decided(one: Utterance) -> float:
    """Cues found, a recap counting as three; among equals the utterance that says more."""
    if has_han(one.text) and is_question(one.text):
        return 0.0  # 颜色定了吗
    cues = len({match.casefold() for match in re.findall(_DECIDED, one.text, re.IGNORECASE)})
    recap = 3 if re.search(_RECAP, one.text, re.IGNORECASE) else 0
    return cues + recap + 0.02 * len(terms_of(one.text)) if cues or recap else 0.0

"""Short answers to a question of the meeting: "谁来写？" — "我来。", "什么时候？" — "星期四。"

They hold none of the topic's words, so no search finds them; they are read off the turn after the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from grga.agent.policies.offline.case import Case
from grga.graph.edges.discourse import is_question
from grga.text import has_han, is_backchannel, word_count
from grga.types import Utterance

WITHIN = 15.0
"""Seconds after a question in which its answer begins."""
TURNS = 3
"""Turns after a question that are looked at."""
SHORT = 12
"""An answer of more words speaks for itself, and is found by them."""


def replies(case: Case, asked: Utterance) -> list[Utterance]:
    """Return the short answers to a question asked in Chinese, in order; none when it is no question.

    A further question in between ("什么时候能写好？") ends the search: what follows answers that one.
    """
    if not (has_han(asked.text) and is_question(asked.text)):
        return []
    found: list[Utterance] = []
    last = asked
    for one in case.meeting.utterances[asked.id + 1 : asked.id + 1 + TURNS]:
        if one.start - last.end > WITHIN or is_question(one.text):
            break
        last = one
        if one.speaker == asked.speaker:
            break
        if not is_backchannel(one.text) and word_count(one.text) <= SHORT:
            found.append(one)
            break
    return found


def question_before(case: Case, one: Utterance) -> Utterance | None:
    """Return the question that ``one`` is a short answer to, None when there is none."""
    for id in range(one.id - 1, max(-1, one.id - 1 - TURNS), -1):
        asked = case.utterance(id)
        if one in replies(case, asked):
            return asked
    return None


def with_replies(case: Case, chosen: Sequence[Utterance]) -> list[Utterance]:
    """Return ``chosen`` with the short answer to each question in it right behind the question."""
    found: dict[int, Utterance] = {}
    for one in chosen:
        found.setdefault(one.id, one)
        for reply in replies(case, one):
            found.setdefault(reply.id, reply)
    return list(found.values())

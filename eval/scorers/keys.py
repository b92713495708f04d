"""Answer-key match: right or wrong by program, for questions whose answer was computed when they were made."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.generation.keys import judge
from eval.runs import RunRecord
from eval.scorers import Score
from grga.types import Meeting

ANSWER_KEY = "answer key"


def match(record: RunRecord, meetings: Mapping[str, Meeting]) -> Score:
    """Return 1.0 or 0.0 by the item's answer key; None where there is no key or the meeting is not here."""
    meeting = meetings.get(record.item.meeting)
    if record.item.answer_key is None or meeting is None:
        return Score(None, "no answer key" if meeting else "the meeting is not in the store")
    verdict = judge(record.item.answer_key, record.to_answer(), meeting)
    return Score(float(verdict.right), verdict.got)

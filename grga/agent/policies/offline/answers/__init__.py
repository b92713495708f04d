"""How each kind of question is answered from the evidence: computed, ordered, or extracted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grga.agent.policies.offline.classify import Operation
from grga.registry import load

if TYPE_CHECKING:
    from grga.agent.policies.offline.case import Case
    from grga.types import Sentence

_HERE = "grga.agent.policies.offline.answers"
ANSWERS: dict[str, str] = {
    Operation.COUNT_MENTIONS: f"{_HERE}.counts:mentions",
    Operation.COUNT_TURNS: f"{_HERE}.counts:turns_of",
    Operation.COUNT_PEOPLE: f"{_HERE}.counts:people",
    Operation.COUNT_INTERRUPTIONS: f"{_HERE}.sound:interruptions",
    Operation.TALK_TIME: f"{_HERE}.counts:talk_time",
    Operation.TALK_SHARE: f"{_HERE}.counts:talk_share",
    Operation.TOPIC_TIME: f"{_HERE}.counts:topic_time",
    Operation.LONGEST_TURN: f"{_HERE}.counts:longest_turn",
    Operation.TIME_BETWEEN: f"{_HERE}.order:time_between",
    Operation.MEETING_TIME: f"{_HERE}.counts:meeting_time",
    Operation.FIRST_SPEAKER: f"{_HERE}.order:first_speaker",
    Operation.FIRST_MENTION: f"{_HERE}.order:first_mention",
    Operation.LAST_MENTION: f"{_HERE}.order:last_mention",
    Operation.WHICH_FIRST: f"{_HERE}.order:which_first",
    Operation.IN_WINDOW: f"{_HERE}.order:in_window",
    Operation.NEXT_TO_EVENT: f"{_HERE}.order:next_to_event",
    Operation.SOUND_EXTREME: f"{_HERE}.sound:extreme",
    Operation.SOUND_CAUSE: f"{_HERE}.sound:cause_of_sound",
    Operation.SOUND_CHECK: f"{_HERE}.sound:check",
    Operation.MOODS: f"{_HERE}.moods:moods",
    Operation.SOUNDS: f"{_HERE}.noises:sounds",
    Operation.CAUSE: f"{_HERE}.cause:cause",
    Operation.REFERENT: f"{_HERE}.referent:referent",
    Operation.OUTCOMES: f"{_HERE}.outcomes:outcomes",
    Operation.SUMMARY: f"{_HERE}.summary:summary",
    Operation.PROFILE: f"{_HERE}.summary:profile",
    Operation.EXTRACT: f"{_HERE}.extract:extract",
}


def answer(case: Case) -> tuple[Sentence, ...]:
    """Return the sentences that answer the case, each with its citations; none when nothing is known."""
    sentences: tuple[Sentence, ...] = load("answer", case.reading.operation, ANSWERS)(case)
    return sentences

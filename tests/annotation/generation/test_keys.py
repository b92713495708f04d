"""Answer keys: an answer is right when every part that is set holds."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.generation.keys import judge
from annotation.schema import AnswerKey
from grga.store import IndexedMeeting
from grga.types import Answer, Citation, Sentence


def answer(meeting: IndexedMeeting, text: str, *cited: int, found: bool = True) -> Answer:
    said = meeting.meeting.utterances
    return Answer(
        question="?",
        sentences=(Sentence(text, cited),),
        citations=tuple(Citation.of(meeting.meeting, said[id]) for id in cited),
        verified=True,
        reflection_score=5.0,
        found=found,
        system="grga",
        policy="offline",
    )


RIGHT: tuple[tuple[dict[str, Any], str, tuple[int, ...]], ...] = (
    ({"count": 3}, "“fee” is mentioned 3 times in 2 turns.", (8,)),
    ({"count": 1}, "“fee” is mentioned once in 1 turn.", (8,)),
    ({"count": 2}, "Tom speaks twice.", (8,)),
    ({"count": 4}, "Four people speak: Maria, Tom, Rosa and Ben.", (8,)),
    ({"count": 5}, "“费用”一共被提到5次，出现在4次发言中。", (8,)),
    ({"seconds": 200.4}, "Tom talks for 3 min 20 s (20% of the talk).", (8,)),
    ({"seconds": 42}, "About 42 seconds.", (8,)),
    ({"seconds": 5.3}, "Tom说了5.3秒（占发言的3%）。", (8,)),
    ({"seconds": 75}, "1分15秒。", (8,)),
    ({"moment": 60, "tolerance": 2}, "At 1:01.", (8,)),
    ({"moment": 60, "tolerance": 2}, "Tom says so.", (8,)),
    ({"percent": 26}, "Tom talks for 42 seconds (26% of the talk).", (8,)),
    ({"speakers": ("S2",), "utterances": (8,)}, "Tom speaks first, at 1:00: “Rosa, …”", (8,)),
    ({"words": ("200 euros",)}, "It costs 200 euros.", (8,)),
    ({"yes": True}, "Yes: 8 dB louder.", (9,)),
    ({"yes": False}, "没有，和平时一样。", (9,)),
)
WRONG: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"count": 3}, "“3 fees” are mentioned twice.", "count 2"),
    ({"count": 3}, "Often, from 3:10 on.", "no number"),
    ({"seconds": 42}, "About 50 seconds.", "50 s"),
    ({"seconds": 42}, "For a while.", "no length"),
    ({"moment": 60, "tolerance": 2}, "At 1:10.", "70 s into the meeting"),
    ({"percent": 26}, "Most of it.", "no share"),
    ({"speakers": ("S2",)}, "Tom and Rosa do.", "Tom, Rosa"),
    ({"speakers": ("S2",)}, "“Tom?”", "nobody"),
    ({"utterances": (9,)}, "Rosa.", "cites [8]"),
    ({"words": ("200 euros",)}, "It costs 90.", "without 200 euros"),
    ({"yes": True}, "No clear change.", "no"),
    ({"yes": True}, "At 1:09.", "neither yes nor no"),
)


@pytest.mark.parametrize(("key", "text", "cited"), RIGHT)
def test_right(key: dict[str, Any], text: str, cited: tuple[int, ...], contract: IndexedMeeting) -> None:
    verdict = judge(AnswerKey.model_validate(key), answer(contract, text, *cited), contract.meeting)
    assert (verdict.right, verdict.got) == (True, "")


@pytest.mark.parametrize(("key", "text", "got"), WRONG)
def test_wrong_and_what_was_given_instead(
    key: dict[str, Any], text: str, got: str, contract: IndexedMeeting
) -> None:
    verdict = judge(AnswerKey.model_validate(key), answer(contract, text, 8), contract.meeting)
    assert (verdict.right, verdict.got) == (False, got)


def test_an_answer_that_found_nothing_is_wrong(contract: IndexedMeeting) -> None:
    verdict = judge(AnswerKey(count=0), answer(contract, "0 times", found=False), contract.meeting)
    assert (verdict.right, verdict.got) == (False, "not found")

"""A small corpus in QMSum's form, so that the bench can be tested without real meetings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

PEOPLE = ("Ada", "Ben", "Cleo", "Dan")
LINES = (
    "Let us begin with the budget for the new remote control.",
    "I think the budget is too small for a rubber case.",
    "A rubber case costs two euros more than plastic.",
    "Plastic breaks when somebody drops it, we tested that last week.",
    "What about the battery, does it last a year?",
    "The battery lasts nine months with the cheap chip.",
    "Then we take the expensive chip and a plastic case.",
    "Marketing would like the case to be yellow like our logo.",
    "Yellow is fine, but the buttons should stay grey.",
    "The next meeting is on Thursday after lunch.",
    "Please send the sales figures before Thursday.",
    "I will send the figures and the drawing of the case tonight.",
)


@pytest.fixture
def mini_qmsum(tmp_path: Path) -> Callable[[int], Path]:
    """Write so many short meetings of four people, two questions each, and return the file."""

    def make(meetings: int) -> Path:
        file = tmp_path / "mini.jsonl"
        file.write_text("".join(json.dumps(_meeting(number)) + "\n" for number in range(meetings)), "utf-8")
        return file

    return make


def _meeting(number: int) -> dict[str, object]:
    # Every meeting says something of its own: two with the same words would be one meeting.
    lines = (*LINES[number % 3 :], *LINES[: number % 3], f"That was meeting number {number}.")
    turns = [
        {"i": i, "speaker": PEOPLE[i % 4], "start": 5.0 * i, "end": 5.0 * i + 4.5, "text": text}
        for i, text in enumerate(lines)
    ]

    def question(id: str, query: str, word: str, answer: str) -> dict[str, object]:
        spans = [[turn["start"], turn["end"]] for turn in turns if word in str(turn["text"]).lower()]
        return {"id": f"mini{number}-{id}", "query": query, "answer": answer, "time_spans": spans}

    return {
        "meeting": f"mini{number}",
        "duration_last_word": turns[-1]["end"],
        "turns": turns,
        "topics": [],
        "general_queries": [],
        "specific_queries": [
            question("s00", "What was said about the battery?", "battery", "It lasts nine months."),
            question("s01", "When is the next meeting?", "thursday", "On Thursday after lunch."),
        ],
    }

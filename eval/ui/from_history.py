"""Answers for a study from what a visitor asked under Ask: several systems, the same question and meeting."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from eval.records import AnswerRecord
from grga.history import Asked, History
from grga.ui.contenders import SYSTEMS

LONGEST = 400
"""So many of a visitor's answers are looked through, the newest first."""


def asked_records(history: History, visitor: str) -> list[AnswerRecord]:
    """Return a visitor's answers about one meeting each, the newest of every system to every question."""
    found: dict[tuple[str, str], AnswerRecord] = {}
    for line in history.list(visitor, LONGEST):
        if len(line.meetings) != 1 or not line.found:
            continue
        record = _record(history.get(line.token))
        if record is not None:
            found.setdefault((record.item, record.system), record)
    return list(found.values())


def systems(records: Sequence[AnswerRecord]) -> list[str]:
    """Return who answered, by name."""
    return sorted({record.system for record in records})


def _record(asked: Asked) -> AnswerRecord | None:
    part = asked.parts[0]
    if not any(sentence.text.strip() for sentence in part.answer.sentences):
        return None
    about = f"{part.meeting_id}\0{' '.join(asked.question.split()).casefold()}"
    return AnswerRecord.of(
        part.answer,
        item=f"asked-{hashlib.sha256(about.encode()).hexdigest()[:12]}",
        system=system_name(asked),
        meeting=part.meeting_id,
        question=asked.question,
    )


def system_name(asked: Asked) -> str:
    """Return the name that the answer is judged under: "GRGA", "GRGA (llm) without planner"."""
    name = SYSTEMS.get(asked.system, asked.system)
    policy = "" if asked.policy == "offline" else f" ({asked.policy})"
    without = f" without {', '.join(asked.without)}" if asked.without else ""
    return f"{name}{policy}{without}"

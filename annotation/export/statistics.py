"""The figures that describe a data set: the columns of the paper's Table 2 and the mix of Figure 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.schema import QAItem
from grga.agent.steps import QuestionType
from grga.types import Meeting


@dataclass(frozen=True)
class Statistics:
    """One row of Table 2 with its questions by type.

    Attributes:
        hours: Of all dialogues together.
        mean_seconds, mean_turns: Per dialogue; a turn is an utterance.
        qa: Questions.
        dialogues: Meetings that have questions.
        types: Questions of each type, in the order of the types.
        subtasks: Questions of each type and subtask that occurs.
        missing: Meetings that are not here, so that their length and turns are not counted.
    """

    hours: float
    mean_seconds: float
    mean_turns: float
    qa: int
    dialogues: int
    types: Mapping[str, int] = field(default_factory=dict)
    subtasks: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return asdict(self)


PAPER_TABLE_2: Mapping[str, Statistics] = {
    "AliMeeting": Statistics(14.91, 1935, 815, 3013, 28),
    "AMI": Statistics(18.24, 1930, 757, 3243, 34),
    "DailyTalk": Statistics(21.59, 610, 186, 10200, 128),
}
"""Reported by the paper (Table 2), not measured here."""


def statistics(items: Collection[QAItem], meetings: Mapping[str, Meeting]) -> Statistics:
    """Return the figures of ``items``; ``meetings`` holds those of their meetings that are here."""
    used = list(dict.fromkeys(item.meeting for item in items))
    here = [meetings[name] for name in used if name in meetings]
    seconds = sum(meeting.duration for meeting in here)
    turns = sum(len(meeting.utterances) for meeting in here)
    types = Counter(item.type for item in items)
    subtasks = Counter(f"{item.type}: {item.subtask}" for item in items)
    return Statistics(
        hours=seconds / 3600,
        mean_seconds=seconds / len(here) if here else 0.0,
        mean_turns=turns / len(here) if here else 0.0,
        qa=len(items),
        dialogues=len(used),
        types={kind.value: types[kind] for kind in QuestionType},
        subtasks=dict(sorted(subtasks.items())),
        missing=tuple(name for name in used if name not in meetings),
    )


def table_2(rows: Iterable[tuple[str, Statistics]]) -> str:
    """Return Table 2 in Markdown."""
    lines = [
        "| data | hours | mean seconds | mean turns | questions | dialogues |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, row in rows:
        lines.append(
            f"| {name} | {row.hours:.2f} | {row.mean_seconds:.0f} | {row.mean_turns:.0f} | {row.qa} | {row.dialogues} |"
        )
    return "\n".join(lines)


def figure_2(found: Statistics) -> str:
    """Return the mix of question types in Markdown."""
    lines = ["| type | questions | share |", "|---|---:|---:|"]
    for kind, number in found.types.items():
        lines.append(f"| {kind} | {number} | {100 * number / max(1, found.qa):.1f} % |")
    return "\n".join(lines)

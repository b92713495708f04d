"""How many items of which type and subtask are wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from annotation.schema import SUBTASKS, QAItem, Status
from grga.agent.steps import QuestionType

Quota = Mapping[tuple[QuestionType, str], int]
"""(type, subtask) -> number of items."""


def spread(
    types: Mapping[QuestionType, int], subtasks: Collection[str] = ()
) -> dict[tuple[QuestionType, str], int]:
    """Return the number of each type dealt out evenly to its subtasks; ``subtasks`` limits them."""
    quota: dict[tuple[QuestionType, str], int] = {}
    for kind, count in types.items():
        chosen = [name for name in SUBTASKS[kind] if not subtasks or name in subtasks]
        for place, name in enumerate(chosen):
            quota[kind, name] = count // len(chosen) + (place < count % len(chosen))
    return quota


def remaining(quota: Quota, items: Iterable[QAItem]) -> Counter[tuple[QuestionType, str]]:
    """Return what is still wanted beside ``items``; those that failed do not count."""
    left = Counter(dict(quota))
    left.subtract((item.type, item.subtask) for item in items if item.status is not Status.FAILED)
    return Counter({kind: count for kind, count in left.items() if count > 0})

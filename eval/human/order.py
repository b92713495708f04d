"""In which order a rater sees what: balanced over raters, the same whenever it is computed again."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.human.study import Study, TaskKind


@dataclass(frozen=True)
class Task:
    """One answer for one rater. ``id`` says nothing about item or system and is another for every rater."""

    id: str
    position: int
    kind: TaskKind
    item: str
    system: str | None = None


def latin_square(size: int) -> list[list[int]]:
    """Return a latin square: each of ``size`` columns once per row, and once at each position over the rows.

    For an even size every system also follows every other equally often (Williams 1949,
    https://doi.org/10.1071/CH9490149), which keeps what was just read from favouring anybody.
    """
    if size % 2:
        return [[(row + place) % size for place in range(size)] for row in range(size)]
    first = [place // 2 if place % 2 == 0 else size - 1 - place // 2 for place in range(size)]
    return [[(one + row) % size for one in first] for row in range(size)]


def next_row(size: int, completed: Mapping[int, int], active: Mapping[int, int]) -> int:
    """Return the row of the square for the next rater.

    Args:
        size: Number of rows.
        completed: Raters per row who have finished; they alone decide, since others may never come back.
        active: Raters per row who are at work; they decide between rows that are equal.
    """
    return min(range(size), key=lambda row: (completed.get(row, 0), active.get(row, 0), row))


def rater_tasks(study: Study, row: int, salt: str) -> tuple[Task, ...]:
    """Return everything one rater is shown, in order.

    Training comes first. Then the questions, shuffled for this rater; the answers to one question
    follow each other in the order of the rater's row of the latin square, shifted from question to
    question, so that every system is first equally often, for a rater and for a question.

    Args:
        study: The study.
        row: The rater's row of the latin square.
        salt: A random text of this rater's own; it decides ids and shuffling.
    """
    systems = study.systems
    square = latin_square(len(systems))
    shuffled = list(enumerate(study.items))
    random.Random(f"{study.seed}:{salt}").shuffle(shuffled)
    ratings = [
        (TaskKind.RATING, item.key, systems[column])
        for number, item in shuffled
        for column in square[(number + row) % len(systems)]
    ]
    planned: list[tuple[TaskKind, str, str | None]] = [
        (TaskKind.TRAINING, known.key, None) for known in study.training
    ]
    planned += _with_checks(ratings, [known.key for known in study.checks], len(systems))
    return tuple(
        Task(_opaque(salt, kind, item, system or ""), position, kind, item, system)
        for position, (kind, item, system) in enumerate(planned)
    )


def _with_checks(
    ratings: Sequence[tuple[TaskKind, str, str]], checks: Sequence[str], systems: int
) -> list[tuple[TaskKind, str, str | None]]:
    """Spread the checks over the ratings, never between two answers to one question."""
    planned: list[tuple[TaskKind, str, str | None]] = list(ratings)
    questions = len(ratings) // systems
    gap = max(questions // (len(checks) + 1), 1)
    for number, key in reversed(list(enumerate(checks, start=1))):
        planned.insert(min(number * gap, questions) * systems, (TaskKind.CHECK, key, None))
    return planned


def criteria_order(study: Study, salt: str) -> tuple[str, ...]:
    """Return the names of the criteria in the order in which this rater sees them."""
    names = [criterion.name for criterion in study.criteria]
    if study.shuffle_criteria:
        random.Random(f"{study.seed}:{salt}:criteria").shuffle(names)
    return tuple(names)


def clip_id(salt: str, task: str, number: int) -> str:
    """Return the opaque id of the ``number``-th clip of a task."""
    return _opaque(salt, "clip", task, str(number))


def _opaque(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]

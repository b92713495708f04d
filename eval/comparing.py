"""Two answers to every question side by side: which runs there are, and whose evidence was nearer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal

from eval.runs import Run, RunRecord
from eval.score import read_scores
from eval.scorers import citations
from eval.scorers.judge import current, majority, read_judgements
from eval.scorers.keys import ANSWER_KEY
from grga.errors import EvaluationError

FOLDER = "runs"
"""Below the home: where runs are looked for."""

Better = Literal["first", "second", "same"]


@dataclass(frozen=True)
class RunLine:
    """A run in a list. ``problem`` is one sentence when it cannot be read."""

    name: str
    folder: Path
    corpus: str = ""
    systems: tuple[str, ...] = ()
    items: int = 0
    began: datetime | None = None
    problem: str = ""


@dataclass(frozen=True)
class Side:
    """One system in one run."""

    run: RunLine
    system: str


@dataclass(frozen=True)
class Pair:
    """Two answers to one question.

    Attributes:
        better: Whose is.
        by: What says so: "judge" or "key" (verdicts on both that differ), else "citations" (F1); "" if none can.
        f1: Citation F1 of both, None without gold spans.
        right: The verdicts of judges or, without those, of the answer key; None where there is none.
    """

    first: RunRecord
    second: RunRecord
    better: Better
    by: str
    f1: tuple[float, float] | None
    right: tuple[bool | None, bool | None]


def list_runs(folder: Path) -> list[RunLine]:
    """Return the runs in a folder, or the one that it is; newest first, damaged ones last."""
    places = [folder] if (folder / "run.json").is_file() else sorted(folder.glob("*/"))
    lines = [_line(place) for place in places if (place / "run.json").is_file()]
    whole = sorted(
        (line for line in lines if line.began), key=lambda line: str(line.began and line.began.isoformat())
    )
    return [*reversed(whole), *(line for line in lines if not line.began)]


def _line(folder: Path) -> RunLine:
    try:
        manifest = Run(folder).manifest()
    except EvaluationError as error:
        return RunLine(folder.name, folder, problem=str(error))
    return RunLine(folder.name, folder, manifest.corpus, manifest.systems, manifest.items, manifest.began)


def answers(side: Side) -> dict[str, RunRecord]:
    """Return one side's answers by the question's key; without those that failed.

    Raises:
        EvaluationError: the run is damaged.
    """
    file = Run(side.run.folder).answers_file
    try:
        stamp = file.stat()
    except OSError:
        return {}
    records = _records(side.run.folder, stamp.st_mtime_ns, stamp.st_size)
    return {one.item.key: one for one in records if one.system == side.system and not one.error}


@lru_cache(maxsize=4)
def _records(folder: Path, changed: int, size: int) -> tuple[RunRecord, ...]:
    """Keep the last few runs in memory; one that has grown is read again."""
    return tuple(Run(folder).records())


def compare(first: Side, second: Side) -> list[Pair]:
    """Return the questions that both answered, in the first one's order.

    Raises:
        EvaluationError: a run is damaged.
    """
    verdicts = [_verdicts(side) for side in (first, second)]
    theirs = answers(second)
    pairs = []
    for key, mine in answers(first).items():
        if key in theirs:
            by = next(
                (name for name in verdicts[0] if all(key in some.get(name, {}) for some in verdicts)), ""
            )
            right = tuple(some.get(by, {}).get(key) for some in verdicts)
            pairs.append(_pair(mine, theirs[key], by, (right[0], right[1])))
    return pairs


def _verdicts(side: Side) -> dict[str, dict[str, bool]]:
    """Return what is known of one side's answers to be right: by judges, by answer keys; in this order."""
    run = Run(side.run.folder)
    scores = read_scores(run)
    found: dict[str, dict[str, bool]] = {}
    for name, given in (
        ("judge", majority(current(read_judgements(run)))),
        ("key", scores.get(ANSWER_KEY, {})),
    ):
        found[name] = {
            item: score.value > 0.5
            for (item, system), score in given.items()
            if system == side.system and score.value is not None
        }
    return found


def _pair(first: RunRecord, second: RunRecord, by: str, right: tuple[bool | None, bool | None]) -> Pair:
    f1 = (citations.count(first).f1, citations.count(second).f1) if first.item.gold else None
    if right[0] != right[1]:
        return Pair(first, second, "first" if right[0] else "second", by, f1, right)
    if f1 is None:
        return Pair(first, second, "same", "", f1, right)
    better: Better = "same" if f1[0] == f1[1] else "first" if f1[0] > f1[1] else "second"
    return Pair(first, second, better, "citations", f1, right)


def differing(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs of which one is better."""
    return [pair for pair in pairs if pair.better != "same"]


def tally(pairs: Sequence[Pair]) -> dict[Better, int]:
    """Return how often each side is better."""
    found: dict[Better, int] = {"first": 0, "second": 0, "same": 0}
    for pair in pairs:
        found[pair.better] += 1
    return found

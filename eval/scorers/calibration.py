"""Do judges say what people say? Verdicts against ratings of correctness by people.

People rate correctness from 1 to 5; an answer counts as right when the mean over its raters is at least 4.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from annotation.agreement import Measure, Rating, cohen_kappa
from grga.errors import EvaluationError

RIGHT_FROM = 4.0
CRITERION = "Correctness"
Place = tuple[str, str]
"""Item and system."""


def read_ratings(file: Path) -> dict[Place, float]:
    """Return the mean correctness of each answer that people rated, by item and system.

    ``file`` is the CSV of scores that a human study exports (columns item, system, criterion, score), or
    JSONL of such objects; rows of other criteria are left out, and without ``criterion`` every row counts.

    Raises:
        EvaluationError: it cannot be read, a row lacks something, or nothing is about correctness.
    """
    scores: dict[Place, list[float]] = {}
    for number, row in _rows(file):
        if str(row.get("criterion") or CRITERION).casefold() != CRITERION.casefold():
            continue
        try:
            score = float(row["score"])
            place = str(row["item"]), str(row["system"])
        except (KeyError, TypeError, ValueError):
            raise EvaluationError(
                f"row {number} of {file.name} is no rating", expected="item, system and score from 1 to 5"
            ) from None
        if not 1 <= score <= 5:
            raise EvaluationError(
                f"row {number} of {file.name} has the score {score:g}", expected="a score from 1 to 5"
            )
        scores.setdefault(place, []).append(score)
    if not scores:
        raise EvaluationError(f"nothing in {file.name} is about {CRITERION.lower()}")
    return {place: fmean(given) for place, given in scores.items()}


@dataclass(frozen=True)
class Calibration:
    """One judge against people, over the answers that both judged.

    Attributes:
        name: Whose verdicts.
        both_right, judge_alone, people_alone, both_wrong: Who says that the answer is right.
        kappa: Cohen's kappa of the two.
    """

    name: str
    both_right: int
    judge_alone: int
    people_alone: int
    both_wrong: int
    kappa: Measure

    @property
    def answers(self) -> int:
        """How many both judged."""
        return self.both_right + self.judge_alone + self.people_alone + self.both_wrong

    @property
    def agreement(self) -> float | None:
        """Share of answers on which they say the same; None without any."""
        return (self.both_right + self.both_wrong) / self.answers if self.answers else None


def calibrate(
    name: str, verdicts: Mapping[Place, bool], people: Mapping[Place, float], *, seed: int = 0
) -> Calibration:
    """Return how far ``verdicts`` agree with the mean ratings of people."""
    common = [place for place in verdicts if place in people]
    pairs = [(verdicts[place], people[place] >= RIGHT_FROM) for place in common]
    ratings = [
        Rating("\n".join(place), who, value)
        for place, pair in zip(common, pairs, strict=True)
        for who, value in zip((name, "people"), pair, strict=True)
    ]
    return Calibration(
        name,
        both_right=pairs.count((True, True)),
        judge_alone=pairs.count((True, False)),
        people_alone=pairs.count((False, True)),
        both_wrong=pairs.count((False, False)),
        kappa=cohen_kappa(ratings, name, "people", levels=(False, True), seed=seed),
    )


def _rows(file: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    try:
        text = file.read_text("utf-8-sig")
        if file.suffix.lower() == ".csv":
            return list(enumerate(csv.DictReader(text.splitlines()), start=2))
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise EvaluationError(f"the ratings in {file} cannot be read: {error}") from None
    if not all(isinstance(row, dict) for row in rows):
        raise EvaluationError(f"{file.name} holds no ratings", expected="one JSON object per line")
    return list(enumerate(rows, start=1))

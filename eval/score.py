"""Score a run from what is stored: judgements, stand-ins for them, answer keys, retrieval; nothing is asked.

Every single score is written beside the run (``scores.jsonl``: item, system, scorer, value, reason,
details), so that any number in a table can be followed to its answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from eval.report.accuracy import (
    agreement_table,
    by_type_table,
    calibration_table,
    judge_table,
    order_table,
    paired_scores_table,
    recall_table,
)
from eval.report.bench import accuracy_table
from eval.report.tables import Table
from eval.runs import Run, RunRecord
from eval.scorers import Score
from eval.scorers.calibration import Place, calibrate, read_ratings
from eval.scorers.judge import FIRST, Judgement, current, judgeable, majority, read_judgements
from eval.scorers.keys import ANSWER_KEY, match
from eval.scorers.proxies import SIMILARITY, TOKEN_F1, similarities, token_f1
from eval.scorers.retrieval import utterance_spans
from grga.embedding import TextEncoder
from grga.errors import EvaluationError, GrgaError
from grga.store import Store
from grga.types import Meeting

JUDGE = "LLM judge"
FILE = "scores.jsonl"
Scores = dict[str, dict[Place, Score]]
"""Scorer → item and system → score."""


def score(
    run: Run, store: Store, encoder: TextEncoder | None, *, people: Path | None = None, seed: int = 0
) -> dict[str, Table]:
    """Return the tables of a run's scores by name, and write every score beside it.

    Args:
        run: With its answers, and judgements where there are any.
        store: Holds the meetings, for answer keys and retrieval.
        encoder: For embedding similarity; None leaves it out.
        people: Ratings by people that judges are compared with.
        seed: Of the intervals.

    Raises:
        EvaluationError: there are no answers, or a file is damaged.
    """
    records = list({one.place: one for one in run.records() if not one.error}.values())
    if not records:
        raise EvaluationError(
            f"there are no answers in {run.folder}", fix="make them with `python -m eval run`"
        )
    judgements = current(read_judgements(run), None)
    answers = len(judgeable(records))
    meetings = _meetings(records, store)
    scores = score_all(records, judgements, meetings, encoder)
    _write(run.folder / FILE, scores)
    tables: dict[str, Table] = {}
    for scorer, found in scores.items():
        values = {place: one.value for place, one in found.items()}
        caption = _CAPTIONS[scorer]
        tables[_slug(scorer)] = by_type_table(
            records,
            values,
            f"{caption}, times 100, with 95 % intervals over meetings",
            paper=scorer == JUDGE,
            seed=seed,
        )
        paired = paired_scores_table(records, values, caption, seed=seed)
        if paired is not None:
            tables[f"{_slug(scorer)}_paired"] = paired
    if ANSWER_KEY in scores:
        tables["subtasks"] = accuracy_table(
            records,
            lambda one: _right(scores[ANSWER_KEY].get(one.place)),
            f"{_CAPTIONS[ANSWER_KEY]}, by subtask",
            seed=seed,
        )
    tables |= judge_tables(judgements, answers, people, seed=seed)
    recall = recall_table(records, utterance_spans(meetings), seed=seed)
    return {**tables, "recall": recall} if recall.rows else tables


_CAPTIONS = {
    JUDGE: "Semantic accuracy by LLM judges (majority)",
    TOKEN_F1: "Proxy, not accuracy: token F1 of answer and reference",
    SIMILARITY: "Proxy, not accuracy: embedding similarity of answer and reference",
    ANSWER_KEY: "Answers that hold what their answer key asks for",
}


def score_all(
    records: list[RunRecord],
    judgements: list[Judgement],
    meetings: Mapping[str, Meeting],
    encoder: TextEncoder | None,
) -> Scores:
    """Return what every scorer that has something to go by says of each answer."""
    referenced = judgeable(records)
    scores: Scores = {JUDGE: {}}
    if judgements:
        verdicts = majority(current(judgements))
        unjudged = Score(None, "not judged yet")
        scores[JUDGE] = {one.place: verdicts.get(one.place, unjudged) for one in referenced}
    scores[TOKEN_F1] = {one.place: token_f1(one.text, one.item.reference or "") for one in referenced}
    if encoder is not None and referenced:
        given = similarities(referenced, encoder)
        scores[SIMILARITY] = {one.place: value for one, value in zip(referenced, given, strict=True)}
    scores[ANSWER_KEY] = {
        one.place: match(one, meetings) for one in records if one.item.answer_key is not None
    }
    return {scorer: found for scorer, found in scores.items() if found}


def judge_tables(
    judgements: list[Judgement], answers: int, people: Path | None = None, *, seed: int = 0
) -> dict[str, Table]:
    """Return what tells whether the judges can be trusted; nothing without judgements.

    Args:
        judgements: Of one prompt.
        answers: How many were to be judged.
        people: Ratings that judges are compared with.
        seed: Of the intervals.

    Raises:
        EvaluationError: the ratings cannot be read.
    """
    if not judgements:
        return {}
    tables = {"judges": judge_table(judgements, answers)}
    if len({one.judge for one in judgements}) > 1:
        tables["agreement"] = agreement_table(judgements, seed=seed)
    orders = order_table(judgements, seed=seed)
    if orders.rows:
        tables["orders"] = orders
    if people is not None:
        ratings = read_ratings(people)
        found = [
            calibrate(name, verdicts, ratings, seed=seed) for name, verdicts in _verdicts(judgements).items()
        ]
        tables["calibration"] = calibration_table(found)
    return tables


def _right(one: Score | None) -> bool | None:
    return None if one is None or one.value is None else one.value == 1.0


def _verdicts(judgements: list[Judgement]) -> dict[str, dict[Place, bool]]:
    """Return what the majority and each judge say, where they say something."""
    first = [one for one in judgements if one.order == FIRST]
    found = {"majority": {p: one.value == 1.0 for p, one in majority(first).items() if one.value is not None}}
    for one in first:
        if one.right is not None:
            found.setdefault(one.judge, {})[one.place] = one.right
    return found


def _meetings(records: list[RunRecord], store: Store) -> dict[str, Meeting]:
    """Return the meetings that are in the store."""
    found = {}
    for id in dict.fromkeys(one.item.meeting for one in records):
        try:
            found[id] = store.folder(id).read_meeting()
        except GrgaError:
            continue  # moved or deleted since; what needs it says so
    return found


def _write(file: Path, scores: Scores) -> None:
    draft = file.with_name(f"~{file.name}")
    with draft.open("w", encoding="utf-8") as out:
        for scorer, found in scores.items():
            for (item, system), one in found.items():
                line = {"item": item, "system": system, "scorer": scorer, **asdict(one)}
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
    draft.replace(file)


def read_scores(run: Run) -> Scores:
    """Return what a former call of :func:`score` wrote beside the run; nothing when there was none.

    Raises:
        EvaluationError: the file is damaged.
    """
    file = run.folder / FILE
    found: Scores = {}
    for number, line in enumerate(file.read_text("utf-8").splitlines() if file.is_file() else (), start=1):
        try:
            values = json.loads(line)
            place, scorer = (values.pop("item"), values.pop("system")), values.pop("scorer")
            found.setdefault(scorer, {})[place] = Score(**values)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise EvaluationError(f"line {number} of {file} is damaged", fix="score the run again") from None
    return found


def _slug(scorer: str) -> str:
    return scorer.removeprefix("proxy: ").lower().replace(" ", "_")

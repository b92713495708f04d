"""The scores of a study with everything needed to analyse them, and whose scores do not count."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from statistics import median

from sqlmodel import col, select

from eval.human.apply import content, study_row
from eval.human.desk import Desk
from eval.human.study import Exclusion, TaskKind
from eval.human.tables import ListenRow, RaterRow, RatingRow, TaskRow
from grga.errors import StudyError

NO_TYPE = "any"


@dataclass(frozen=True)
class Score:
    """One score that counts.

    ``rater`` is a number in order of invitation ("R1"), so that tables can be published. ``position``
    is the place among the rater's tasks, ``seconds`` the time from seeing the answer to its last
    score, ``changes`` how often the score was changed, ``heard`` how many clips were played.
    """

    rater: str
    item: str
    corpus: str
    type: str
    system: str
    criterion: str
    score: int
    position: int
    seconds: float
    changes: int
    heard: int
    at: datetime


@dataclass(frozen=True)
class Conduct:
    """How a rater worked, for the rules of exclusion; ``excluded`` says why, "" when the scores count."""

    rater: str
    done: int
    total: int
    median_seconds: float | None
    failed_checks: int
    checks: int
    excluded: str


def conduct(desk: Desk, key: str) -> list[Conduct]:
    """Return how each rater worked; this can be seen before unblinding.

    Raises:
        StudyError: there is no such study.
    """
    with desk.reading() as session:
        study = content(session, key)
        lines = []
        for number, rater in enumerate(_raters(desk, key), start=1):
            tasks = session.exec(select(TaskRow).where(TaskRow.rater == rater.id)).all()
            ratings = session.exec(
                select(TaskRow, RatingRow).where(TaskRow.rater == rater.id, RatingRow.task == TaskRow.id)
            ).all()
            given = {(task.item, rating.criterion): rating.score for task, rating in ratings}
            done = [task for task in tasks if task.kind == TaskKind.RATING and task.done]
            seconds = [(t.done - t.shown).total_seconds() for t in done if t.done and t.shown]
            failed = sum(
                any(
                    not least <= given[known.key, name] <= most
                    for name, (least, most) in known.expected.items()
                    if (known.key, name) in given
                )
                for known in study.checks
            )
            total = sum(task.kind == TaskKind.RATING for task in tasks)
            pace = median(seconds) if seconds else None
            why = _excluded(study.exclusion, len(done), total, pace, failed)
            lines.append(Conduct(f"R{number}", len(done), total, pace, failed, len(study.checks), why))
        return lines


def _excluded(rule: Exclusion, done: int, total: int, pace: float | None, failed: int) -> str:
    if failed > rule.most_failed_checks:
        return f"failed {failed} attention checks (at most {rule.most_failed_checks} allowed)"
    if pace is not None and pace < rule.least_seconds:
        return f"took {pace:.1f} s per answer (at least {rule.least_seconds:g} s expected)"
    if not total or done / total < rule.least_share:
        return f"finished {done} of {total} answers (at least {rule.least_share:.0%} expected)"
    return ""


def scores(desk: Desk, key: str, *, excluded: bool = False) -> list[Score]:
    """Return the scores of a study that was unblinded.

    Args:
        desk: Where the study is.
        key: Which one.
        excluded: Whether scores of excluded raters are among them.

    Raises:
        StudyError: there is no such study, or nobody has unblinded it.
    """
    left_out = {line.rater for line in conduct(desk, key) if line.excluded and not excluded}
    with desk.reading() as session:
        if study_row(session, key).unblinded is None:
            raise StudyError(f"the study {key!r} is still blind", fix="close and unblind it first")
        study = content(session, key)
        items = {item.key: item for item in study.items}
        found = []
        for number, rater in enumerate(_raters(desk, key), start=1):
            if f"R{number}" in left_out:
                continue
            heard: dict[str, set[int]] = {}
            for row in session.exec(
                select(ListenRow)
                .join(TaskRow, col(TaskRow.id) == ListenRow.task)
                .where(TaskRow.rater == rater.id)
            ):
                heard.setdefault(row.task, set()).add(row.number)
            ratings = session.exec(
                select(TaskRow, RatingRow)
                .where(TaskRow.rater == rater.id, RatingRow.task == TaskRow.id)
                .where(TaskRow.kind == TaskKind.RATING)
                .order_by(col(TaskRow.position), col(RatingRow.criterion))
            )
            for task, rating in ratings:
                item = items[task.item]
                last = task.done or rating.at
                found.append(
                    Score(
                        rater=f"R{number}",
                        item=item.key,
                        corpus=item.corpus,
                        type=item.type.value if item.type else NO_TYPE,
                        system=task.system or "",
                        criterion=rating.criterion,
                        score=rating.score,
                        position=task.position,
                        seconds=(last - task.shown).total_seconds() if task.shown else 0.0,
                        changes=rating.changes,
                        heard=len(heard.get(task.id, ())),
                        at=rating.at,
                    )
                )
        return found


def to_csv(rows: Sequence[Score]) -> str:
    """Return scores as CSV with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(Score)]
    writer.writerow(names)
    writer.writerows([getattr(row, name) for name in names] for row in rows)
    return out.getvalue()


def _raters(desk: Desk, key: str) -> list[RaterRow]:
    with desk.reading() as session:
        study_row(session, key)
        of_study = select(RaterRow).where(RaterRow.study == key).order_by(col(RaterRow.invited))
        return list(session.exec(of_study))

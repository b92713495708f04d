"""What the scores say: means with intervals, paired tests, agreement of the raters (paper, table 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotation.agreement import Measure, Rating, cohen_kappa, krippendorff_alpha
from eval import stats
from eval.human.desk import Desk
from eval.human.scores import Conduct, Score, conduct, scores
from eval.human.study import SCORES
from eval.stats import Estimate, Matrix, PairedTest

ALL = "all"
"""All corpora together, or all criteria."""


@dataclass(frozen=True)
class Cell:
    """The mean of one system on one criterion in one corpus."""

    corpus: str
    system: str
    criterion: str
    estimate: Estimate


@dataclass(frozen=True)
class Comparison:
    """Two systems on one criterion in one corpus; ``estimate`` is of first minus second."""

    corpus: str
    criterion: str
    test: PairedTest
    estimate: Estimate


@dataclass(frozen=True)
class Agreement:
    """How far raters agree on one criterion."""

    corpus: str
    criterion: str
    alpha: Measure
    kappas: tuple[Measure, ...]
    icc_single: float | None
    icc_average: float | None


@dataclass(frozen=True)
class Analysis:
    """Everything that is reported of a study. ``conduct`` includes the raters who were excluded, and why."""

    study: str
    title: str
    pilot: bool
    systems: tuple[str, ...]
    criteria: tuple[str, ...]
    corpora: tuple[str, ...]
    cells: tuple[Cell, ...]
    comparisons: tuple[Comparison, ...]
    agreement: tuple[Agreement, ...]
    conduct: tuple[Conduct, ...]

    def cell(self, corpus: str, system: str, criterion: str) -> Cell:
        """Return one mean.

        Raises:
            KeyError: there is none.
        """
        return {(one.corpus, one.system, one.criterion): one for one in self.cells}[corpus, system, criterion]


def analyse(desk: Desk, key: str, *, seed: int = 0) -> Analysis:
    """Analyse a closed and unblinded study by the rules that were fixed with it.

    Args:
        desk: Where the study is.
        key: Which one.
        seed: Of the bootstrap.

    Raises:
        StudyError: no such study, or it is still blind.
    """
    study = desk.study(key)
    given = scores(desk, key)
    corpora = tuple(sorted({item.corpus for item in study.items}))
    parts = (*corpora, ALL) if len(corpora) > 1 else corpora
    criteria = tuple(one.name for one in study.criteria)
    shown = (*criteria, ALL)
    cells = tuple(
        Cell(corpus, system, criterion, stats.crossed_mean(table, seed=seed))
        for corpus in parts
        for system in study.systems
        for criterion in shown
        if (table := _table(_only(given, corpus, system, criterion))).size
    )
    return Analysis(
        study=key,
        title=study.title,
        pilot=study.pilot,
        systems=study.systems,
        criteria=criteria,
        corpora=corpora,
        cells=cells,
        comparisons=tuple(_comparisons(given, parts, study.systems, criteria, seed)),
        agreement=tuple(_agreement(given, parts, criteria, seed)),
        conduct=tuple(conduct(desk, key)),
    )


def _only(given: Iterable[Score], corpus: str, system: str | None, criterion: str) -> list[Score]:
    return [
        one
        for one in given
        if corpus in (ALL, one.corpus) and system in (None, one.system) and criterion in (ALL, one.criterion)
    ]


def _table(given: Sequence[Score]) -> Matrix:
    """Return items × raters; several criteria of one answer are averaged."""
    cells: dict[tuple[str, str], list[int]] = {}
    for one in given:
        cells.setdefault((one.item, one.rater), []).append(one.score)
    items = sorted({item for item, _ in cells})
    raters = sorted({rater for _, rater in cells})
    return np.array(
        [[np.mean(cells.get((item, rater), [np.nan])) for rater in raters] for item in items], dtype=float
    )


def _comparisons(
    given: Sequence[Score], corpora: Sequence[str], systems: Sequence[str], criteria: Sequence[str], seed: int
) -> list[Comparison]:
    """Compare every pair of systems; Holm's correction is over the criteria and pairs of one corpus."""
    found = []
    for corpus in corpora:
        pairs, tests = [], []
        for criterion in criteria:
            for first, second in combinations(systems, 2):
                differences = _differences(_only(given, corpus, None, criterion), first, second)
                if not differences.size:
                    continue
                per_item = np.nanmean(differences, axis=1)
                tests.append(stats.wilcoxon(first, second, per_item.tolist()))
                pairs.append((criterion, stats.crossed_mean(differences, seed=seed)))
        found += [
            Comparison(corpus, criterion, test, estimate)
            for (criterion, estimate), test in zip(pairs, stats.holm(tests), strict=True)
        ]
    return found


def _differences(given: Sequence[Score], first: str, second: str) -> Matrix:
    """Return items × raters of first minus second, where the same rater judged both."""
    score = {(one.item, one.rater, one.system): one.score for one in given}
    both = [(i, r) for i, r, system in score if system == first and (i, r, second) in score]
    items = sorted({item for item, _ in both})
    raters = sorted({rater for _, rater in both})
    table = np.full((len(items), len(raters)), np.nan)
    for item, rater in both:
        table[items.index(item), raters.index(rater)] = score[item, rater, first] - score[item, rater, second]
    return table


def _agreement(
    given: Sequence[Score], corpora: Sequence[str], criteria: Sequence[str], seed: int
) -> list[Agreement]:
    found = []
    for corpus in corpora:
        for criterion in criteria:
            some = _only(given, corpus, None, criterion)
            ratings = [Rating(f"{one.item}\0{one.system}", one.rater, one.score) for one in some]
            raters = sorted({one.rater for one in some})
            answers = [Score(**{**vars(one), "item": f"{one.item}\0{one.system}"}) for one in some]
            single, average = stats.icc(_table(answers)) if answers else (np.nan, np.nan)
            found.append(
                Agreement(
                    corpus=corpus,
                    criterion=criterion,
                    alpha=krippendorff_alpha(ratings, "ordinal", levels=SCORES, seed=seed),
                    kappas=tuple(
                        cohen_kappa(ratings, one, two, weights="quadratic", levels=SCORES, seed=seed)
                        for one, two in combinations(raters, 2)
                    ),
                    icc_single=float(single) if np.isfinite(single) else None,
                    icc_average=float(average) if np.isfinite(average) else None,
                )
            )
    return found

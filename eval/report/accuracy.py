"""Tables of right answers: accuracy by type (paper, Table 3), how judges agree, what was retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from annotation.agreement import Measure, Rating, cohen_kappa, fleiss_kappa, krippendorff_alpha
from eval import stats
from eval.report.bench import by_system, chance, percent
from eval.report.paper import LABEL, reported
from eval.report.tables import Table, interval, number
from eval.runs import RunRecord
from eval.scorers.calibration import RIGHT_FROM, Calibration, Place
from eval.scorers.judge import FIRST, SWAPPED, Judgement, majority
from eval.scorers.retrieval import KS, Spans, recalls
from grga.agent.steps import QuestionType

Values = Mapping[Place, float | None]
"""What an answer scored, 0..1, by item and system; None where it could not be scored."""


def by_type_table(
    records: Sequence[RunRecord], values: Values, caption: str, *, paper: bool = False, seed: int = 0
) -> Table:
    """Return the mean score of each system times 100, in all and by question type.

    Args:
        records: Of a run.
        values: The scores; an answer that is not among them was never meant to be scored.
        caption: Names what scored.
        paper: Whether the paper's own numbers stand below, labelled; only where they measure the same.
        seed: Of the intervals, which draw meetings anew.
    """
    kinds = [kind for kind in QuestionType if any(one.item.type is kind for one in records)]
    corpora = list(dict.fromkeys(one.item.corpus for one in records))
    rows: list[tuple[str, ...]] = []
    for corpus in corpora:
        for system, given in by_system(one for one in records if one.item.corpus == corpus).items():
            meant = [one for one in given if one.place in values]
            scored = [(one, value) for one in meant if (value := values[one.place]) is not None]
            clusters: dict[str, list[float]] = {}
            for one, value in scored:
                clusters.setdefault(one.item.meeting, []).append(value)
            rows.append(
                (
                    f"{system}, {corpus}" if len(corpora) > 1 else system,
                    percent(stats.clustered(list(clusters.values()), fmean, seed=seed)) if scored else "–",
                    *(_mean([value for one, value in scored if one.item.type is kind]) for kind in kinds),
                    str(len(scored)),
                    str(len(meant) - len(scored)),
                )
            )
        if paper:
            rows += _reported(corpus, kinds)
    return Table(
        caption, ("System", "All", *(kind.value for kind in kinds), "Scored", "Unscored"), tuple(rows)
    )


def _reported(corpus: str, kinds: Sequence[QuestionType]) -> list[tuple[str, ...]]:
    return [
        (
            f"{system}, {corpus} ({LABEL})",
            "–",
            *(number(corpora[corpus].get(kind.value.capitalize()), 1) for kind in kinds),
            "–",
            "–",
        )
        for system, corpora in reported()["table3_accuracy_percent"].items()
        if corpus in corpora
    ]


def _mean(values: Sequence[float]) -> str:
    return number(100 * fmean(values), 1) if values else "–"


def paired_scores_table(
    records: Sequence[RunRecord], values: Values, caption: str, *, seed: int = 0
) -> Table | None:
    """Return by how much the first system scores more than each other one on the questions of both.

    None where there is nothing to compare. Arguments as for :func:`by_type_table`.
    """
    systems = by_system(records)
    names = list(systems)
    known = {place: value for place, value in values.items() if value is not None}
    tests, differences = [], []
    for other in names[1:]:
        clusters: dict[str, list[float]] = {}
        for one in systems[names[0]]:
            mine, theirs = known.get(one.place), known.get((one.item.key, other))
            if mine is not None and theirs is not None:
                clusters.setdefault(one.item.meeting, []).append(mine - theirs)
        if clusters:
            flat = [value for some in clusters.values() for value in some]
            tests.append(stats.wilcoxon(names[0], other, flat))
            differences.append(stats.clustered(list(clusters.values()), fmean, seed=seed))
    if not tests:
        return None
    rows = tuple(
        (
            f"{test.first} − {test.second}",
            percent(difference),
            chance(test.p),
            chance(test.p_holm),
            number(test.effect),
            str(test.items),
        )
        for test, difference in zip(stats.holm(tests), differences, strict=True)
    )
    head = ("Systems", "Difference", "p", "p (Holm)", "Rank-biserial r", "Questions")
    return Table(f"{caption}: difference in points; Wilcoxon's test over questions", head, rows)


# --- judges -----------------------------------------------------------------------------------------


def judge_table(judgements: Sequence[Judgement], answers: int) -> Table:
    """Return what each judge alone says of each system, and whether it would rank them the same.

    Args:
        judgements: Of one prompt.
        answers: How many were to be judged; the rest is unscored.
    """
    first = [one for one in judgements if one.order == FIRST]
    systems = list(dict.fromkeys(one.system for one in first))
    verdicts: dict[str, dict[Place, float | None]] = {
        "majority": {place: score.value for place, score in majority(first).items()}
    }
    for judge in _judges(first):
        verdicts[judge] = {
            one.place: None if one.right is None else float(one.right) for one in first if one.judge == judge
        }
    ranked = _ranking(verdicts["majority"], systems)
    rows = [
        (
            name,
            *(_mean(_known(values, system)) for system in systems),
            str(answers - sum(value is not None for value in values.values())),
            "–" if name == "majority" else "yes" if _ranking(values, systems) == ranked else "no",
        )
        for name, values in verdicts.items()
    ]
    return Table(
        "Judge swap: right answers by each judge alone, per cent",
        ("Judge", *systems, "Unscored", "Same ranking"),
        tuple(rows),
    )


def agreement_table(judgements: Sequence[Judgement], *, seed: int = 0) -> Table:
    """Return how far the judges agree beyond chance; intervals are over answers."""
    ratings = [
        Rating("\n".join(one.place), one.judge, one.right)
        for one in judgements
        if one.order == FIRST and one.right is not None
    ]
    pairs = combinations(_judges(judgements), 2)
    measures = [
        fleiss_kappa(ratings, seed=seed),
        krippendorff_alpha(ratings, seed=seed),
        *(cohen_kappa(ratings, *pair, levels=(False, True), seed=seed) for pair in pairs),
    ]
    rows = tuple((one.name, _measured(one), str(one.items), one.explanation or "–") for one in measures)
    return Table("How far the judges agree", ("Measure", "Value", "Answers", "Note"), rows)


def order_table(judgements: Sequence[Judgement], *, seed: int = 0) -> Table:
    """Return whether each judge says the same when it sees the answer before the reference."""
    rows = []
    for judge in _judges(judgements):
        said: dict[str, dict[Place, bool]] = {FIRST: {}, SWAPPED: {}}
        for one in judgements:
            if one.judge == judge and one.right is not None:
                said[one.order][one.place] = one.right
        common = [place for place in said[FIRST] if place in said[SWAPPED]]
        if not common:
            continue
        pairs = [(said[FIRST][place], said[SWAPPED][place]) for place in common]
        ratings = [
            Rating("\n".join(place), order, said[order][place])
            for place in common
            for order in (FIRST, SWAPPED)
        ]
        kappa = cohen_kappa(ratings, FIRST, SWAPPED, levels=(False, True), seed=seed)
        rows.append(
            (
                judge,
                _mean([float(before == after) for before, after in pairs]),
                str(pairs.count((True, False))),
                str(pairs.count((False, True))),
                _measured(kappa),
                str(len(pairs)),
            )
        )
    head = ("Judge", "Same, per cent", f"Right only {FIRST}", f"Right only {SWAPPED}", "Cohen's κ", "Answers")
    return Table("Order swap: the same judge with reference and answer in the other order", head, tuple(rows))


def calibration_table(found: Iterable[Calibration]) -> Table:
    """Return each judge against people."""
    rows = tuple(
        (
            one.name,
            number(None if one.agreement is None else 100 * one.agreement, 1),
            _measured(one.kappa),
            str(one.both_right),
            str(one.judge_alone),
            str(one.people_alone),
            str(one.both_wrong),
            str(one.answers),
        )
        for one in found
    )
    head = ("Judge", "Same, per cent", "Cohen's κ", "Both right", "Judge alone", "People alone", "Both wrong")
    return Table(
        f"Judges against people (right: mean correctness of at least {RIGHT_FROM:g})",
        (*head, "Answers"),
        rows,
    )


def _judges(judgements: Iterable[Judgement]) -> list[str]:
    return sorted({one.judge for one in judgements})


def _known(values: Values, system: str) -> list[float]:
    return [value for (_, name), value in values.items() if name == system and value is not None]


def _ranking(values: Values, systems: Sequence[str]) -> list[list[str]]:
    """Return the systems from best to worst, those with the same share together."""
    shares: dict[float, list[str]] = {}
    for system in systems:
        known = _known(values, system)
        shares.setdefault(fmean(known) if known else -1.0, []).append(system)
    return [shares[share] for share in sorted(shares, reverse=True)]


def _measured(one: Measure) -> str:
    return number(None) if one.value is None else interval(one.value, one.low, one.high)


# --- retrieval --------------------------------------------------------------------------------------


def recall_table(records: Sequence[RunRecord], spans: Mapping[str, Spans], *, seed: int = 0) -> Table:
    """Return how much of the evidence lies under the first utterances that each system retrieved."""
    rows = []
    for system, given in by_system(records).items():
        clusters: dict[str, list[dict[int, float]]] = {}
        for one in given:
            found = recalls(one, spans)
            if found is not None:
                clusters.setdefault(one.item.meeting, []).append(found)
        if not clusters:
            continue
        rows.append(
            (
                system,
                *(
                    percent(
                        stats.clustered(
                            [[one[k] for one in some] for some in clusters.values()], fmean, seed=seed
                        )
                    )
                    for k in KS
                ),
                str(sum(map(len, clusters.values()))),
            )
        )
    return Table(
        "Share of gold spans (widened by 2 s) under the first k retrieved utterances, per cent",
        ("System", *(f"Recall@{k}" for k in KS), "Questions"),
        tuple(rows),
    )

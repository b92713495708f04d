"""Tables of a run: citations, paired tests, answers that a program can check, steps, cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from eval import stats
from eval.report.paper import LABEL, reported
from eval.report.tables import Table, interval, number
from eval.runs import RunRecord
from eval.scorers import citations
from eval.scorers.citations import CitationCounts
from eval.stats import Interval
from grga.agent.steps import QuestionType

Records = Sequence[RunRecord]


def by_system(records: Iterable[RunRecord]) -> dict[str, list[RunRecord]]:
    """Return the answers of each system, in order of first appearance."""
    found: dict[str, list[RunRecord]] = {}
    for record in records:
        found.setdefault(record.system, []).append(record)
    return found


# --- citations --------------------------------------------------------------------------------------


def citation_table(records: Records, *, seed: int = 0) -> Table:
    """Return citation precision, recall and F1 per system, in the shape of the paper's Table 7."""
    rows = []
    for system, given in by_system(records).items():
        clusters = _clusters(given)
        if not any(clusters):
            continue
        found = citations.rates([one for cluster in clusters for one in cluster])
        measured = [
            stats.clustered(clusters, statistic, seed=seed) for statistic in (_precision, _recall, _f1)
        ]
        rows.append(
            (
                system,
                *map(percent, measured),
                *(
                    number(100 * value, 1)
                    for value in (found.micro_f1, found.time_precision, found.time_recall)
                ),
                str(found.answers),
            )
        )
    for system, corpora in reported()["table7_citation_percent_tolerance_2s"].items():
        for corpus, values in corpora.items():
            precision, recall = values["P"], values["R"]
            rows.append(
                (
                    f"{system}, {corpus} ({LABEL})",
                    number(precision, 1),
                    number(recall, 1),
                    number(100 * citations.f1(precision / 100, recall / 100), 1),
                    *["–"] * 4,
                )
            )
    return Table(
        "Citations against gold spans widened by 2 s, per cent, with 95 % intervals over meetings",
        ("System", "Precision", "Recall", "F1", "Micro F1", "Time precision", "Time recall", "Questions"),
        tuple(rows),
    )


def paired_table(records: Records, *, seed: int = 0) -> Table:
    """Return how the first system differs from each other one, question by question."""
    systems = by_system(records)
    names = list(systems)
    tests, differences = [], []
    for other in names[1:]:
        pairs = citation_pairs(systems[names[0]], systems[other])
        flat = [pair for some in pairs for pair in some]
        if not flat:
            continue
        tests.append(stats.wilcoxon(names[0], other, [mine.f1 - theirs.f1 for mine, theirs in flat]))
        differences.append(stats.clustered(pairs, _f1_difference, seed=seed))
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
    return Table(
        "Difference of citation F1 in points, with 95 % intervals over meetings; Wilcoxon's test over questions",
        ("Systems", "F1 difference", "p", "p (Holm)", "Rank-biserial r", "Questions"),
        rows,
    )


def citation_pairs(first: Records, second: Records) -> list[list[tuple[CitationCounts, CitationCounts]]]:
    """Return what was counted for both, question by question, in one list per meeting."""
    theirs = {one.item.key: citations.count(one) for one in _gold(second)}
    found: dict[str, list[tuple[CitationCounts, CitationCounts]]] = {}
    for one in _gold(first):
        if one.item.key in theirs:
            found.setdefault(one.item.meeting, []).append((citations.count(one), theirs[one.item.key]))
    return list(found.values())


def citation_f1(records: Records, *, seed: int = 0) -> Interval:
    """Return the macro F1 of citations (0..1) with its interval over meetings.

    Raises:
        ValueError: no question has gold spans.
    """
    return stats.clustered(_clusters(records), _f1, seed=seed)


def citation_f1_difference(first: Records, second: Records, *, seed: int = 0) -> Interval:
    """Return by how much the first's F1 is higher, on the questions of both.

    Raises:
        ValueError: they share no question that has gold spans.
    """
    return stats.clustered(citation_pairs(first, second), _f1_difference, seed=seed)


def _gold(records: Iterable[RunRecord]) -> list[RunRecord]:
    return [one for one in records if one.item.gold and not one.error]


def _clusters(records: Iterable[RunRecord]) -> list[list[CitationCounts]]:
    found: dict[str, list[CitationCounts]] = {}
    for one in _gold(records):
        found.setdefault(one.item.meeting, []).append(citations.count(one))
    return list(found.values())


def _precision(rows: list[CitationCounts]) -> float:
    return fmean(one.precision for one in rows)


def _recall(rows: list[CitationCounts]) -> float:
    return fmean(one.recall for one in rows)


def _f1(rows: list[CitationCounts]) -> float:
    return citations.f1(_precision(rows), _recall(rows))


def _f1_difference(rows: list[tuple[CitationCounts, CitationCounts]]) -> float:
    return _f1([mine for mine, _ in rows]) - _f1([theirs for _, theirs in rows])


def p_value(p: float | None) -> str:
    """Return a p-value with four decimals, "< 0.0001" below that."""
    return "< 0.0001" if p is not None and p < 0.0001 else number(p, 4)


def percent(found: Interval) -> str:
    """Return "47.1 [44.0, 50.2]" of shares."""
    return interval(100 * found.value, 100 * found.low, 100 * found.high, 1)


def chance(p: float | None) -> str:
    """Return a p-value with four decimals."""
    return "< 0.0001" if p is not None and p < 0.0001 else number(p, 4)


# --- steps and cost -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    name: str
    records: list[RunRecord]


def step_table(records: Records) -> Table:
    """Return mean rounds and tool calls per question type, as in the paper's Figure 6."""
    tools = sorted({tool for one in records for tool in one.tools})
    rows = [
        (
            group.name,
            number(fmean(one.rounds for one in group.records)),
            *(number(fmean(one.tools.get(tool, 0) for one in group.records)) for tool in tools),
            str(len(group.records)),
        )
        for group in _groups(records)
    ]
    return Table(
        "Mean rounds and calls of each tool", ("System, type", "Rounds", *tools, "Questions"), tuple(rows)
    )


def cost_table(records: Records) -> Table:
    """Return seconds, model calls and tokens per question."""
    rows = []
    for group in _groups(records):
        seconds = [one.seconds for one in group.records]
        prices = [one.price for one in group.records if one.price is not None]
        rows.append(
            (
                group.name,
                number(median(seconds), 3),
                number(float(np.percentile(seconds, 95)), 3),
                number(fmean(one.llm_calls for one in group.records), 1),
                number(fmean(one.prompt_tokens + one.completion_tokens for one in group.records), 0),
                number(sum(prices), 4) if prices else "–",
            )
        )
    head = ("System, type", "Median s", "95th percentile s", "Model calls", "Tokens", "Price in all")
    return Table("What an answer costs", head, tuple(rows))


def _groups(records: Records) -> list[_Group]:
    """Return the answers of each system, in all and by type: the corpus' own, or what the system took it for."""
    groups = []
    for system, given in by_system(records).items():
        answered = [one for one in given if not one.error]
        if not answered:
            continue
        groups.append(_Group(system, answered))
        kinds: dict[QuestionType, list[RunRecord]] = {}
        for one in answered:
            if kind := one.item.type or one.kind:
                kinds.setdefault(kind, []).append(one)
        groups += [_Group(f"{system}, {kind}", kinds[kind]) for kind in sorted(kinds)]
    return groups


# --- accuracy -----------------------------------------------------------------------------------------


def accuracy_table(
    records: Records, judge: Callable[[RunRecord], bool | None], caption: str, *, seed: int = 0
) -> Table:
    """Return the share of right answers by system, type and subtask.

    Args:
        records: Of a run.
        judge: Returns whether an answer is right, None where it cannot tell.
        caption: Names what judged.
        seed: Of the bootstrap.
    """
    rows = []
    for system, given in by_system(records).items():
        verdicts = [(one, judge(one)) for one in given if not one.error]
        judged = [(one, right) for one, right in verdicts if right is not None]
        names: dict[str, list[tuple[RunRecord, bool]]] = {}
        for one, right in judged:
            kind = one.item.type or "any"
            for name in (system, f"{system}, {kind}", f"{system}, {kind}, {one.item.subtask}"):
                names.setdefault(name, []).append((one, right))
        for name in sorted(names, key=lambda name: name.split(", ")):
            by_meeting: dict[str, list[bool]] = {}
            for one, right in names[name]:
                by_meeting.setdefault(one.item.meeting, []).append(right)
            share = stats.clustered(list(by_meeting.values()), fmean, seed=seed)
            rows.append((name, percent(share), str(len(names[name]))))
    return Table(caption, ("System, type, subtask", "Right, per cent", "Questions"), tuple(rows))

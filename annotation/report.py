"""Which generator survives, what an accepted item costs, and how the annotators do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from annotation import queries
from annotation.schema import QAItem, Status
from annotation.spans import agree
from annotation.verdicts import DECISIONS, Judgement, Role, VerdictKind
from annotation.workspace import Workspace
from grga.agent.steps import QuestionType

_GROUP_HEAD = [
    "generator",
    "prompt",
    "type",
    "items",
    "accepted",
    "rejected",
    "open",
    "failed",
    "acceptance",
    "human-s/accepted",
    "machine-s/accepted",
    "tokens/accepted",
    "price/accepted",
]
_ANNOTATOR_HEAD = (
    "annotator",
    "decisions",
    "median s",
    "skipped",
    "flagged",
    "undone",
    "adjudicated",
    "gold",
)


@dataclass(frozen=True)
class Group:
    """The items of one generator, prompt version and type.

    Attributes:
        items: All of them; gold items are not counted.
        open: Not settled yet.
        failed: Never shown to annotators.
        machine_seconds, tokens: What generating all of them took.
        price: What the model's server asked for them; None where no price is known.
        human_seconds: What judging all of them took, adjudication and verdicts taken back included.
    """

    generator: str
    prompt: str
    type: QuestionType
    items: int
    accepted: int
    rejected: int
    open: int
    failed: int
    machine_seconds: float
    tokens: int
    price: float | None
    human_seconds: float

    @property
    def acceptance(self) -> float | None:
        """Accepted among the settled and failed ones, 0..1; None when there are none."""
        ended = self.accepted + self.rejected + self.failed
        return self.accepted / ended if ended else None

    def per_accepted(self, value: float | None) -> float | None:
        """Return ``value`` per accepted item; None without any."""
        return value / self.accepted if value is not None and self.accepted else None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able record, with the figures per accepted item."""
        return asdict(self) | {
            "acceptance": self.acceptance,
            "human_seconds_per_accepted": self.per_accepted(self.human_seconds),
            "machine_seconds_per_accepted": self.per_accepted(self.machine_seconds),
            "tokens_per_accepted": self.per_accepted(self.tokens),
            "price_per_accepted": self.per_accepted(self.price),
        }


@dataclass(frozen=True)
class Annotator:
    """One person's work.

    Attributes:
        decisions: Accept, edit or reject, that stand.
        median_seconds: Per decision; None without any.
        gold_right, gold_seen: Gold items judged rightly (the decision, and for an accepted one the
            evidence too), of those judged.
    """

    name: str
    decisions: int
    skipped: int
    flagged: int
    undone: int
    adjudicated: int
    median_seconds: float | None
    gold_right: int
    gold_seen: int

    @property
    def gold_accuracy(self) -> float | None:
        """0..1; None before the first gold item."""
        return self.gold_right / self.gold_seen if self.gold_seen else None


@dataclass(frozen=True)
class Report:
    """Everything in one record; ``groups`` in order of generator, prompt and type."""

    groups: tuple[Group, ...]
    annotators: tuple[Annotator, ...]

    def made_by(self, generator: str, prompt: str | None) -> Group | None:
        """Return the items of one generator and prompt, of every type together; None without any."""
        mine = [one for one in self.groups if (one.generator, one.prompt) == (generator, prompt or "")]
        return _together(mine) if mine else None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {
            "groups": [one.to_dict() for one in self.groups],
            "annotators": [asdict(one) | {"gold_accuracy": one.gold_accuracy} for one in self.annotators],
        }

    def text(self) -> str:
        """Return two tables for a terminal."""
        groups = [_GROUP_HEAD, *(_cells(one) for one in self.groups)]
        people = [_ANNOTATOR_HEAD, *(_annotator_cells(one) for one in self.annotators)]
        return f"{_table(groups, left=3)}\n\n{_table(people, left=1)}"


def report(
    workspace: Workspace, *, meetings: Collection[str] | None = None, batch: str | None = None
) -> Report:
    """Return the report on the items that fit the filters."""
    with workspace.reading() as session:
        items = queries.items(session, meetings=meetings, batch=batch)
        given = queries.judgements(session, items={one.key for one in items}, undone=True)
    spent: dict[str, float] = defaultdict(float)
    for one in given:
        spent[one.item] += one.seconds
    kinds: dict[tuple[str, str, QuestionType], list[QAItem]] = defaultdict(list)
    for item in items:
        if not item.gold:
            kinds[item.generator.name, item.generator.prompt or "", item.type].append(item)
    order = list(QuestionType)
    groups = sorted(kinds, key=lambda kind: (kind[0], kind[1], order.index(kind[2])))
    gold = {item.key: item.status is Status.ACCEPTED for item in items if item.gold}
    people = sorted({one.annotator for one in given})
    return Report(
        tuple(_group(*kind, kinds[kind], sum(spent[item.key] for item in kinds[kind])) for kind in groups),
        tuple(_annotator(name, [one for one in given if one.annotator == name], gold) for name in people),
    )


def _group(generator: str, prompt: str, kind: QuestionType, items: Sequence[QAItem], human: float) -> Group:
    count = [item.status for item in items].count
    accepted, rejected, failed = count(Status.ACCEPTED), count(Status.REJECTED), count(Status.FAILED)
    return Group(
        generator=generator,
        prompt=prompt,
        type=kind,
        items=len(items),
        accepted=accepted,
        rejected=rejected,
        open=len(items) - accepted - rejected - failed,
        failed=failed,
        machine_seconds=sum(item.generator.seconds for item in items),
        tokens=sum(item.generator.tokens for item in items),
        price=_sum(item.generator.price for item in items),
        human_seconds=human,
    )


def _together(groups: Sequence[Group]) -> Group:
    names = ("items", "accepted", "rejected", "open", "failed", "machine_seconds", "tokens", "human_seconds")
    sums = {name: sum(getattr(one, name) for one in groups) for name in names}
    first = groups[0]
    return Group(first.generator, first.prompt, first.type, price=_sum(one.price for one in groups), **sums)


def _annotator(name: str, given: Sequence[Judgement], gold: dict[str, bool]) -> Annotator:
    standing = [one for one in given if not one.undone and one.role is Role.ANNOTATOR]
    decided = [one for one in standing if one.kind in DECISIONS]
    measured = [one for one in decided if one.item in gold]
    return Annotator(
        name=name,
        decisions=len(decided),
        skipped=sum(one.kind is VerdictKind.SKIP for one in standing),
        flagged=sum(one.kind is VerdictKind.FLAG for one in standing),
        undone=sum(one.undone for one in given),
        adjudicated=sum(one.decides and one.role is Role.ADJUDICATOR for one in given),
        median_seconds=median(one.seconds for one in decided) if decided else None,
        gold_right=sum(_right(one, gold[one.item]) for one in measured),
        gold_seen=len(measured),
    )


def _right(given: Judgement, accept: bool) -> bool:
    if given.kind is VerdictKind.REJECT:
        return not accept
    return accept and given.iou is not None and agree(given.iou)


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _cells(one: Group) -> tuple[str, ...]:
    counts = (one.items, one.accepted, one.rejected, one.open, one.failed)
    costs = (one.human_seconds, one.machine_seconds, one.tokens, one.price)
    share = "–" if one.acceptance is None else f"{one.acceptance:.0%}"
    each = (_number(one.per_accepted(value)) for value in costs)
    return (one.generator, one.prompt or "–", one.type.value, *map(str, counts), share, *each)


def _annotator_cells(one: Annotator) -> tuple[str, ...]:
    counts = (one.skipped, one.flagged, one.undone, one.adjudicated)
    return (one.name, str(one.decisions), _number(one.median_seconds), *map(str, counts), _gold(one))


def _gold(one: Annotator) -> str:
    return (
        "–" if one.gold_accuracy is None else f"{one.gold_right} of {one.gold_seen} ({one.gold_accuracy:.0%})"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _table(rows: Sequence[Sequence[str]], left: int) -> str:
    """Columns as wide as needed; the first ``left`` are text, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )

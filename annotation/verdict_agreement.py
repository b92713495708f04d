"""How far the annotators of a set of items agree: on the verdict, and on where the evidence is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from annotation import queries
from annotation.agreement import Measure, Rating, cohen_kappa, fleiss_kappa, krippendorff_alpha, mean
from annotation.consensus import spans
from annotation.spans import temporal_iou
from annotation.verdicts import Judgement, Role, VerdictKind
from annotation.workspace import Workspace


@dataclass(frozen=True)
class VerdictAgreement:
    """Agreement of annotators, blind to each other; adjudicators and gold items are not part of it.

    Attributes:
        items: Items with at least one decision (accept, edit or reject).
        annotators: Who decided, in order of name.
        pairs: Cohen's kappa of every two annotators.
        fleiss, alpha: Over all annotators; alpha is nominal.
        iou_proposed: Of the marked with the proposed evidence, mean over items, rejections left out.
        iou_between: Of two annotators' evidence, mean over items.
    """

    items: int
    annotators: tuple[str, ...]
    pairs: tuple[Measure, ...]
    fleiss: Measure
    alpha: Measure
    iou_proposed: Measure
    iou_between: Measure

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All of them, in the order in which they are shown."""
        return (*self.pairs, self.fleiss, self.alpha, self.iou_proposed, self.iou_between)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {
            "items": self.items,
            "annotators": list(self.annotators),
            "measures": [asdict(one) for one in self.measures],
        }

    def text(self) -> str:
        """Return a table for a terminal."""
        people = ", ".join(self.annotators) or "nobody"
        lines = [f"{self.items} items, judged by {people}"]
        width = max(len(one.name) for one in self.measures)
        lines += [f"  {one.name:<{width}}  {describe(one)}" for one in self.measures]
        return "\n".join(lines)


def describe(measure: Measure) -> str:
    """Return a measure's value, interval and explanation as one phrase."""
    if measure.value is None:
        return f"not defined: {measure.explanation}"
    interval = "" if measure.low is None else f" [{measure.low:.3f}, {measure.high:.3f}]"
    note = f" ({measure.explanation})" if measure.explanation else ""
    return f"{measure.value:.3f}{interval} over {measure.items} items{note}"


def verdict_agreement(
    workspace: Workspace,
    *,
    meetings: Collection[str] | None = None,
    batch: str | None = None,
    seed: int = 0,
) -> VerdictAgreement:
    """Return the agreement of annotators on the items that fit the filters."""
    with workspace.reading() as session:
        items = {
            one.key: one for one in queries.items(session, meetings=meetings, batch=batch) if not one.gold
        }
        given = queries.judgements(session, role=Role.ANNOTATOR, items=items.keys())
        proposed = {key: queries.proposed(session, key) for key in {one.item for one in given}}
    decided = [one for one in given if one.decides]
    ratings = [Rating(one.item, one.annotator, one.kind.value) for one in decided]
    people = tuple(sorted({one.annotator for one in decided}))
    by_item: dict[str, list[Judgement]] = defaultdict(list)
    for one in decided:
        if one.kind is not VerdictKind.REJECT:
            by_item[one.item].append(one)
    to_proposed, between = [], []
    for key, several in by_item.items():
        marked = [spans(proposed[key], one) for one in several]
        ious = [temporal_iou(own, proposed[key].spans) for own in marked]
        to_proposed.append(sum(ious) / len(ious))
        pairs = [temporal_iou(own, theirs) for own, theirs in combinations(marked, 2)]
        if pairs:
            between.append(sum(pairs) / len(pairs))
    return VerdictAgreement(
        items=len({one.item for one in decided}),
        annotators=people,
        pairs=tuple(cohen_kappa(ratings, a, b, seed=seed) for a, b in combinations(people, 2)),
        fleiss=fleiss_kappa(ratings, seed=seed),
        alpha=krippendorff_alpha(ratings, seed=seed),
        iou_proposed=mean(
            "mean IoU with the proposal", to_proposed, "nobody has accepted an item yet", seed=seed
        ),
        iou_between=mean(
            "mean IoU of two annotators", between, "no item has been accepted by two people", seed=seed
        ),
    )

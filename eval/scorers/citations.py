"""Do the citations lie where the evidence is? (Paper, Table 7.)

The matching rule: a citation is right when it overlaps a gold span widened by 2 s on both sides.
Precision = right citations / all citations, and 0 when nothing is cited; recall = gold spans touched by
some citation / all gold spans; F1 from the two. Since gold spans can be minutes long, the same is
also weighed by time: seconds of overlap over seconds cited, and over seconds of gold.

Counts are kept and added; rates are derived last. Macro averages give every question the same
weight, micro averages every citation and every gold span.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval.runs import RunRecord
from grga.types import TimeSpan

TOLERANCE = 2.0


@dataclass(frozen=True)
class CitationCounts:
    """What was counted for one answer; seconds are of the union of the spans."""

    right: int
    cited: int
    touched: int
    gold: int
    shared_seconds: float
    cited_seconds: float
    gold_seconds: float

    @property
    def precision(self) -> float:
        """Share of right citations; 0 when nothing is cited."""
        return self.right / self.cited if self.cited else 0.0

    @property
    def recall(self) -> float:
        """Share of gold spans that a citation touches."""
        return self.touched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        return f1(self.precision, self.recall)

    @property
    def time_precision(self) -> float:
        """Share of the cited time that is gold."""
        return self.shared_seconds / self.cited_seconds if self.cited_seconds else 0.0

    @property
    def time_recall(self) -> float:
        """Share of the gold time that is cited."""
        return self.shared_seconds / self.gold_seconds if self.gold_seconds else 0.0


def count(record: RunRecord, tolerance: float = TOLERANCE) -> CitationCounts:
    """Count one answer's citations against its item's gold spans.

    Raises:
        ValueError: the item has no gold spans.
    """
    gold = [span.span for span in record.item.gold]
    if not gold:
        raise ValueError(f"item {record.item.key} has no gold spans")
    return count_spans([TimeSpan(one.start, one.end) for one in record.cited], gold, tolerance)


def count_spans(
    cited: Sequence[TimeSpan], gold: Sequence[TimeSpan], tolerance: float = TOLERANCE
) -> CitationCounts:
    """Count cited spans against gold spans by the matching rule."""
    wide = [span.widened(tolerance) for span in gold]
    united_cited, united_gold = union(cited), union(gold)
    return CitationCounts(
        right=sum(any(span.touches(other) for other in wide) for span in cited),
        cited=len(cited),
        touched=sum(any(span.touches(other) for other in cited) for span in wide),
        gold=len(gold),
        shared_seconds=sum(one.overlap(other) for one in united_cited for other in united_gold),
        cited_seconds=sum(span.duration for span in united_cited),
        gold_seconds=sum(span.duration for span in united_gold),
    )


def union(spans: Iterable[TimeSpan]) -> list[TimeSpan]:
    """Return disjoint spans that cover the same time, in order."""
    merged: list[TimeSpan] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = TimeSpan(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


@dataclass(frozen=True)
class CitationRates:
    """Rates over many answers."""

    precision: float
    recall: float
    micro_precision: float
    micro_recall: float
    time_precision: float
    time_recall: float
    answers: int

    @property
    def f1(self) -> float:
        """From macro precision and recall."""
        return f1(self.precision, self.recall)

    @property
    def micro_f1(self) -> float:
        """From micro precision and recall."""
        return f1(self.micro_precision, self.micro_recall)


def rates(counts: Sequence[CitationCounts]) -> CitationRates:
    """Return the rates over several answers.

    Raises:
        ValueError: there are none.
    """
    if not counts:
        raise ValueError("no answers to rate")
    size = len(counts)
    cited, gold = sum(one.cited for one in counts), sum(one.gold for one in counts)
    return CitationRates(
        precision=sum(one.precision for one in counts) / size,
        recall=sum(one.recall for one in counts) / size,
        micro_precision=sum(one.right for one in counts) / cited if cited else 0.0,
        micro_recall=sum(one.touched for one in counts) / gold if gold else 0.0,
        time_precision=sum(one.time_precision for one in counts) / size,
        time_recall=sum(one.time_recall for one in counts) / size,
        answers=size,
    )


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean, 0 when both are."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def recall_at(record: RunRecord, starts_and_ends: Sequence[tuple[float, float]], k: int) -> float:
    """Return the share of gold spans that the first ``k`` retrieved utterances touch.

    Args:
        record: With what was retrieved, in order.
        starts_and_ends: Of every utterance of its meeting, by id.
        k: How many.
    """
    seen = [TimeSpan(*starts_and_ends[id]) for id in record.retrieved[:k]]
    gold = [span.span.widened(TOLERANCE) for span in record.item.gold]
    return sum(any(span.touches(other) for other in seen) for span in gold) / len(gold)

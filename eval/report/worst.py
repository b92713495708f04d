"""The answers whose citations are furthest off, side by side with what other systems said: to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval.report.ablations import MARK
from eval.report.bench import by_system
from eval.report.figures import shown_name
from eval.runs import RunRecord
from eval.scorers import citations
from grga.scopes import clock
from grga.types import TimeSpan

WORST = 20
"""How many answers are shown."""


@dataclass(frozen=True)
class Bar:
    """A span on a strip as wide as the meeting; per cent of it."""

    left: float
    width: float
    title: str


@dataclass(frozen=True)
class Said:
    """One system's answer to a question: sentences with the clock times that each rests on."""

    system: str
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    cited: tuple[Bar, ...]
    precision: float
    recall: float


@dataclass(frozen=True)
class Shown:
    """A question with its gold and what each system said."""

    item: str
    meeting: str
    question: str
    reference: str
    gold: tuple[Bar, ...]
    gold_times: str
    answers: tuple[Said, ...]


def worst(records: Sequence[RunRecord], count: int = WORST) -> list[Shown]:
    """Return the questions whose citations the first system got most wrong, with what all systems said.

    Only whole systems are shown, not ablations.
    """
    systems = by_system([one for one in records if one.item.gold and not one.system.startswith(MARK)])
    if not systems:
        return []
    first, *others = systems
    theirs = {name: {one.item.key: one for one in systems[name]} for name in others}
    ordered = sorted(systems[first], key=lambda one: (citations.count(one).f1, one.item.key))
    shown = []
    for one in ordered[:count]:
        answers = [one, *(found[one.item.key] for found in theirs.values() if one.item.key in found)]
        spans = [span.span for span in one.item.gold]
        length = max([span.end for span in spans] + [c.end for answer in answers for c in answer.cited])
        shown.append(
            Shown(
                item=one.item.key,
                meeting=one.item.meeting,
                question=one.item.question,
                reference=one.item.reference or "",
                gold=tuple(_bar(span, length) for span in spans),
                gold_times=", ".join(_times(span) for span in spans),
                answers=tuple(_said(answer, length) for answer in answers),
            )
        )
    return shown


def _said(record: RunRecord, length: float) -> Said:
    spans = {one.utterance: TimeSpan(one.start, one.end) for one in record.cited}
    counted = citations.count(record)
    return Said(
        system=shown_name(record.system),
        sentences=tuple(
            (text, tuple(_times(spans[id]) for id in ids if id in spans)) for text, ids in record.sentences
        ),
        cited=tuple(_bar(span, length) for span in spans.values()),
        precision=100 * counted.precision,
        recall=100 * counted.recall,
    )


def _bar(span: TimeSpan, length: float) -> Bar:
    scale = 100 / max(length, 1.0)
    return Bar(round(scale * span.start, 2), round(max(scale * span.duration, 0.4), 2), _times(span))


def _times(span: TimeSpan) -> str:
    return f"{clock(span.start)}–{clock(span.end)}"

"""Was the evidence found, whatever was then made of it? Recall of the first k retrieved utterances.

recall@k = share of the gold spans, widened by 2 s, that one of the first ``k`` retrieved utterances touches.
Retrieved counts in the order in which utterances were first found, by whatever tool and in whatever round.
Gold spans can be minutes long and are then easily touched: read it beside the citations' precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eval.runs import RunRecord
from eval.scorers.citations import recall_at
from grga.types import Meeting

KS = (1, 5, 10, 20)
Spans = Sequence[tuple[float, float]]
"""Start and end of every utterance of a meeting, by id."""


def utterance_spans(meetings: Mapping[str, Meeting]) -> dict[str, Spans]:
    """Return the spans of each meeting's utterances."""
    return {id: [(one.start, one.end) for one in meeting.utterances] for id, meeting in meetings.items()}


def recalls(record: RunRecord, spans: Mapping[str, Spans]) -> dict[int, float] | None:
    """Return recall at each of ``KS``; None where the evidence or the meeting is not known."""
    known = spans.get(record.item.meeting)
    if record.error or not record.item.gold or known is None:
        return None
    return {k: recall_at(record, known, k) for k in KS}

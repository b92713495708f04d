"""What the Verify and Adjudicate pages get: an item as JSON, and never more than they may know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.consensus import corrected, dispute, spans
from annotation.schema import Content, Evidence, QAItem
from annotation.spans import temporal_iou
from annotation.verdicts import Judgement
from annotation.workflow import Progress, Task
from grga.types import Meeting
from grga.ui.services import MeetingPage


def task_model(task: Task, page: MeetingPage | None, share: float | None = None) -> dict[str, Any]:
    """Return an item for an annotator: nothing about other people, and nothing about its being gold.

    Args:
        task: From :func:`annotation.workflow.next_task`.
        page: The item's meeting, None when it is not here.
        share: Of the settled items of the same generator, how many were accepted; None without any.
    """
    return {**item_model(task.item, page, share), "expires": task.expires.isoformat()}


def dispute_model(
    task: Task, proposed: Content, overlap: int, page: MeetingPage | None, share: float | None = None
) -> dict[str, Any]:
    """Return a dispute: the item as proposed and each annotator's version of it under a letter, not a name."""
    # By their random ids, so that the letters tell nothing about who was first.
    given = sorted(task.verdicts, key=lambda one: one.id)
    letters = [one.model_copy(update={"annotator": chr(ord("A") + place)}) for place, one in enumerate(given)]
    asked = task.item.model_copy(update=dict(proposed)) if proposed != task.item.content else task.item
    return {
        **item_model(asked, page, share),
        "expires": task.expires.isoformat(),
        "dispute": dispute(proposed, letters, overlap),
        "versions": [_version(proposed, one) for one in letters],
        "between": _between(proposed, [one for one in letters if one.iou is not None]),
    }


def item_model(item: QAItem, page: MeetingPage | None, share: float | None = None) -> dict[str, Any]:
    """Return what both pages show of an item."""
    made = item.generator
    return {
        "key": item.key,
        "type": item.type,
        "subtask": item.subtask,
        "question": item.question,
        "answer": item.answer,
        "answerable": item.answerable,
        "evidence": [_evidence(one) for one in item.evidence],
        "reasoning": item.reasoning,
        "hops": item.hops,
        "made": {"name": made.name, "prompt": made.prompt or "", "accepted": share},
        "batch": item.batch,
        "meeting": _meeting(item.meeting, page),
    }


def progress_model(found: Progress) -> dict[str, int]:
    """Return an annotator's own share, and what waits for an adjudicator."""
    return {
        "yours": found.yours,
        "left": found.left,
        "adjudication": found.adjudication,
        "total": found.total,
    }


def _meeting(id: str, page: MeetingPage | None) -> dict[str, Any]:
    if page is None:
        return {"id": id, "title": id, "here": False, "audio": None, "duration": 0.0}
    meeting: Meeting = page.meeting
    return {
        "id": id,
        "title": meeting.title,
        "here": True,
        "audio": page.audio,
        "duration": round(meeting.duration, 2),
    }


def _evidence(one: Evidence) -> dict[str, Any]:
    return {
        "utt_id": one.utt_id,
        "start": one.start,
        "end": one.end,
        "speaker": one.speaker,
        "text": one.text,
    }


def _version(proposed: Content, given: Judgement) -> dict[str, Any]:
    wanted = corrected(proposed, given)
    return {
        "letter": given.annotator,
        "kind": given.kind,
        "reason": given.reason,
        "note": given.note,
        "question": wanted.question,
        "answer": wanted.answer,
        "type": wanted.type,
        "subtask": wanted.subtask,
        "evidence": [_evidence(one) for one in wanted.evidence],
        "iou": given.iou,
    }


def _between(proposed: Content, given: Sequence[Judgement]) -> float | None:
    """Return the IoU of the first two that marked evidence; None with fewer."""
    if len(given) < 2:
        return None
    return temporal_iou(spans(proposed, given[0]), spans(proposed, given[1]))

"""The list of items as JSON. What people said of an item stays out of sight until it is settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import Session

from annotation import queries
from annotation.schema import HistoryEntry, QAItem, Status
from annotation.workspace import Workspace
from grga.agent.steps import QuestionType

PAGE = 50
SETTLED = (Status.ACCEPTED, Status.REJECTED, Status.FAILED)
OPEN_ACTIONS = ("added", "replaced")
"""What the history of an open item may show."""


class Filter(BaseModel):
    """Which items; an unset field does not limit them. ``words`` are looked for in question and answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    status: Status | None = None
    type: QuestionType | None = None
    meeting: str | None = Field(None, max_length=200)
    batch: str | None = Field(None, max_length=200)
    words: str = Field("", max_length=200)
    gold: Literal["", "1"] = ""
    first: int = Field(0, ge=0, le=10**7)

    def apply(self, session: Session) -> list[QAItem]:
        """Return the items, in the order in which they were added. Gold ones are among them for export."""
        found = queries.items(
            session,
            meetings=None if self.meeting is None else [self.meeting],
            batch=self.batch,
            statuses=None if self.status is None else [self.status],
            types=None if self.type is None else [self.type],
        )
        wanted = self.words.casefold().split()
        return [
            one
            for one in found
            if all(word in f"{one.question} {one.answer}".casefold() for word in wanted)
            and (one.gold or not self.gold)
        ]


def items_model(workspace: Workspace, wanted: Filter, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return one page of the list.

    Gold items, which tell the right decision, are in it only when they are asked for.
    """
    with workspace.reading() as session:
        found = [one for one in wanted.apply(session) if wanted.gold or not one.gold]
    page = found[wanted.first : wanted.first + PAGE]
    return {"total": len(found), "first": wanted.first, "items": [_row(one, titles) for one in page]}


def item_model(
    item: QAItem, checks: Sequence[Mapping[str, Any]] | None, titles: Mapping[str, str]
) -> dict[str, Any]:
    """Return one item in full; of an open one only who brought it in."""
    settled = item.status in SETTLED
    history = [one for one in item.history if settled or one.action in OPEN_ACTIONS]
    return {
        **_row(item, titles),
        "evidence": [
            {"start": one.start, "end": one.end, "speaker": one.speaker, "text": one.text}
            for one in item.evidence
        ],
        "reasoning": item.reasoning,
        "hops": item.hops,
        "prompt": item.generator.prompt or "",
        "seconds": item.generator.seconds,
        "tokens": item.generator.tokens,
        "price": item.generator.price,
        "verifier": item.verifier if settled else None,
        "gold": item.gold,
        "checks": list(checks or ()),
        "history": [_told(one) for one in history],
        "held_back": not settled and len(history) < len(item.history),
    }


def _row(item: QAItem, titles: Mapping[str, str]) -> dict[str, Any]:
    return {
        "key": item.key,
        "meeting": item.meeting,
        "title": titles.get(item.meeting, item.meeting),
        "type": item.type,
        "subtask": item.subtask,
        "question": item.question,
        "answer": item.answer,
        "status": item.status,
        "batch": item.batch,
        "generator": item.generator.name,
    }


def _told(entry: HistoryEntry) -> dict[str, Any]:
    plain = entry.model_dump(mode="json")
    return {
        "at": plain["at"],
        "by": entry.by,
        "action": entry.action,
        "note": entry.note,
        "changes": plain["changes"],
    }

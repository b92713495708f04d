"""What happens to items, as records: a line each in the journal, from which the tables can be made again."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from annotation.schema import QAItem
from annotation.verdicts import Judgement


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    at: datetime
    by: str


class ItemsAdded(_Event):
    """Items came in; ``update`` says that those with a known key replace what is there."""

    kind: Literal["items"] = "items"
    items: tuple[QAItem, ...]
    overlap: int = Field(ge=1)
    update: bool = False


class Judged(_Event):
    """Somebody gave a verdict."""

    kind: Literal["verdict"] = "verdict"
    judgement: Judgement


class Undone(_Event):
    """Somebody took back the verdict with the id ``judgement``."""

    kind: Literal["undo"] = "undo"
    judgement: str


class GoldSet(_Event):
    """An item began to measure annotators, with the right decision; None: it no longer does."""

    kind: Literal["gold"] = "gold"
    item: str
    accept: bool | None


Event = Annotated[ItemsAdded | Judged | Undone | GoldSet, Field(discriminator="kind")]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)

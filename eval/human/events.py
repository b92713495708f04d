"""Everything that happens in a study, as records: written down when it happens, replayed after a loss."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from eval.human.study import Study


class Head(TypedDict):
    """What every event begins with."""

    id: str
    at: datetime
    by: str
    study: str


class _Event(BaseModel):
    """``by`` is a rater's id for what raters do, else the name of whoever runs the study."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    at: datetime
    by: str = ""
    study: str


class StudyMade(_Event):
    """A study was made; it is not open yet."""

    kind: Literal["made"] = "made"
    content: Study


class StudyOpened(_Event):
    """A person has read the ``findings`` of the leak scan, and raters may come."""

    kind: Literal["opened"] = "opened"
    findings: tuple[str, ...] = ()


class StudyClosed(_Event):
    """No score is taken any more."""

    kind: Literal["closed"] = "closed"


class Unblinded(_Event):
    """Somebody looked at which answers are whose. It cannot be undone."""

    kind: Literal["unblinded"] = "unblinded"


class Invited(_Event):
    """A rater got a place. ``salt`` decides ids and order; ``name`` is known to the study's owner alone."""

    kind: Literal["invited"] = "invited"
    rater: str
    name: str
    salt: str
    expires: datetime


class Revoked(_Event):
    """A rater's link no longer works; the scores stay."""

    kind: Literal["revoked"] = "revoked"
    rater: str


class Consented(_Event):
    """A rater agreed to take part and was given a row of the latin square."""

    kind: Literal["consented"] = "consented"
    rater: str
    row: int = Field(ge=0)


class Shown(_Event):
    """A task was shown to its rater for the first time."""

    kind: Literal["shown"] = "shown"
    rater: str
    task: str


class Listened(_Event):
    """A rater heard ``seconds`` of a clip; ``number`` counts a task's clips from 1."""

    kind: Literal["listened"] = "listened"
    rater: str
    task: str
    number: int = Field(ge=1)
    seconds: float = Field(ge=0)


class Rated(_Event):
    """A score was given, or changed: the last one counts, all stay."""

    kind: Literal["rated"] = "rated"
    rater: str
    task: str
    criterion: str
    score: int = Field(ge=1, le=5)


class Refused(_Event):
    """Something that was not allowed: a forged link, another rater's task, a score of 9."""

    kind: Literal["refused"] = "refused"
    what: str
    reason: str


Event = Annotated[
    StudyMade
    | StudyOpened
    | StudyClosed
    | Unblinded
    | Invited
    | Revoked
    | Consented
    | Shown
    | Listened
    | Rated
    | Refused,
    Field(discriminator="kind"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)

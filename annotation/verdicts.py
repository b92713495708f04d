"""What a person says about an item: as it is posted, and as it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from annotation.schema import Evidence
from grga.agent.steps import QuestionType
from grga.errors import AnnotationError


class VerdictKind(StrEnum):
    """What a person decides. Skipping and flagging settle nothing."""

    ACCEPT = "accept"
    EDIT = "edit"
    REJECT = "reject"
    SKIP = "skip"
    FLAG = "flag"


DECISIONS = (VerdictKind.ACCEPT, VerdictKind.EDIT, VerdictKind.REJECT)
"""The verdicts that count towards an item's overlap and towards agreement."""


class Reason(StrEnum):
    """Why an item is rejected."""

    HALLUCINATED = "hallucinated"
    AMBIGUOUS = "ambiguous"
    TRIVIAL = "trivial"
    WRONG_TYPE = "wrong type"
    STEREOTYPE = "stereotype"
    OTHER = "other"


class Role(StrEnum):
    """As what somebody judges: one of several, blind to the others, or the one who settles a dispute."""

    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Mark(_Record):
    """The part of an utterance that a person marked as evidence, in seconds of the meeting."""

    utt_id: int = Field(ge=0)
    start: float = Field(ge=0, allow_inf_nan=False)
    end: float = Field(ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _in_order(self) -> Mark:
        if self.end < self.start:
            raise ValueError(f"the span ends ({self.end} s) before it starts ({self.start} s)")
        return self


class Verdict(_Record):
    """A verdict as a page or a script posts it.

    Attributes:
        reason: Needed to reject, not allowed otherwise.
        question, answer, type, subtask: The corrected values of an edit; None leaves the proposed one.
        marks: All the evidence as the person sees it; None leaves the proposed evidence.
        seconds: Time spent on the item.
    """

    kind: VerdictKind
    reason: Reason | None = None
    note: str = Field("", max_length=2000)
    question: str | None = Field(None, min_length=1, max_length=2000)
    answer: str | None = Field(None, min_length=1, max_length=8000)
    type: QuestionType | None = None
    subtask: str | None = None
    marks: tuple[Mark, ...] | None = None
    seconds: float = Field(0.0, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _consistent(self) -> Verdict:
        if (self.kind is VerdictKind.REJECT) != (self.reason is not None):
            raise ValueError(f"a reason ({', '.join(Reason)}) belongs to a rejection, and only to one")
        return self


class Judgement(_Record):
    """A verdict as it is kept: whose it is, resolved against the meeting, never changed but for ``undone``.

    Attributes:
        id: Unique.
        number: In the order in which they were given.
        item: The item's key.
        marked: The evidence as this person sees it; None means as proposed.
        iou: Of the marked with the proposed evidence; None where the evidence was not judged.
    """

    id: str
    number: int = 0
    item: str
    annotator: str
    role: Role
    at: datetime
    kind: VerdictKind
    reason: Reason | None = None
    note: str = ""
    question: str | None = None
    answer: str | None = None
    type: QuestionType | None = None
    subtask: str | None = None
    marked: tuple[Evidence, ...] | None = None
    iou: float | None = None
    seconds: float = 0.0
    undone: bool = False

    @property
    def decides(self) -> bool:
        """Whether it is a decision about the item that still stands."""
        return self.kind in DECISIONS and not self.undone


def read_verdict(values: Mapping[str, Any]) -> Verdict:
    """Return what was posted as a verdict.

    Raises:
        AnnotationError: a value is missing, unknown or out of range.
    """
    try:
        return Verdict.model_validate(values)
    except ValidationError as error:
        raise AnnotationError(
            f"the verdict cannot be taken: {problem(error)}", fix="reload the page"
        ) from None


def problem(error: ValidationError) -> str:
    """Return the first thing that is wrong as a clause: the field, then what is the matter with it."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what

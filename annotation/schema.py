"""One question with its answer and evidence: the record that generation, people and evaluation share.

The field names are those of the LongAudioQA records (paper, section 3.1 and appendix A).
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from grga.agent.steps import QuestionType
from grga.types import Meeting, TimeSpan

SUBTASKS: dict[QuestionType, tuple[str, ...]] = {
    QuestionType.FACTUAL: ("entity retrieval", "attribute association", "keyword locating"),
    QuestionType.INFERENTIAL: ("causal inference", "coreference resolution", "stance analysis"),
    QuestionType.TEMPORAL: (
        "absolute localisation",
        "relative sequencing",
        "frequency statistics",
        "duration",
    ),
    QuestionType.SUMMARIZATION: ("topic summarisation", "speaker profiling"),
    QuestionType.ACOUSTIC: ("emotion & intensity", "cross-modal localisation & cause"),
}
"""What each question type may ask for."""


class Status(StrEnum):
    """Where an item stands."""

    PROPOSED = "proposed"
    FAILED = "failed"
    IN_REVIEW = "in_review"
    ADJUDICATION = "adjudication"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Evidence(_Record):
    """An utterance that supports the answer; ``start`` and ``end`` in seconds.

    People may set the two to the part that matters; they need not be the utterance's own bounds.
    """

    utt_id: int = Field(ge=0)
    start: float = Field(ge=0, allow_inf_nan=False)
    end: float = Field(ge=0, allow_inf_nan=False)
    speaker: str
    text: str

    @model_validator(mode="after")
    def _in_order(self) -> Evidence:
        if self.end < self.start:
            raise ValueError(f"the evidence ends ({self.end} s) before it starts ({self.start} s)")
        return self

    @property
    def span(self) -> TimeSpan:
        """The stretch of time that is marked."""
        return TimeSpan(self.start, self.end)

    @classmethod
    def of(cls, meeting: Meeting, utterance_id: int) -> Evidence:
        """Return utterance ``utterance_id`` of ``meeting`` as evidence.

        Raises:
            IndexError: the meeting has no such utterance.
        """
        spoken = meeting.utterances[utterance_id]
        return cls(
            utt_id=spoken.id,
            start=round(spoken.start, 3),
            end=round(spoken.end, 3),
            speaker=meeting.name_of(spoken),
            text=spoken.text,
        )


class Generator(_Record):
    """Who proposed an item: ``name`` is "offline", "human", "ask", "import" or a model's name.

    ``prompt`` names the prompt and its version; ``seconds`` and ``tokens`` are what this one item took.
    """

    name: str
    prompt: str | None = None
    seed: int | None = None
    seconds: float = Field(0.0, ge=0)
    tokens: int = Field(0, ge=0)
    price: float | None = None


class AnswerKey(_Record):
    """What a right answer must hold, so that a program can tell: every part that is set.

    Attributes:
        count: A number of times, turns or people.
        seconds: A length of time; right within ``tolerance``.
        moment: A time of the meeting in seconds; right within ``tolerance``.
        tolerance: Seconds.
        percent: A share of the talk, right within 1.
        speakers: Ids of the people to be named, and of nobody else.
        utterances: Ids of which at least one must be cited.
        words: What the answer must say, in any case and inflection.
        yes: Whether the answer is yes or no.
    """

    count: int | None = Field(None, ge=0)
    seconds: float | None = Field(None, ge=0, allow_inf_nan=False)
    moment: float | None = Field(None, ge=0, allow_inf_nan=False)
    tolerance: float = Field(1.0, ge=0, allow_inf_nan=False)
    percent: float | None = Field(None, ge=0, le=100)
    speakers: tuple[str, ...] = ()
    utterances: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    yes: bool | None = None


class Content(_Record):
    """The part of an item that people may correct."""

    question: str
    answer: str
    type: QuestionType
    subtask: str
    evidence: tuple[Evidence, ...]

    @property
    def spans(self) -> tuple[TimeSpan, ...]:
        """The stretches of time marked as evidence."""
        return tuple(one.span for one in self.evidence)


class HistoryEntry(_Record):
    """One change: who did what when; ``changes`` maps a field to its values before and after."""

    at: datetime
    by: str
    action: str
    changes: dict[str, tuple[Any, Any]] = Field(default_factory=dict)
    note: str = ""


class QAItem(_Record):
    """A question about one meeting with its answer and the utterances that prove it.

    Attributes:
        key: Unique over all meetings, never changed.
        meeting: Id of the meeting.
        evidence: In time order; empty only for a question whose answer is "not in this meeting".
        answer_key: The answer for a program to compare; None where only a reader can.
        hops: Least number of graph edges that connects all the evidence (0 for a single utterance).
        answerable: False when the right answer is that the meeting does not say.
        verifier: Who settled it; None before that.
        batch: Name of the batch it was generated in.
        gold: Whether its right verdict is known and annotators are measured by it.
    """

    key: str = Field(min_length=1, max_length=120, pattern=r"^[\w.:-]+$")
    meeting: str
    type: QuestionType
    subtask: str
    question: str = Field(min_length=1, max_length=2000)
    answer: str = Field(min_length=1, max_length=8000)
    evidence: tuple[Evidence, ...] = ()
    answer_key: AnswerKey | None = None
    reasoning: str = Field("", max_length=8000)
    hops: int = Field(0, ge=0)
    answerable: bool = True
    language: str | None = Field(None, min_length=1)
    generator: Generator
    status: Status = Status.PROPOSED
    verifier: str | None = Field(None, min_length=1)
    batch: str = ""
    gold: bool = False
    history: tuple[HistoryEntry, ...] = ()

    @property
    def content(self) -> Content:
        """What people may correct."""
        return Content(
            question=self.question,
            answer=self.answer,
            type=self.type,
            subtask=self.subtask,
            evidence=self.evidence,
        )

    @property
    def evidence_nodes(self) -> tuple[int, ...]:
        """Ids of the utterances that support the answer."""
        return tuple(one.utt_id for one in self.evidence)

    @field_validator("evidence")
    @classmethod
    def _sorted(cls, evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
        return tuple(sorted(evidence, key=lambda one: (one.start, one.end, one.utt_id)))

    @model_validator(mode="after")
    def _consistent(self) -> QAItem:
        if self.subtask not in SUBTASKS[self.type]:
            known = ", ".join(SUBTASKS[self.type])
            raise ValueError(f"{self.type} questions have no subtask {self.subtask!r} (known: {known})")
        if self.answerable and not self.evidence:
            raise ValueError("an answerable question needs evidence")
        return self

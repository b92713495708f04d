"""A question with its right answer and where the evidence lies: what every corpus is read into."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from annotation.schema import AnswerKey, QAItem
from grga.agent.steps import QuestionType
from grga.types import TimeSpan


class Span(BaseModel):
    """A stretch of a recording, in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: float = Field(ge=0, allow_inf_nan=False)
    end: float = Field(ge=0, allow_inf_nan=False)

    @property
    def span(self) -> TimeSpan:
        """The same as a value of the core."""
        return TimeSpan(self.start, self.end)


class EvalItem(BaseModel):
    """One question to be asked of every system.

    Attributes:
        key: Unique within its corpus.
        corpus: Name for tables.
        meeting: Id of the meeting in the store that is asked.
        type, subtask: Where the corpus says so.
        reference: The right answer in words.
        gold: Where the evidence lies; empty when that is not known or nothing answers the question.
        answerable: False when the right answer is that the meeting does not say.
        answer_key: For a program to compare with, where the item was generated.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    corpus: str
    meeting: str
    type: QuestionType | None = None
    subtask: str = ""
    question: str = Field(min_length=1)
    reference: str | None = None
    gold: tuple[Span, ...] = ()
    answerable: bool = True
    answer_key: AnswerKey | None = None

    @classmethod
    def of(cls, item: QAItem, corpus: str, meeting: str | None = None) -> EvalItem:
        """Return a LongAudioQA record as an item; ``meeting`` is its id in another store."""
        return cls(
            key=item.key,
            corpus=corpus,
            meeting=meeting or item.meeting,
            type=item.type,
            subtask=item.subtask,
            question=item.question,
            reference=item.answer,
            gold=tuple(Span(start=one.start, end=one.end) for one in item.evidence),
            answerable=item.answerable,
            answer_key=item.answer_key,
        )

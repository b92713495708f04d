"""What a maker of questions returns: a question with its answer, before it becomes an item."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.schema import AnswerKey
from grga.agent.steps import QuestionType


@dataclass(frozen=True, slots=True)
class Draft:
    """A question, its answer, the ids of the utterances that prove it, and how it was worked out."""

    type: QuestionType
    subtask: str
    question: str
    answer: str
    evidence: tuple[int, ...]
    key: AnswerKey | None
    reasoning: str

"""What the model replies, as types. Every list and text has a limit: small models otherwise never stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from grga.agent.steps import Form, QuestionType
from grga.llm.structured import at_most

if TYPE_CHECKING:
    from grga.agent.tools import Tool
    from grga.types import Meeting

Phrase = Annotated[str, at_most(60), StringConstraints(max_length=60)]
Text = Annotated[str, StringConstraints(max_length=400)]
MOST_CALLS = 6

Sound = Literal["loud", "quiet", "excited", "pitch", "fast", "pause", "overlap", "laugh"]


class _Reply(BaseModel):
    """Unknown fields are ignored: they do no harm, and asking again costs."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TimeReply(_Reply):
    """A time named in the question; ``start`` and ``end`` in seconds, null for an event."""

    text: Phrase
    relation: Literal["within", "around", "after", "before"]
    start: float | None
    end: float | None
    anchor: Phrase


class DecompositionReply(_Reply):
    """The question as constraints."""

    entities: Annotated[list[Phrase], at_most(6), Field(max_length=6)]
    concepts: Annotated[list[Phrase], at_most(4), Field(max_length=4)]
    times: Annotated[list[TimeReply], at_most(3), Field(max_length=3)]
    speakers: Annotated[list[Phrase], at_most(8), Field(max_length=8)]
    question_type: QuestionType
    subtask: Phrase
    form: Form
    acoustic: Annotated[list[Sound], at_most(4), Field(max_length=4)]
    language: Annotated[str, StringConstraints(max_length=8)]


class CallReply(_Reply):
    """A call as the model wrote it: whether it fits the tool is found out when it is carried out."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    result: str = ""


class PlanReply(_Reply):
    """The next calls and what they are for; no calls gives up."""

    goal: str
    calls: list[CallReply]


class AnswerReply(_Reply):
    """The answer; each sentence ends in ``[utt N]`` marks."""

    found: bool
    sentences: Annotated[list[Text], at_most(10), Field(max_length=10)]


class ReflectionReply(_Reply):
    """The judgement; the critique comes first, so that the score follows from it."""

    critique: Text
    score: Annotated[int, Field(ge=1, le=5)]
    missing: Annotated[list[Phrase], at_most(4), Field(max_length=4)]
    weak: Annotated[list[int], at_most(8), Field(max_length=8)]


def decomposition_schema(meeting: Meeting) -> dict[str, Any]:
    """Return the schema of a decomposition that knows only the speakers of this meeting."""
    schema = DecompositionReply.model_json_schema()
    ids = [speaker.id for speaker in meeting.speakers]
    item = {"type": "string", "enum": ids} if ids else {"type": "string", "maxLength": 1}
    schema["properties"]["speakers"] = {"type": "array", "maxItems": 8 if ids else 0, "items": item}
    return schema


def plan_schema(tools: Mapping[str, Tool]) -> dict[str, Any]:
    """Return the schema of a plan that knows only these tools and their arguments."""
    definitions: dict[str, Any] = {}
    calls = []
    for name, tool in tools.items():
        arguments = tool.arguments.model_json_schema()
        definitions |= arguments.pop("$defs", {})
        result = {"type": "string", "maxLength": 12}
        calls.append(_record(tool={"type": "string", "enum": [name]}, arguments=arguments, result=result))
    listed = {"type": "array", "maxItems": MOST_CALLS if calls else 0, "items": {"anyOf": calls or [{}]}}
    return {**_record(goal={"type": "string", "maxLength": 300}, calls=listed), "$defs": definitions}


def _record(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

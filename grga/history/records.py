"""One question with its answers, as plain records; :func:`write_parts` and :func:`read_parts` are JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from grga.agent.steps import AgentTrace, Step, from_dict, to_dict
from grga.scopes import Limits
from grga.types import Answer, Meeting

KEPT_LINES = 5
"""So many utterances of each speaker are remembered, by which a merged speaker is found again."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one meeting answered.

    Attributes:
        meeting_id: The meeting.
        answer: As it stood.
        steps: What led to it, without the answer itself.
        names: Speaker id to the name at that time.
        title: The meeting's title at that time.
        lines: Speaker id to a few utterance ids that were theirs at that time.
    """

    meeting_id: str
    answer: Answer
    steps: tuple[Step, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, meeting: Meeting, trace: AgentTrace) -> Part:
        """Return what is worth keeping of an answer that ``meeting`` just gave."""
        lines: dict[str, list[int]] = defaultdict(list)
        for utterance in sorted(meeting.utterances, key=lambda one: -one.span.duration):
            if len(lines[utterance.speaker]) < KEPT_LINES:
                lines[utterance.speaker].append(utterance.id)
        return cls(
            meeting_id=meeting.id,
            answer=trace.answer,
            steps=trace.steps,
            names={speaker.id: speaker.name for speaker in meeting.speakers},
            title=meeting.title,
            lines={speaker: tuple(ids) for speaker, ids in lines.items()},
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what each meeting answered.

    ``token`` opens it for everybody who has it; ``visitor`` is who asked and alone may rate or forget it.
    ``created`` is in UTC, ``rating`` 1, -1 or None.
    """

    token: str
    visitor: str
    created: datetime
    question: str
    system: str
    policy: str
    without: tuple[str, ...]
    scope: Limits
    parts: tuple[Part, ...]
    rating: int | None = None
    reasons: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class AskedLine:
    """A line in the list of what a visitor asked. ``meetings`` maps ids to the titles at that time."""

    token: str
    question: str
    created: datetime
    system: str
    meetings: Mapping[str, str]
    verified: bool
    found: bool
    rating: int | None = None


def write_parts(parts: Sequence[Part]) -> str:
    """Return the parts as JSON."""
    return json.dumps([_written(part) for part in parts], ensure_ascii=False)


def read_parts(text: str) -> tuple[Part, ...]:
    """Return what :func:`write_parts` wrote, equal in every field.

    Raises:
        ValueError, KeyError, TypeError: the text was changed by something else.
    """
    return tuple(_read(values) for values in json.loads(text))


def _written(part: Part) -> dict[str, Any]:
    return {
        "meeting": part.meeting_id,
        "title": part.title,
        "answer": to_dict(part.answer),
        "steps": [to_dict(step) for step in part.steps],
        "names": dict(part.names),
        "lines": {speaker: list(ids) for speaker, ids in part.lines.items()},
    }


def _read(values: Mapping[str, Any]) -> Part:
    answer = from_dict(values["answer"])
    if not isinstance(answer, Answer):
        raise TypeError("a part needs an answer")
    return Part(
        meeting_id=values["meeting"],
        answer=answer,
        steps=tuple(from_dict(step) for step in values["steps"]),
        names=dict(values["names"]),
        title=values["title"],
        lines={speaker: tuple(ids) for speaker, ids in values["lines"].items()},
    )

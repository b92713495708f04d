"""f_dec(Q) → C: entities, concepts, time and metadata, by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grga.agent.policies.offline.classify import (
    ACOUSTIC_TERMS,
    Operation,
    acoustic_conditions,
    form_of,
    language_of,
    operation_of,
    type_of,
)
from grga.agent.policies.offline.feelings import bare_of_feelings, moods_measured, operation_on_feelings
from grga.agent.policies.offline.focus import Focus, focus_of
from grga.agent.policies.offline.people import find_speakers, without_speakers
from grga.agent.policies.offline.quotes import hide
from grga.agent.policies.offline.times import find_times, without_times
from grga.agent.steps import Decomposition, Metadata, TimeConstraint
from grga.types import Meeting


@dataclass(frozen=True, slots=True)
class Reading:
    """The question as the offline policy understands it: its constraints, and what to compute."""

    constraints: Decomposition
    operation: Operation
    focus: Focus

    @property
    def window(self) -> TimeConstraint | None:
        """The first time in seconds that the question names, if any."""
        return next((time for time in self.constraints.time if time.span is not None), None)

    @property
    def event(self) -> TimeConstraint | None:
        """The first event that the question is placed before or after, if any."""
        return next((time for time in self.constraints.time if time.span is None), None)


def read(question: str, meeting: Meeting) -> Reading:
    """Return the reading of ``question`` in this meeting; the same question reads the same."""
    language = language_of(question)
    hidden = hide(question)
    times = find_times(hidden.text, meeting.duration)
    rest = without_times(hidden.text, times)
    speakers = find_speakers(rest, meeting)
    form = form_of(rest)
    acoustic = acoustic_conditions(rest)
    operation = operation_of(
        rest,
        form,
        acoustic,
        speakers=bool(speakers),
        window=any(time.span for time in times),
        event=any(time.span is None for time in times),
    )
    operation = operation_on_feelings(rest, form, acoustic, operation, speakers, meeting)
    bare = without_speakers(rest, speakers, meeting)
    if operation in (Operation.SOUND_CAUSE, Operation.SOUND_EXTREME, Operation.SOUND_CHECK):
        for name in acoustic:
            bare = re.sub(ACOUSTIC_TERMS[name], " ", bare, flags=re.IGNORECASE)
    if operation in (Operation.MOODS, Operation.SOUNDS) or (
        operation is Operation.SOUND_CAUSE and moods_measured(meeting)
    ):
        bare = bare_of_feelings(bare)
    focus = focus_of(hidden.shown(bare))
    times = tuple(
        replace(time, text=hidden.shown(time.text), anchor=hidden.shown(time.anchor)) for time in times
    )
    kind, subtask = type_of(rest, operation, form)
    concepts = tuple(part for part in (focus.topic, focus.setting) if part)
    constraints = Decomposition(
        entities=tuple(dict.fromkeys((*focus.quoted, *focus.names))),
        concepts=concepts,
        time=times,
        metadata=Metadata(kind, subtask, form, speakers, acoustic, language),
    )
    return Reading(constraints, operation, focus)

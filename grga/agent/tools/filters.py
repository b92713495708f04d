"""Filtering: by time and by speaker."""

from __future__ import annotations

from pydantic import Field, model_validator

from grga.agent.steps import Found
from grga.agent.tools.base import Arguments, Context, Nodes, Result
from grga.errors import QuestionError
from grga.types import Meeting, TimeSpan


class TimeRangeArguments(Arguments):
    """Seconds from the start of the recording; ``nodes`` limits the filter to an earlier result."""

    t_start: float = Field(ge=0, description="seconds")
    t_end: float = Field(ge=0, description="seconds")
    nodes: Nodes = Field("all", description='an earlier result ("r1"), utterance ids, or "all"')

    @model_validator(mode="after")
    def _in_order(self) -> TimeRangeArguments:
        if self.t_end < self.t_start:
            raise ValueError(f"t_end ({self.t_end:g}) is before t_start ({self.t_start:g})")
        return self


class SpeakerArguments(Arguments):
    """``spk_id`` is a speaker's id, name or role."""

    nodes: Nodes = Field("all", description='an earlier result ("r1"), utterance ids, or "all"')
    spk_id: str = Field(min_length=1, description="speaker id, name or role")


class FilterTimeRange:
    """Utterances that touch a window of time."""

    name = "filter_time_range"
    description = "Keep utterances spoken between t_start and t_end seconds."
    arguments = TimeRangeArguments
    needs: frozenset[str] = frozenset()

    def run(self, arguments: TimeRangeArguments, context: Context) -> Result:
        """Return the utterances in the window, in the order of ``nodes``."""
        window = TimeSpan(arguments.t_start, arguments.t_end)
        kept = (
            one for one in context.resolve(arguments.nodes) if window.touches(context.utterances[one.id].span)
        )
        why = f"{window.start:g}-{window.end:g} s"
        return Result(tuple(Found(one.id, one.score, why) for one in kept))


class FilterSpeaker:
    """Utterances of one speaker."""

    name = "filter_speaker"
    description = "Keep utterances of one speaker, given by id, name or role."
    arguments = SpeakerArguments
    needs: frozenset[str] = frozenset()

    def run(self, arguments: SpeakerArguments, context: Context) -> Result:
        """Return that speaker's utterances, in the order of ``nodes``."""
        ids = speaker_ids(arguments.spk_id, context.meeting.meeting)
        kept = (one for one in context.resolve(arguments.nodes) if context.utterances[one.id].speaker in ids)
        return Result(tuple(Found(one.id, one.score, f"spoken by {arguments.spk_id}") for one in kept))


def speaker_ids(wanted: str, meeting: Meeting) -> frozenset[str]:
    """Return the ids of the speakers with this id, name or role (several may share a role).

    Raises:
        QuestionError: nobody is called so; the sentence lists who takes part.
    """
    key = wanted.strip().casefold()
    for known in ("id", "name", "role"):
        ids = {one.id for one in meeting.speakers if (getattr(one, known) or "").casefold() == key}
        if ids:
            return frozenset(ids)
    people = ", ".join(one.name for one in meeting.speakers) or "nobody"
    raise QuestionError(f"no speaker is called {wanted!r}", fix=f"choose one of {people}")

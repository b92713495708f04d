"""Read the limits of a question as a person writes them: speakers and a stretch of time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grga.errors import QuestionError
from grga.types import Meeting, Scope, TimeSpan

_TIME = re.compile(r"(?:(\d+):)?(\d{1,3}):(\d{2}(?:\.\d+)?)|(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a question before it is known which meeting answers it: names instead of ids.

    ``speakers`` are ids, names or roles as a person wrote them (none: everybody); ``span`` is None for
    all of the recording.
    """

    speakers: tuple[str, ...] = ()
    span: TimeSpan | None = None

    def scope(self, meeting: Meeting) -> Scope:
        """Return what these limits mean in ``meeting``.

        Raises:
            QuestionError: one of the names is nobody's there.
        """
        ids = frozenset(find_speaker(name, meeting) for name in self.speakers)
        return Scope(ids or None, self.span)


def parse_limits(parts: list[str]) -> Limits:
    """Return the limits that ``speaker=NAME`` and ``time=START-END`` parts describe.

    Args:
        parts: For example ``["speaker=Rosa", "time=10:00-12:30"]``; speakers add up, and a part
            may hold several, separated by commas or semicolons.

    Raises:
        QuestionError: an unknown key, or a time that cannot be read.
    """
    speakers: list[str] = []
    span: TimeSpan | None = None
    for part in (piece.strip() for text in parts for piece in re.split(r"[;,]", text)):
        key, _, value = part.partition("=")
        match key.strip().lower():
            case "":
                continue
            case "speaker":
                speakers.append(value.strip())
            case "time":
                span = parse_span(value)
            case _:
                raise QuestionError(
                    f"the scope {part!r} cannot be read", fix="write speaker=NAME or time=START-END"
                )
    return Limits(tuple(speakers), span)


def parse_scope(parts: list[str], meeting: Meeting) -> Scope:
    """Return :func:`parse_limits` of ``parts`` as they are meant in ``meeting``.

    Raises:
        QuestionError: an unknown key, an unknown speaker, or a time that cannot be read.
    """
    return parse_limits(parts).scope(meeting)


def find_speaker(name: str, meeting: Meeting) -> str:
    """Return the id of the speaker whose id, name or role is ``name``, in any case.

    Raises:
        QuestionError: nobody is called that; the sentence lists who is there.
    """
    wanted = name.casefold()
    for speaker in meeting.speakers:
        if wanted in (speaker.id.casefold(), speaker.name.casefold(), (speaker.role or "").casefold()):
            return speaker.id
    raise QuestionError(
        f"nobody in this meeting is called {name!r}",
        found=", ".join(speaker.name for speaker in meeting.speakers),
        fix="use one of these names",
    )


def parse_span(text: str) -> TimeSpan:
    """Return the span of ``12:30-14:00``, ``90-120`` or ``1:02:03-1:05:00``, in seconds.

    Raises:
        QuestionError: not two times, or the end before the start.
    """
    start, dash, end = text.partition("-")
    if not dash:
        raise QuestionError(f"the time {text!r} has no end", fix="write START-END, for example 10:00-12:30")
    try:
        return TimeSpan(parse_time(start), parse_time(end))
    except ValueError:
        raise QuestionError(f"the time {text!r} ends before it starts", fix="swap the two") from None


def parse_time(text: str) -> float:
    """Return ``h:mm:ss``, ``mm:ss`` or plain seconds as seconds.

    Raises:
        QuestionError: not a time.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise QuestionError(f"{text.strip()!r} is not a time", fix="write mm:ss, h:mm:ss or seconds")
    hours, minutes, seconds, plain = match.groups()
    if plain is not None:
        return float(plain)
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)


def clock(seconds: float) -> str:
    """Return seconds as ``m:ss`` or ``h:mm:ss``, rounded down, as players show it."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"

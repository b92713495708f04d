"""Clock times as transcripts write them."""

from __future__ import annotations

import re

TIME = r"\d+(?::\d+)*(?:[.,]\d*)?"
_CLOCK = re.compile(r"(?P<parts>\d+(?::\d+){0,2})(?:[.,](?P<fraction>\d*))?$")


class ClockError(ValueError):
    """A time that cannot be understood; the message says why."""


def parse_clock(text: str) -> float:
    """Return the seconds of ``h:mm:ss.mmm``, ``mm:ss.mmm`` or ``ss.mmm`` (also with a comma).

    Minutes over 59 are taken as they are: ``61:00.000`` is one hour and one minute.

    Raises:
        ClockError: anything else, above all four parts, which could mean days or frames.
    """
    text = text.strip()
    match = _CLOCK.match(text)
    if match is None:
        if text.count(":") > 2:
            raise ClockError(f"the time {text!r} has {text.count(':') + 1} parts, expected h:mm:ss")
        raise ClockError(f"{text!r} is not a time")
    seconds = 0.0
    for part in match["parts"].split(":"):
        seconds = seconds * 60 + int(part)
    fraction = match["fraction"]
    return round(seconds + float(f"0.{fraction}"), 6) if fraction else seconds

"""SubRip subtitles: the speaker stands in front of the text, as in ``Ann Lee: hello``."""

from __future__ import annotations

import re

from grga.exports.lines import clocks, name_of, speaker_line, words_of
from grga.types import Meeting

# SRT has no escapes of its own. What a player would take for formatting, and what a reader would
# resolve, is written as the entity that readers know; everything else stays as it is.
_FORMATTING = re.compile(r"<(?=/?(?:i|b|u|s|font)[\s/>])", re.IGNORECASE)
_ENTITY = re.compile(r"&(?=(?:lt|gt|amp|nbsp);)")


def export(meeting: Meeting) -> str:
    """Return one numbered cue for each utterance."""
    cues = []
    for number, utterance in enumerate(meeting.utterances, start=1):
        start, end = clocks(utterance, ",")
        line = speaker_line(name_of(meeting, utterance), words_of(utterance))
        cues.append(f"{number}\n{start} --> {end}\n{_escaped(line)}\n")
    return "\n".join(cues)


def _escaped(text: str) -> str:
    return _FORMATTING.sub("&lt;", _ENTITY.sub("&amp;", text))

"""WebVTT subtitles with the speaker as a voice tag: ``<v Ann Lee>hello</v>``."""

from __future__ import annotations

from html import escape

from grga.exports.lines import clocks, name_of, words_of
from grga.types import Meeting


def export(meeting: Meeting) -> str:
    """Return one numbered cue for each utterance; markup in names and texts is escaped."""
    cues = ["WEBVTT\n"]
    for number, utterance in enumerate(meeting.utterances, start=1):
        start, end = clocks(utterance)
        name = escape(name_of(meeting, utterance), quote=False)
        text = escape(words_of(utterance), quote=False)
        cues.append(f"{number}\n{start} --> {end}\n<v {name}>{text}</v>\n")
    return "\n".join(cues)

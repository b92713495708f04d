"""Markdown: a heading, who took part, then the words with speakers and times."""

from __future__ import annotations

import re
from html import escape

from grga.exports.lines import clock, clocks, name_of, one_line, words_of
from grga.types import Meeting, Speaker

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~+$!-])")


def export(meeting: Meeting) -> str:
    """Return the meeting as CommonMark; names and texts can neither format nor run anything."""
    head = [f"# {plain(meeting.title)}", f"Length {clock(meeting.duration)}", "## Speakers"]
    people = "\n".join(_speaker(speaker) for speaker in meeting.speakers)
    body = []
    for utterance in meeting.utterances:
        start, end = clocks(utterance)
        name = plain(name_of(meeting, utterance))
        body.append(f"**{name}** ({start} – {end}) {plain(words_of(utterance))}")
    return "\n\n".join([*head, people, "## Transcript", *body]) + "\n"


def plain(text: str) -> str:
    """Return ``text`` on one line, so that no Markdown and no HTML in it means anything."""
    return _SPECIAL.sub(r"\\\1", escape(one_line(text), quote=False))


def _speaker(speaker: Speaker) -> str:
    role = f", {plain(speaker.role)}" if speaker.role and speaker.role != speaker.name else ""
    return f"- {plain(speaker.name or speaker.id)}{role}: {clock(speaker.talk_seconds)} of talk"

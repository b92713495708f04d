"""SubRip (SRT). Speakers stand in front of the text, if anywhere."""

from __future__ import annotations

import re

from grga.speech.transcripts.cues import is_timing, read_cues
from grga.speech.transcripts.labels import labelled
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source

FORMATTING = r"</?(?:i|b|u|s|font)(?:\s[^<>]*)?/?>"
_TAGS = re.compile(rf"{FORMATTING}|^\{{\\[^{{}}]*\}}", re.IGNORECASE)
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&nbsp;": " "}
_ENTITY = re.compile("|".join(_ENTITIES))


def plain_text(text: str) -> str:
    """Return the words of a cue: formatting tags removed, the entities that converters leave resolved."""
    return _ENTITY.sub(lambda match: _ENTITIES[match[0]], _TAGS.sub("", text))


def _matches(source: Source) -> bool:
    return not source.text.startswith("WEBVTT") and any(is_timing(line) for line in source.lines)


def _read(source: Source, notes: Notes) -> Parsed:
    cues = read_cues(source, notes, web=False)
    turns = [Turn(None, cue.start, cue.end, plain_text(cue.text), line=cue.line) for cue in cues]
    return Parsed(labelled(turns))


FORMAT = Format("SubRip subtitles", (".srt",), _matches, _read)

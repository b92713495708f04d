"""WebVTT. Speakers are voice tags (``<v Ann Lee>``) or stand in front of the text."""

from __future__ import annotations

import re
from html import unescape

from grga.speech.transcripts.cues import Cue, read_cues
from grga.speech.transcripts.labels import labelled
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source

_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?(?:\s+(?P<name>[^<>]*))?>")
_TAGS = re.compile(r"</?(?:v|c|i|b|u|ruby|rt|lang)(?:[.\s][^<>]*)?>|<[\d:.]+>")
_LANGUAGE = re.compile(r"Language:\s*([A-Za-z]{2})\b")


def _matches(source: Source) -> bool:
    return source.text.startswith("WEBVTT")


def _read(source: Source, notes: Notes) -> Parsed:
    turns = [turn for cue in read_cues(source, notes, web=True) for turn in _voices(cue)]
    if all(turn.label is None for turn in turns):
        turns = labelled(turns)
    header = source.text.split("\n\n", 1)[0]
    language = _LANGUAGE.search(header)
    return Parsed(turns, language=language[1].lower() if language else None)


def _voices(cue: Cue) -> list[Turn]:
    """Return one turn for each voice in the cue; all have the cue's times, for no others are known."""
    text = cue.text
    marks = list(_VOICE.finditer(text))
    pieces = [(None, text[: marks[0].start() if marks else None])]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    voices = (
        [(mark["name"], text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
        if marks
        else []
    )
    turns = [
        Turn(
            unescape(name) if name else None,
            cue.start,
            cue.end,
            unescape(_TAGS.sub("", words)),
            line=cue.line,
        )
        for name, words in [*pieces, *voices]
    ]
    return [turn for turn in turns if turn.text.strip()] or turns[:1]


FORMAT = Format("WebVTT subtitles", (".vtt",), _matches, _read)

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
    marks = list(_VOICE.finditer(cue.text))
    names = [None, *(mark["name"] for mark in marks)]
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(cue.text)]
    turns = []
    for name, start, end in zip(names, starts, ends, strict=True):
        words = unescape(_TAGS.sub("", cue.text[start:end]))
        turns.append(Turn(unescape(name) if name else None, cue.start, cue.end, words, line=cue.line))
    return [turn for turn in turns if turn.text.strip()] or turns[-1:]


FORMAT = Format("WebVTT subtitles", (".vtt",), _matches, _read)

"""How exports write times, names and texts on one line."""

from __future__ import annotations

import re

from grga.speech.emotion.words import bracketed
from grga.types import Meeting, Utterance

# A name that readers recognise in front of a colon: up to four words, none beginning in lower case.
_PLAIN_NAME = re.compile(r"[^\W\d_][\w.'-]*(?: [^\W_][\w.'-]*){0,3}")
_BRACKETS = str.maketrans("[]", "()")


def clock(seconds: float, decimal: str = ".") -> str:
    """Return ``hh:mm:ss.mmm`` (two-digit hours at least) with the given decimal sign."""
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}{decimal}{rest % 1000:03d}"


def clocks(utterance: Utterance, decimal: str = ".") -> tuple[str, str]:
    """Return start and end, at least one millisecond apart: no cue may have the length zero."""
    end = max(utterance.end, round(utterance.start, 3) + 0.001)
    return clock(utterance.start, decimal), clock(end, decimal)


def one_line(text: str) -> str:
    """Return ``text`` without characters that no file may hold and with single spaces for all white space."""
    spaced = "".join(char if char.isprintable() or not _is_control(char) else " " for char in text)
    return " ".join(spaced.split())


def _is_control(char: str) -> bool:
    code = ord(char)
    half = 0xD800 <= code <= 0xDFFF  # of a pair: cannot be written as UTF-8
    return code < 32 or 0x7F <= code < 0xA0 or half or code & 0xFFFE == 0xFFFE


def name_of(meeting: Meeting, utterance: Utterance) -> str:
    """Return the speaker's name on one line; a nameless speaker is shown by id."""
    return one_line(meeting.name_of(utterance)) or utterance.speaker


def words_of(utterance: Utterance) -> str:
    """Return what was said on one line, behind the sounds heard with it: ``[laughter] hello``."""
    return one_line(f"{bracketed(utterance)} {utterance.text}")


def speaker_line(name: str, text: str) -> str:
    """Return ``Name: text``, or ``[name]: text`` where a reader could not tell name from text.

    Square brackets inside a name become round ones, since nothing else could end the name.
    """
    plain = len(name) <= 40 and _PLAIN_NAME.fullmatch(name) and not _has_lower_word(name)
    return f"{name}: {text}" if plain else f"[{name.translate(_BRACKETS)}]: {text}"


def _has_lower_word(name: str) -> bool:
    return any(word[0].islower() for word in name.split())

"""Speakers written in front of the text: "Ann Lee: hello", "[SPEAKER_00]: hello", ">> ANN: hello"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from grga.speech.transcripts.model import Turn

# Brackets need a colon, or a label such as SPEAKER_00: "[laughter] yes" has no speaker.
_BRACKETED = re.compile(
    r"\[(?P<label>[^\[\]]{1,200})\](?:\s*:|(?<=\d\])(?=\s))(?:\s+|$)(?P<text>.*)", re.DOTALL
)
_PLAIN = re.compile(r"(?:>>\s*)?(?P<label>[^\W_][^:,;?!<>\[\]{}\"]{0,39}):(?:\s+|$)(?P<text>.*)", re.DOTALL)
_NUMBERED = re.compile(r"[a-z]+[ _-]?\d+")  # speaker_0, spk 1
_MOST_WORDS = 4


def split_label(text: str) -> tuple[str | None, str]:
    """Return the speaker in front of the text and the rest, or None and the text as it was."""
    match = _BRACKETED.match(text)
    if match is None:
        match = _PLAIN.match(text)
        if match is None or not _like_a_name(match["label"]):
            return None, text
    return " ".join(match["label"].split()), match["text"]


def labelled(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns with their labels split off, if the file as a whole is written that way.

    One line that begins with "Note:" among many without a label is no speaker: a label counts when
    half of all turns have one or when it comes back.
    """
    split = [split_label(turn.text) for turn in turns]
    times = Counter(label for label, _ in split if label is not None)
    everywhere = times.total() * 2 >= len(turns)
    return [
        replace(turn, label=label, text=rest)
        if label is not None and (everywhere or times[label] > 1)
        else turn
        for turn, (label, rest) in zip(turns, split, strict=True)
    ]


def _like_a_name(label: str) -> bool:
    """Return whether each word begins like a name: no lower case letter, and not a clock time."""
    words = label.split()
    if label == "unknown" or _NUMBERED.fullmatch(label):
        return True
    if label.isdigit() or not 0 < len(words) <= _MOST_WORDS:
        return False
    return all(not word.lstrip("(\"'")[:1].islower() for word in words)

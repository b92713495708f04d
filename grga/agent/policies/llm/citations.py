"""From the model's sentences to ours: marks select utterances, and nothing in them is taken on trust.

A mark for something the model was not shown is removed and counted. A sentence goes, and is counted, if it
quotes what nobody said, names a clock time that is not one of its utterances', or has no mark left.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from grga.scopes import clock
from grga.types import Meeting, Sentence, Utterance

_MARK = re.compile(r"[\[【(]\s*utt(?:erance)?s?\b\.?\s*([^\]】)]*)[\]】)]", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d+)(?:\s*[-–]\s*(?:utt\.?\s*)?(\d+))?")
_TIME_MARK = re.compile(r"[\[【(]\s*time\s+(\d+)\s*[\]】)]", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,3}(?::\d{2}){1,2})(?![\d:])")
_QUOTE = re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」|『([^』]+)』|«([^»]+)»")
_LONGEST_RANGE = 20
_SHORTEST_QUOTE = 2
"""Words (or Han characters) from which on something in quotation marks counts as a quotation."""


@dataclass(frozen=True)
class ReadSentences:
    """What is left of the model's sentences.

    Attributes:
        sentences: Those that hold, without marks, each with the ids it rests on.
        dropped: Citations removed: marks outside of what was shown, invented quotes and times.
        removed: Sentences removed as a whole.
        notes: The same, for people.
    """

    sentences: tuple[Sentence, ...]
    dropped: int
    removed: int
    notes: tuple[str, ...]


def read_sentences(
    texts: Iterable[str], shown: Collection[int], meeting: Meeting, question: str
) -> ReadSentences:
    """Return the sentences that hold, given the ids of the utterances that the model was shown."""
    kept: list[Sentence] = []
    outside = invented_quotes = invented_times = bare = 0
    for text in texts:
        timed, times, unknown = _fill_times(text, shown, meeting)
        ids, bad = _marks(timed, shown)
        outside += bad + unknown
        cited = tuple(dict.fromkeys((*ids, *times)))
        words = _without_marks(timed)
        said = [meeting.utterances[id] for id in cited]
        if not words:
            continue
        if not cited:
            bare += 1
        elif not _quotes_hold(words, said, question):
            invented_quotes += 1
        elif not _times_hold(words, said, question):
            invented_times += 1
        else:
            kept.append(Sentence(words, cited))
    counts = (
        (outside, "reference", "to utterances that were not found"),
        (invented_quotes, "sentence", "with a quotation that nobody said"),
        (invented_times, "sentence", "with a time of its own"),
        (bare, "sentence", "without a citation"),
    )
    notes = tuple(f"removed {n} {noun}{'s' * (n > 1)} {why}" for n, noun, why in counts if n)
    dropped = outside + invented_quotes + invented_times
    return ReadSentences(tuple(kept), dropped, invented_quotes + invented_times + bare, notes)


def _marks(text: str, shown: Collection[int]) -> tuple[list[int], int]:
    """Return the shown ids that marks in ``text`` select, and how many others they name."""
    ids: list[int] = []
    bad = 0
    for mark in _MARK.finditer(text):
        for first, last in _NUMBERS.findall(mark[1]):
            start = int(first)
            end = min(int(last or first), start + _LONGEST_RANGE)
            for id in range(start, end + 1):
                if id in shown:
                    ids.append(id)
                else:
                    bad += 1
    return list(dict.fromkeys(ids)), bad


def _fill_times(text: str, shown: Collection[int], meeting: Meeting) -> tuple[str, list[int], int]:
    """Put our clock times in place of ``[time N]``."""
    used: list[int] = []
    unknown = 0

    def fill(mark: re.Match[str]) -> str:
        nonlocal unknown
        id = int(mark[1])
        if id not in shown:
            unknown += 1
            return ""
        used.append(id)
        return clock(meeting.utterances[id].start)

    return _TIME_MARK.sub(fill, text), used, unknown


def _without_marks(text: str) -> str:
    bare = " ".join(_MARK.sub(" ", text).split())
    bare = re.sub(r"\s+([.,;:!?。，；：！？])", r"\1", bare)
    return bare if re.search(r"\w", bare) else ""


def _quotes_hold(text: str, said: list[Utterance], question: str) -> bool:
    """Return whether everything in quotation marks was said in a cited utterance, or asked."""
    sources = [_letters(" ".join(one.text for one in said)), _letters(question)]
    for match in _QUOTE.finditer(text):
        quote = _letters(next(part for part in match.groups() if part))
        size = len(quote.split()) if quote.isascii() else len(quote.replace(" ", ""))
        if size >= _SHORTEST_QUOTE and not any(f" {quote} " in f" {source} " for source in sources):
            squeezed = quote.replace(" ", "")
            if quote.isascii() or not any(squeezed in source.replace(" ", "") for source in sources):
                return False
    return True


def _times_hold(text: str, said: list[Utterance], question: str) -> bool:
    """Return whether every clock time is a bound of a cited utterance, or was spoken or asked."""
    known = {clock(second) for one in said for second in (one.start, one.end)}
    spoken = " ".join((question, *(one.text for one in said)))
    return all(time in known or time in spoken for time in _CLOCK.findall(text))


def _letters(text: str) -> str:
    """Words only, lower case: quotation may differ in marks and capitals."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(re.findall(r"[\w']+", folded))

"""Answers made to look alike, and a scan for what still gives a system away.

A finding does not stop a study by itself: a person reads each one and clears it, or corrects the
answers. Who cleared them is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from eval.human.study import Candidate, Study, StudyItem

_MARK = re.compile(r"\s*\[(\d{1,3})\]")
# What systems write of their own accord: utterance ids, spans in seconds, clock spans.
_FOREIGN_MARK = re.compile(
    r"\s*[\[(【](?:utt(?:erance)?[ _-]?\d+(?:\s*,\s*utt(?:erance)?[ _-]?\d+)*"
    r"|\d+(?:\.\d+)?\s*s?\s*[-–]\s*\d+(?:\.\d+)?\s*s?"
    r"|(?:\d+:)?\d{1,2}:\d{2}(?:\.\d+)?(?:\s*[-–]\s*(?:\d+:)?\d{1,2}:\d{2}(?:\.\d+)?)?)[\])】]",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"^\s{0,3}(?:#{1,6}\s+|[-*•]\s+|>\s+)|\*\*|__|`+", re.MULTILINE)

_SELF = re.compile(
    r"\bas an? (?:ai|artificial|language|audio|speech)\b|\b(?:language|audio) model\b|\bmy training\b"
    r"|\bI(?: am|'m) (?:unable|not able|sorry)\b|\bknowledge graph\b|\btool calls?\b|\bretriev(?:ed|al)\b"
    r"|\b(?:provided|given) (?:context|transcript|audio|segments?)\b"
    r"|作为(?:一个|一名)?(?:人工智能|语言模型|AI)|检索到|根据提供的",
    re.IGNORECASE,
)
_FAMILIES = ("grga", "qwen", "rag", "gpt", "llama", "gemini", "claude", "mimo", "flamingo", "omni", "agent")


@dataclass(frozen=True)
class Finding:
    """Something that may tell a rater whose answer it is. ``item`` is None for the study as a whole."""

    item: str | None
    system: str
    problem: str
    excerpt: str = ""


def plain(text: str) -> str:
    """Return ``text`` without markup and without marks of a system's own kind; ``[1]`` stays."""
    without = _FOREIGN_MARK.sub("", _MARKDOWN.sub("", text))
    without = without.replace("“", '"').replace("”", '"').replace("’", "'")
    return " ".join(without.split())


def normalised(study: Study) -> Study:
    """Return the study with every answer in one style; a mark that points to no clip is removed."""
    items = tuple(
        item.model_copy(update={"candidates": tuple(_normal(one) for one in item.candidates)})
        for item in study.items
    )
    return study.model_copy(update={"items": items})


def _normal(one: Candidate) -> Candidate:
    def mark(match: re.Match[str]) -> str:
        return f" [{match[1]}]" if 1 <= int(match[1]) <= len(one.clips) else ""

    return one.model_copy(update={"text": _MARK.sub(mark, plain(one.text)).strip() or one.text})


def scan(study: Study) -> tuple[Finding, ...]:
    """Return everything in the study that may unblind a rater, for a person to clear."""
    return tuple(finding for look in SCANS for finding in look(study))


def _each(study: Study) -> Iterator[tuple[StudyItem, Candidate]]:
    for item in study.items:
        for one in item.candidates:
            yield item, one


def names(study: Study) -> Iterator[Finding]:
    """Find answers that name a system or a family of models."""
    words = {part for system in study.systems for part in re.split(r"[\W_]+", system) if len(part) > 2}
    words |= set(_FAMILIES)
    found = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b", re.IGNORECASE)
    for item, one in _each(study):
        # A word of the question, or one that the speakers said, belongs to the meeting.
        known = " ".join([item.question, item.reference or "", *(clip.text for clip in one.clips)]).casefold()
        for match in found.finditer(one.text):
            if match[0].casefold() not in known:
                yield Finding(item.key, one.system, f"names {match[0]!r}", _around(one.text, match))
                break


def confessions(study: Study) -> Iterator[Finding]:
    """Find answers that speak of being a model or of how they were made."""
    for item, one in _each(study):
        if match := _SELF.search(one.text):
            yield Finding(item.key, one.system, "speaks of itself", _around(one.text, match))


def formats(study: Study) -> Iterator[Finding]:
    """Find answers that still look unlike the others: markup, or marks of a system's own kind."""
    for item, one in _each(study):
        if match := _FOREIGN_MARK.search(one.text) or _MARKDOWN.search(one.text):
            yield Finding(item.key, one.system, "has a format of its own", _around(one.text, match))


def habits(study: Study) -> Iterator[Finding]:
    """Find what holds for nearly every answer of one system and for hardly any of another."""
    answers: dict[str, list[Candidate]] = {system: [] for system in study.systems}
    for _, one in _each(study):
        answers[one.system].append(one)
    if len(study.items) < FEWEST:
        return
    for problem, holds in HABITS.items():
        shares = {system: sum(map(holds, given)) / len(given) for system, given in answers.items()}
        most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
        if shares[most] >= 0.9 and shares[least] <= 0.1:
            yield Finding(None, most, f"{problem}, unlike {least}")
    for system, given in answers.items():
        beginning, times = Counter(_beginning(one) for one in given).most_common(1)[0]
        if times >= 0.5 * len(given):
            yield Finding(None, system, f"its answers often begin {beginning!r}")
    lengths = {system: median(len(one.text) for one in given) for system, given in answers.items()}
    longest, shortest = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
    if lengths[longest] >= 3 * max(lengths[shortest], 1):
        yield Finding(None, longest, f"its answers are three times as long as those of {shortest}")


def _beginning(one: Candidate) -> str:
    return " ".join(one.text.split()[:2])


FEWEST = 4
"""Fewer questions show no habit."""

HABITS: dict[str, Callable[[Candidate], bool]] = {
    "it always cites": lambda one: bool(one.clips),
    "it always ends without a full stop": lambda one: (
        not one.text.rstrip("0123456789[] ").endswith((".", "。", "!", "?"))
    ),
}
"""What an answer may show by habit."""

SCANS = (names, confessions, formats, habits)


def _around(text: str, match: re.Match[str]) -> str:
    start, end = max(match.start() - 30, 0), min(match.end() + 30, len(text))
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"

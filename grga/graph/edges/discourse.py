"""Discourse cues: how an utterance takes up what another speaker has just said."""

from __future__ import annotations

import re

_QUESTION = re.compile(r"\?|？|吗\s*[。.?？]?\s*$|呢\s*[。.?？]?\s*$")
_FILLER = r"(?:(?:well|so|um|uh|oh|and|yeah|okay|嗯|那)\b[\s,，.]*)*"
_CUES = (
    (
        "disagrees",
        re.compile(
            _FILLER
            + r"(?:no(?=\s*[,.!]|\s+(?:no|not|i|it|that|we|you)\b|$)|but\b|i don't (?:think|agree)|i disagree|not really|on the other hand|actually,?\s+no"
            r"|但是|可是|不过|不是|我不同意|我觉得不)",
            re.IGNORECASE,
        ),
    ),
    (
        "explains",
        re.compile(
            _FILLER + r"(?:because\b|'?cause\b|cos\b|the reason|that's why|因为|所以|原因)", re.IGNORECASE
        ),
    ),
    (
        "agrees",
        re.compile(
            r"(?:yeah|yes|yep|right|okay|exactly|i agree|good (?:idea|point)"
            r"|that's (?:right|true|a good)|sure|definitely"
            r"|absolutely|对|是的|没错|我同意|我也觉得)",
            re.IGNORECASE,
        ),
    ),
)


def is_question(text: str) -> bool:
    """Return whether ``text`` asks something (by its punctuation, or a closing 吗 or 呢)."""
    return _QUESTION.search(text) is not None


def relation(earlier: str, later: str) -> str | None:
    """Return how ``later`` takes up another speaker's ``earlier``, or None when no cue says so.

    One of "disagrees", "explains", "answers", "agrees". A contradiction or reason is named even when it
    answers a question, since it says more.
    """
    opening = later.strip()
    for name, cue in _CUES[:2]:
        if cue.match(opening):
            return name
    if is_question(earlier) and not is_question(later):
        return "answers"
    name, cue = _CUES[2]
    return name if cue.match(opening) else None

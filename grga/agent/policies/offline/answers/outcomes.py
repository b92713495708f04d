"""What a meeting leaves behind: decisions and tasks."""

from __future__ import annotations

import re

from grga.agent.policies.offline.answers.extract import quoted
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.types import Sentence, Utterance

MOST = 8
_RECAP = r"\b(?:to sum up|to summari[sz]e|in summary|to recap|to conclude|so we (?:have|will)|next time)\b|总结一下|总之"
_DECIDED = (
    rf"\b(?:decid\w+|agreed?|decision|settled|we (?:will|'ll|are going to|go (?:for|with))|let(?:'s| us) (?:go|do|take|use|have)"
    rf"|it is (?:the|a)|we'll|final(?:ly|ised|ized))\b|{_RECAP}|决定|同意|就这样|定了|我们(?:就|要|今年)"
)
_PROMISED = (
    r"\b(?:i(?:'ll| will|'m going to| am going to| can)|you(?:'ll| will| need to| should)|(?:could|can|would) you|please"
    r"|by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next)|\w+ (?:sends?|calls?|writes?|paints?|prepares?|does|brings?))\b"
    rf"|{_RECAP}|我(?:来|会|可以|再|带)|你(?:来|去)|负责"
)


def outcomes(case: Case) -> tuple[Sentence, ...]:
    """Quote what was decided, or who took on what; recaps weigh most."""
    tasks = re.search(
        r"\b(?:action|steps?|to-?dos?|follow-?ups?|tasks?|assign\w+|who)\b|下一步|待办|任务|分工",
        case.belief.question,
        re.IGNORECASE,
    )
    cue = re.compile(_PROMISED if tasks else _DECIDED, re.IGNORECASE)
    heard = [one for one in case.in_time_order(case.found("all")) if case.fits(one) and says_something(one)]
    ranked = sorted(heard, key=lambda one: (-_weight(one, cue), one.start))
    chosen = [one for one in ranked[:MOST] if _weight(one, cue) > 0]
    return quoted(case, chosen)


def _weight(one: Utterance, cue: re.Pattern[str]) -> float:
    """Cues found, a recap counting as three; among equals the utterance that says more."""
    cues = len({match.casefold() for match in cue.findall(one.text)})
    recap = 3 if re.search(_RECAP, one.text, re.IGNORECASE) else 0
    return cues + recap + 0.02 * len(terms_of(one.text)) if cues or recap else 0.0

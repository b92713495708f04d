"""An old answer as it reads today: lines corrected, speakers renamed or merged, some lines gone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from grga.history.records import Part
from grga.text import STOPWORDS
from grga.types import Answer, Citation, Meeting, Sentence

SAME_MOMENT = 0.5
"""Least overlap (intersection over union) of a cited span, then and now. Edits never move a line, so
less means that a new run of the pipeline gave its number to other words."""

# Scripts that put no space between words, where a neighbouring letter says nothing about a name's end.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTER = rf"[^\W{_UNSPACED}]"
_SPACED = re.compile(_LETTER)
# Where a name that is also a word ("May", "Will", "I", 王) can only be a name.
_SPEAKING = r"(?=\s*[:：]|(?: had)? (?:says?|said)\b| at \d|在\d|[曾：]?说)"
_QUOTED = r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』"


def current(part: Part, meeting: Meeting | None) -> Answer:
    """Return the answer of ``part`` as ``meeting`` would put it today.

    Citations get the text, span and speaker that their utterance has now; those whose utterance is no
    longer there are dropped and counted. Speakers' former names in the sentences become today's names;
    words in quotation marks stay as they were said.

    Args:
        part: As kept.
        meeting: As it is now; None when it was deleted, which leaves the answer as it stood.
    """
    if meeting is None:
        return part.answer
    answer = part.answer
    kept = {old.utterance: now for old in answer.citations if (now := _today(old, meeting)) is not None}
    names = _renames(part, meeting)
    said = [citation.text for citation in answer.citations]
    return replace(
        answer,
        sentences=tuple(
            Sentence(renamed(one.text, names, said), tuple(id for id in one.citations if id in kept))
            for one in answer.sentences
        ),
        citations=tuple(kept.values()),
        dropped_citations=answer.dropped_citations + len(answer.citations) - len(kept),
    )


def renamed(text: str, names: Mapping[str, str], said: Iterable[str] = ()) -> str:
    """Return ``text`` with whole names replaced at once, the longest first.

    Args:
        text: One sentence of an answer.
        names: Former name to present name; two may swap.
        said: Quotations to leave alone, beside everything in quotation marks.
    """
    if not names:
        return text
    quotations = [_whole(one) for one in _longest_first(said) if not any(one in name for name in names)]
    patterns = [_name(name) for name in _longest_first(names)]
    whole = re.compile(f"({'|'.join([_QUOTED, *quotations])})|({'|'.join(patterns)})")
    return whole.sub(lambda match: match[1] if match[1] is not None else names[match[2]], text)


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(filter(None, texts), key=len, reverse=True)


def _whole(text: str) -> str:
    """Return the pattern of ``text`` not inside a longer word; a script without spaces has no such words."""
    before = rf"(?<!{_LETTER})" if _SPACED.match(text[0]) else ""
    after = rf"(?!{_LETTER})" if _SPACED.match(text[-1]) else ""
    return f"{before}{re.escape(text)}{after}"


def _name(name: str) -> str:
    also_a_word = len(name) == 1 or name.casefold() in STOPWORDS
    return _whole(name) + (_SPEAKING if also_a_word else "")


def _today(citation: Citation, meeting: Meeting) -> Citation | None:
    if not 0 <= citation.utterance < len(meeting.utterances):
        return None
    utterance = meeting.utterances[citation.utterance]
    if utterance.span.iou(citation.span) < SAME_MOMENT:
        return None
    return Citation.of(meeting, utterance)


def _renames(part: Part, meeting: Meeting) -> dict[str, str]:
    """Return former names that changed, to today's; a name that two people had is left out."""
    today = {speaker.id: speaker.name for speaker in meeting.speakers}
    present = {utterance.speaker for utterance in meeting.utterances}
    names: dict[str, set[str]] = defaultdict(set)
    for id, name in part.names.items():
        survivor = id if id in present else _survivor(part.lines.get(id, ()), meeting)
        if name and survivor in today:
            names[name].add(today[survivor])
    return {old: new for old, found in names.items() if len(found) == 1 and (new := min(found)) != old}


def _survivor(lines: Iterable[int], meeting: Meeting) -> str | None:
    """Return who speaks most of these lines today; None when none of them is there."""
    voices = Counter(meeting.utterances[id].speaker for id in lines if 0 <= id < len(meeting.utterances))
    return voices.most_common(1)[0][0] if voices else None

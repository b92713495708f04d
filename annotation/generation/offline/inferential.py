"""Questions that need two remarks together: what a word stands for, what led to a remark, who takes a side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from annotation.generation.offline.draft import Draft
from annotation.generation.offline.facts import Facts, is_noun
from annotation.generation.offline.wording import at, cut, say
from annotation.schema import AnswerKey
from grga.agent.steps import QuestionType
from grga.graph.edges.discourse import is_question
from grga.types import EdgeType, Utterance

SURE_OF_REFERENCE = 0.6
"""Least confidence of a coreference edge that a question may rest on."""
SURE_OF_REPLY = 0.8
"""Least weight of a reply edge: the reply begins within two seconds and nobody else has replied before."""

_OBJECTS = re.compile(
    r"(?:(?:well|so|um|uh|oh|but|yeah)\b[\s,.]*)*(?P<cue>absolutely not|no,? (?:i|that|it|we)\b|i don't (?:think|agree|like)|i disagree"
    r"|i'm not (?:sure|convinced)|not really|[\w ]{1,24} is too (?:much|expensive|big|small)\b|不行|不是|不同意|我不同意|我觉得不|可是|但是)",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"(?:(?:well|so|um|uh|oh|yeah|yes|okay)\b[\s,.]*)*(?P<cue>i agree|you are right|you're right|that's (?:right|true|a good)"
    r"|exactly|good (?:idea|point)|i can live with that|definitely|absolutely(?! not)|that is the perfect|我同意|没错|这个主意不错|你说得对)",
    re.IGNORECASE,
)
_STAND_FOR = frozenset({"that", "this", "these", "those", "it", "they", "them"})
_BECAUSE = re.compile(r"\bbecause\b(?! of\b)|(?<!\w)'cause\b|因为", re.IGNORECASE)


def references(facts: Facts) -> Iterator[Draft]:
    """What a pronoun or short form stands for, where the graph is sure."""
    for edge in facts.indexed.graph.edges(EdgeType.SEMANTIC):
        one, earlier = facts.meeting.utterances[edge.source], facts.meeting.utterances[edge.target]
        quote = facts.quote(one, holding=edge.label)
        if (
            edge.weight < SURE_OF_REFERENCE
            or not _is_reference(facts, edge.label)
            or quote is None
            or earlier not in facts.telling
        ):
            continue
        yield Draft(
            QuestionType.INFERENTIAL,
            "coreference resolution",
            say(facts.language, "refers", name=facts.name(one.speaker), quote=quote, short=edge.label),
            say(
                facts.language,
                "refers.a",
                name=facts.name(earlier.speaker),
                time=at(earlier.start),
                text=cut(earlier.text),
            ),
            (earlier.id, one.id),
            AnswerKey(utterances=(earlier.id,)),
            say(facts.language, "refers.r", value=f"{edge.weight:.2f}"),
        )


def questions_and_answers(facts: Facts) -> Iterator[Draft]:
    """Which question led to a remark, and how somebody reacts to a question."""
    for asked, reply in _replies(facts):
        if not is_question(asked.text) or is_question(reply.text):
            continue
        question = next((text for text in _asking(facts, asked)), None)
        quote = facts.quote(reply)
        if quote is not None:
            yield Draft(
                QuestionType.INFERENTIAL,
                "causal inference",
                say(facts.language, "asked", name=facts.name(reply.speaker), quote=quote),
                say(
                    facts.language,
                    "asked.a",
                    name=facts.name(asked.speaker),
                    time=at(asked.start),
                    text=cut(asked.text),
                ),
                (asked.id, reply.id),
                AnswerKey(utterances=(asked.id,)),
                say(facts.language, "asked.r"),
            )
        if question is not None:
            yield Draft(
                QuestionType.INFERENTIAL,
                "stance analysis",
                say(facts.language, "answered", name=facts.name(reply.speaker), quote=question),
                say(facts.language, "answered.a", time=at(reply.start), text=cut(reply.text)),
                (asked.id, reply.id),
                AnswerKey(utterances=(reply.id,)),
                say(facts.language, "asked.r"),
            )


def stances(facts: Facts) -> Iterator[Draft]:
    """Who objects or agrees to a remark, in so many words."""
    for one, reply in _replies(facts):
        quote = facts.quote(one)
        for key, pattern in (("objects", _OBJECTS), ("agrees", _AGREES)):
            match = pattern.match(reply.text)
            if match is None or quote is None:
                continue
            yield Draft(
                QuestionType.INFERENTIAL,
                "stance analysis",
                say(facts.language, key, name=facts.name(one.speaker), quote=quote),
                say(
                    facts.language,
                    "stance.a",
                    name=facts.name(reply.speaker),
                    time=at(reply.start),
                    text=cut(reply.text),
                ),
                (one.id, reply.id),
                AnswerKey(speakers=(reply.speaker,), utterances=(reply.id,)),
                say(facts.language, "stance.r", cue=match["cue"].strip()),
            )


def reasons(facts: Facts) -> Iterator[Draft]:
    """Which reason somebody gives for a claim in the same remark."""
    for one in facts.telling:
        match = _BECAUSE.search(one.text)
        if match is None or len(_BECAUSE.findall(one.text)) != 1:
            continue
        because = re.split(r"[.?!。？！]", one.text[match.end() :])[0]
        claim = re.split(r"[.?!。？！]", one.text[: match.start()])[-1]
        quote = next((text for text in facts.quotes(one) if claim.strip(" ,，").endswith(text)), None)
        if quote is None or len(because) < 12:
            continue
        yield Draft(
            QuestionType.INFERENTIAL,
            "causal inference",
            say(facts.language, "reason", name=facts.name(one.speaker), quote=quote),
            say(
                facts.language,
                "reason.a",
                name=facts.name(one.speaker),
                time=at(one.start),
                text=cut(one.text[match.start() :].strip()),
            ),
            (one.id,),
            AnswerKey(utterances=(one.id,)),
            say(facts.language, "reason.r", cue=match[0]),
        )


MAKERS = (questions_and_answers, stances, references, reasons)


def _is_reference(facts: Facts, short: str) -> bool:
    """Return whether ``short`` is a pronoun, or a demonstrative before a word that is used as a noun."""
    if not short.isascii():
        return True
    first, _, noun = short.partition(" ")
    return first in _STAND_FOR if not noun else is_noun(noun, facts.text)


def _replies(facts: Facts) -> Iterator[tuple[Utterance, Utterance]]:
    """Yield remarks with what another speaker replies at once; only murmurs may come between the two."""
    sure = {
        (edge.source, edge.target)
        for edge in facts.indexed.graph.edges(EdgeType.REPLY_TO)
        if edge.weight >= SURE_OF_REPLY
    }
    prepared = facts.prepared
    spoken = [
        one for one in facts.meeting.utterances if prepared.terms[one.id] and not prepared.backchannel[one.id]
    ]
    for one, reply in pairwise(spoken):
        gap = reply.start - one.end
        if reply.speaker != one.speaker and -1.0 <= gap <= 4.0 and (one.id, reply.id) in sure:
            yield one, reply


def _asking(facts: Facts, asked: Utterance) -> Iterator[str]:
    """Yield the quotable question of a remark: its last sentence with a question mark."""
    for sentence in reversed(re.findall(r"[^.?!。？！]+[?？]", asked.text)):
        text = facts.quote(asked, holding=sentence.strip(" ?？"))
        if text is not None:
            yield text

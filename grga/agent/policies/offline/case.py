"""One question in one meeting, with everything an answer may be built from."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from grga.agent.belief import Belief
from grga.agent.policies.offline.classify import Operation
from grga.agent.policies.offline.decompose import Reading, read
from grga.agent.policies.offline.focus import focus_of
from grga.agent.policies.offline.phrases import at, excerpt, phrase
from grga.agent.policies.offline.relevance import Relevance, relevance, says_something, search_terms
from grga.agent.steps import Form
from grga.types import Meeting, Sentence, TimeSpan, Utterance

if TYPE_CHECKING:
    from grga.store import IndexedMeeting

CLOSE = 1.2
"""A candidate this far below the best one is no longer cited (log-odds of belonging to the passage)."""

CLOSE_WHEN_OPEN = 1.8
"""The same for open questions (what was discussed, what somebody thinks, why): their answers are spread over
several passages. On two disjoint sets of development meetings F1 of the citations rises by 0.01 and 0.02.
"""
OPEN = {Form.WHAT, Form.HOW, Form.WHY, Form.SUMMARY}


@dataclass(frozen=True)
class Case:
    """The belief, its reading and the meeting."""

    belief: Belief
    reading: Reading
    indexed: IndexedMeeting

    @property
    def meeting(self) -> Meeting:
        """The meeting itself."""
        return self.indexed.meeting

    @property
    def language(self) -> str:
        """The question's language."""
        return self.reading.constraints.metadata.language

    @property
    def speakers(self) -> tuple[str, ...]:
        """Ids of the speakers that the question names; none without the tool that tells them apart."""
        if "filter_speaker" in self.belief.without:
            return ()
        return self.reading.constraints.metadata.speakers

    @property
    def window(self) -> TimeSpan | None:
        """The span that the question names; none without the tool that looks there."""
        if "filter_time_range" in self.belief.without:
            return None
        time = self.reading.window
        return time.span if time else None

    @cached_property
    def relevance(self) -> Relevance:
        """How well every utterance fits what was asked, by the evidence so far."""
        return relevance(self.belief, self.reading, self.meeting.utterances, self.indexed.bm25)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Content terms to highlight in quotes."""
        return search_terms(self.belief, self.reading)

    @cached_property
    def weak(self) -> frozenset[int]:
        """Citations that an earlier reflection found weak."""
        return frozenset(id for turn in self.belief.rounds if turn.reflection for id in turn.reflection.weak)

    def utterance(self, id: int) -> Utterance:
        """Return the utterance with this id."""
        return self.meeting.utterances[id]

    def found(self, result: str) -> tuple[int, ...]:
        """Return the ids that the call stored under ``result`` found, in its order."""
        observation = self.belief.observation(result)
        return tuple(one.id for one in observation.found) if observation else ()

    def in_time_order(self, ids: Iterable[int]) -> list[Utterance]:
        """Return the utterances of these ids by start."""
        return [self.utterance(id) for id in sorted(set(ids))]

    def fits(self, utterance: Utterance) -> bool:
        """Return whether the utterance meets the question's limits on speaker and time."""
        if self.speakers and utterance.speaker not in self.speakers:
            return False
        return self.window is None or self.window.touches(utterance.span)

    def best(
        self, limit: int = 20, margin: float | None = None, among: Iterable[int] | None = None
    ) -> list[Utterance]:
        """Return the candidates close to the best one, best first; ``margin``: how close (None: by the question).

        Utterances of a named speaker and inside a named window come alone when there are any.
        """
        if margin is None:
            margin = CLOSE_WHEN_OPEN if self.reading.constraints.metadata.form in OPEN else CLOSE
        allowed = None if among is None else set(among)
        pool = [
            self.utterance(id)
            for id in self.relevance.candidates
            if id not in self.weak and (allowed is None or id in allowed)
        ]
        if self.window is not None:
            pool = [one for one in pool if self.window.touches(one.span)]
        if not pool:
            return []
        scores = self.relevance.scores
        top = scores[pool[0].id]
        return [one for one in pool[:limit] if scores[one.id] >= top - margin]

    def word_for_word(self, phrases: Iterable[str], speakers: Collection[str] = ()) -> list[Utterance]:
        """Return what says one of the quoted ``phrases`` as it stands, by the evidence so far, in order of time.

        Those of ``speakers`` alone when there are any. One or two words quote no remark; they are looked for
        as words.
        """
        sought = [_folded(phrase) for phrase in phrases if _is_remark(phrase)]
        exact = [
            one
            for one in self.in_time_order(self.belief.evidence)
            if any(phrase in _folded(one.text) for phrase in sought)
        ]
        return [one for one in exact if one.speaker in speakers] or exact

    def quote(self, key: str, utterance: Utterance, *also: int, **values: object) -> Sentence:
        """Return a sentence about one utterance, citing it (and ``also``)."""
        text = phrase(
            self.language,
            key,
            name=self.meeting.name_of(utterance),
            time=at(utterance.start),
            text=excerpt(utterance.text, self.terms),
            **values,
        )
        return Sentence(text, tuple(dict.fromkeys((utterance.id, *also))))

    def say(self, key: str, cites: Iterable[int], **values: object) -> Sentence:
        """Return a computed sentence with its citations."""
        return Sentence(phrase(self.language, key, **values), tuple(dict.fromkeys(cites)))

    def previous(self, utterance: Utterance, *, other_speaker: bool) -> Utterance | None:
        """Return the nearest earlier utterance that says something, within a minute."""
        for id in range(utterance.id - 1, -1, -1):
            one = self.utterance(id)
            if utterance.start - one.end > 60:
                return None
            if says_something(one) and (not other_speaker or one.speaker != utterance.speaker):
                return one
        return None


def _is_remark(phrase: str) -> bool:
    return len(phrase.split()) >= 3 or (not phrase.isascii() and len(phrase) >= 5)


def _folded(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .,;!?。，！？…")


def case_of(belief: Belief, indexed: IndexedMeeting) -> Case:
    """Return the case of a belief; without the decomposer, the question is only words to search for."""
    if "decomposer" in belief.without:
        reading = Reading(belief.constraints, Operation.EXTRACT, focus_of(belief.question))
    else:
        reading = read(belief.question, indexed.meeting)
    return Case(belief, reading, indexed)

"""What "that idea" points to: from the quoted remark back along the graph to what it answers."""

from __future__ import annotations

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.text import content_terms
from grga.types import Sentence, Utterance


def referent(case: Case) -> tuple[Sentence, ...]:
    """Quote what the remark refers to, then the remark."""
    remark = quoted_remark(case)
    if remark is None:
        return ()
    earlier = _linked(case, remark)
    if earlier is None:
        return (case.quote("said", remark),)
    return (case.quote("refers_to", earlier), case.quote("event", remark))


def quoted_remark(case: Case) -> Utterance | None:
    """Return the utterance that the question quotes: most of its words, by the named speaker."""
    exact = case.word_for_word(case.reading.focus.quoted, case.speakers)
    if exact:
        return exact[0]
    phrase = " ".join(case.reading.focus.quoted) or case.reading.focus.topic
    terms = set(content_terms(phrase)) or set(case.terms)
    pool = [case.utterance(id) for id in dict.fromkeys((*case.found("quote"), *case.found("words")))]
    pool = [one for one in pool if not case.speakers or one.speaker in case.speakers] or pool
    if not pool:
        return None

    def share(one: Utterance) -> tuple[bool, float, int]:
        exact = phrase.casefold().strip(" .!?") in one.text.casefold()
        return exact, len(terms & terms_of(one.text)) / (len(terms_of(one.text)) or 1), -one.id

    return max(pool, key=share)


def _linked(case: Case, remark: Utterance) -> Utterance | None:
    """Return the earlier utterance that the remark is linked to: by coreference, then as a reply to it."""
    observation = case.belief.observation("points-to")
    linked = {one.id: one.why for one in observation.found} if observation else {}
    earlier = [id for id in linked if id < remark.id and says_something(case.utterance(id))]
    for relation in ("semantic", "reply_to", "entity", "temporal"):
        of_kind = [id for id in earlier if linked[id].startswith(relation)]
        if of_kind:
            return case.utterance(max(of_kind))
    return None

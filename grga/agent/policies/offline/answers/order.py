"""Answers about order and time: first and last, before and after, and what was said when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from grga.agent.policies.offline.answers.extract import quoted, regions
from grga.agent.policies.offline.answers.sound import sound_moment
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.classify import acoustic_conditions
from grga.agent.policies.offline.focus import focus_of
from grga.agent.policies.offline.people import find_speakers, without_speakers
from grga.agent.policies.offline.phrases import at, length
from grga.agent.policies.offline.plans import moments_of, options_of
from grga.agent.policies.offline.quotes import hide, quoted_in
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.agent.policies.offline.support import support_of
from grga.agent.steps import Form
from grga.text import content_terms
from grga.types import Sentence, TimeSpan, Utterance

MOST = 4
"""Most quotes of what was said in a window."""
AT_ONCE = 4.0
"""Seconds from a named moment within which an utterance was said "then"."""
ENOUGH = 0.6
"""Share of a topic's words that an utterance must hold to be a mention of it."""

SETTLED_WITHIN = 120.0
"""Seconds after a matter comes up in which it is looked for as agreed."""
LEAST_OF_AN_EVENT = 0.4
"""Least share of an event's words, by rarity, that must be said where it is taken to happen."""
_SETTLED = re.compile(r"\b(?:agreed|decided|settled)\b|决定了|说好了|定了", re.IGNORECASE)


def first_speaker(case: Case) -> tuple[Sentence, ...]:
    """Say who spoke first, or last."""
    heard = case.in_time_order(case.found("all"))
    if not heard:
        return ()
    last = re.search(r"\b(last|clos\w+|end\w*)\b|最后", case.belief.question, re.IGNORECASE)
    if last:
        return (case.quote("speaks_last", max(heard, key=lambda one: one.end)),)
    return (case.quote("speaks_first", heard[0]),)


def first_mention(case: Case) -> tuple[Sentence, ...]:
    """Say who mentions the topic first, and when."""
    hits = _mentions(case)
    return (case.quote("first_mention", hits[0]), *_after(case, hits[1:2])) if hits else ()


def last_mention(case: Case) -> tuple[Sentence, ...]:
    """Say who mentions the topic last, and when."""
    hits = _mentions(case)
    return (case.quote("last_mention", hits[-1]),) if hits else ()


def which_first(case: Case) -> tuple[Sentence, ...]:
    """Compare the first mentions of two things."""
    options = options_of(case.belief.question)
    if options is None:
        return first_mention(case)
    firsts: list[tuple[str, Utterance]] = []
    for number, text in enumerate(options, 1):
        hits = _holding(case, case.found(f"option-{number}"), tuple(content_terms(text)))
        if hits:
            firsts.append((re.sub(r"^(?:the|a|an)\s+", "", text, flags=re.IGNORECASE), hits[0]))
    if not firsts:
        return ()
    firsts.sort(key=lambda pair: pair[1].start)

    name, one = firsts[0]
    if len(firsts) == 1:
        return (case.say("only_one", [one.id], first=name, time=at(one.start)), case.quote("said", one))
    other, two = firsts[1]
    head = case.say(
        "came_first", [one.id, two.id], first=name, time=at(one.start), second=other, later=at(two.start)
    )
    return (head, case.quote("said", one), case.quote("said", two))


def in_window(case: Case) -> tuple[Sentence, ...]:
    """Say what was said in the window: the topic in it, or everything that says something."""
    heard = [one for one in case.in_time_order(case.found("all")) if case.fits(one)]
    if not heard or case.window is None:
        return ()
    if case.reading.focus.terms:
        # In a window that speaks of it, what does not is only its surroundings.
        topic = set(case.terms)
        about = [one for one in heard if topic & terms_of(one.text)]
        return quoted(case, case.best(among=[one.id for one in about or heard]))
    telling = [one for one in heard if says_something(one)] or heard
    middle, asks_who = case.window.middle, case.reading.constraints.metadata.form is Form.WHO
    if case.reading.window and case.reading.window.relation == "around":
        nearest = sorted(telling, key=lambda one: (_distance(one.span, middle), one.start))
        # Who speaks at a moment is who speaks then, not everybody near it.
        reach = max(0.0 if asks_who else AT_ONCE, _distance(nearest[0].span, middle))
        chosen = [one for one in nearest if _distance(one.span, middle) <= reach]
        if asks_who:
            return _who_spoke(case, chosen)
    elif asks_who:
        return _who_spoke(case, telling)
    else:
        chosen = sorted(telling, key=lambda one: (-len(terms_of(one.text)), one.start))
    return tuple(case.quote("said", one) for one in sorted(chosen[:MOST], key=lambda one: one.start))


def event_moment(case: Case) -> TimeSpan | None:
    """Return when the event of a relative time ("after the budget") happens, by the evidence so far."""
    event = case.reading.event
    if event is None:
        return None
    sound = acoustic_conditions(event.anchor)
    if sound:
        heard = sound_moment(case, sound[0])
        return heard.span if heard else None
    ids = dict.fromkeys((*case.found("event-words"), *case.found("event")))
    found = _closest(case, event.anchor, ids)
    if found is None:
        return None
    best, fits = found
    if _SETTLED.search(event.anchor):
        # "After the prices were agreed": after the agreement, not after the first price.
        later = [one for one in case.meeting.utterances[best.id :] if one.start - best.end <= SETTLED_WITHIN]
        agreed = next((one for one in later if _SETTLED.search(one.text)), None)
        return (agreed or best).span
    if re.search(r"\b(discuss|debate|present|talk)|讨论|谈论", event.anchor, re.IGNORECASE):
        close = [case.utterance(id) for id, fit in fits.items() if fit >= 0.5 * fits[best.id]]
        passage = next(group for group in regions(close) if best in group)
        return TimeSpan(passage[0].start, max(one.end for one in passage))
    return best.span


def next_to_event(case: Case) -> tuple[Sentence, ...]:
    """Say what came right after (or before) the event, by the speaker in question if one is named."""
    event = case.reading.event
    moment = event_moment(case)
    if event is None or moment is None:
        return ()
    beside = [one for one in case.in_time_order(case.found("beside")) if case.fits(one)]
    after = event.relation == "after"
    beside = [one for one in beside if (one.start >= moment.start + 0.01 if after else one.end <= moment.end)]
    if acoustic_conditions(event.anchor):
        anchors = []
    else:
        # What is quoted is the event itself; otherwise it is whatever was found about it at that moment.
        anchors = case.word_for_word(quoted_in(event.anchor)) or [
            one
            for one in case.in_time_order((*case.found("event"), *case.found("event-words")))
            if one.span.touches(moment)
        ]
    beside = [one for one in beside if one not in anchors and says_something(one)]
    if not beside:
        return ()
    if case.reading.focus.terms:
        found = case.best(among=[one.id for one in beside])
        if found:
            return quoted(case, found)
    chosen = beside[:3] if after else beside[-3:]
    key = "after_that" if after else "before_that"
    if case.speakers:
        return tuple(case.quote("said", one) for one in (chosen[:2] if after else chosen[-2:]))
    return tuple(case.quote(key, one) for one in chosen)


def time_between(case: Case) -> tuple[Sentence, ...]:
    """Say how much time passes from the start of one remark to the start of another."""
    sides = moments_of(case.belief.question)
    if sides is None:
        return ()
    found = [_closest(case, text, case.found(f"moment-{n}")) for n, text in enumerate(sides, 1)]
    if any(one is None for one in found):
        return ()
    first, last = sorted((one for one, _ in filter(None, found)), key=lambda one: one.start)
    head = case.say(
        "time_between",
        [first.id, last.id],
        seconds=length(case.language, last.start - first.start),
        start=at(first.start),
        end=at(last.start),
    )
    return (head, case.quote("said", first), case.quote("said", last))


def _closest(case: Case, text: str, ids: Iterable[int]) -> tuple[Utterance, dict[int, float]] | None:
    """Return the utterance of ``ids`` that ``text`` speaks of, and how well each one fits.

    A remark that ``text`` quotes, otherwise the one with most of its words and by the speaker it names.
    """
    outer = hide(text).text
    named = find_speakers(outer, case.meeting)
    exact = case.word_for_word(quoted_in(text), named)
    if exact:
        return exact[0], {exact[0].id: 1.0}
    terms = set(focus_of(without_speakers(text, named, case.meeting)).terms)

    def fit(one: Utterance) -> float:
        share = sum(case.indexed.bm25.idf(term) for term in terms & terms_of(one.text))
        return share + (0.5 if one.speaker in named else 0.0)

    fits = {id: fit(case.utterance(id)) for id in ids}
    if not fits or not (terms or named):
        return None
    best = case.utterance(max(fits, key=lambda id: (fits[id], -case.utterance(id).start)))
    if fits[best.id] <= 0:
        return None
    if terms and support_of(case, [best.id], sorted(terms)).covered < LEAST_OF_AN_EVENT:
        return None
    return best, fits


def _mentions(case: Case) -> list[Utterance]:
    """Return the utterances that mention the topic, by time; the closest ones if no words match."""
    focus = case.reading.focus
    hits = _holding(case, case.found("words"), focus.terms)
    return hits or sorted(case.best(), key=lambda one: one.start)


def _holding(case: Case, ids: Sequence[int], terms: tuple[str, ...]) -> list[Utterance]:
    """Return those that hold most of ``terms`` (by rarity), in time order."""
    idf = {term: case.indexed.bm25.idf(term) for term in terms}
    total = sum(idf.values())
    if total <= 0:
        return []
    return [
        one
        for one in case.in_time_order(ids)
        if case.fits(one) and sum(idf[term] for term in idf if term in terms_of(one.text)) >= ENOUGH * total
    ]


def _after(case: Case, more: Sequence[Utterance]) -> tuple[Sentence, ...]:
    return tuple(case.quote("after_that", one) for one in more)


def _who_spoke(case: Case, heard: Sequence[Utterance]) -> tuple[Sentence, ...]:
    longest: dict[str, Utterance] = {}
    for one in heard:
        known = longest.get(one.speaker)
        if known is None or one.span.duration > known.span.duration:
            longest[one.speaker] = one
    order = sorted(longest.values(), key=lambda one: -one.span.duration)
    return tuple(case.quote("said", one) for one in order)


def _distance(span: TimeSpan, moment: float) -> float:
    return max(span.start - moment, moment - span.end, 0.0)

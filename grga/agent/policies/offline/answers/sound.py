"""Answers about how something was said: measured, compared with the speaker's habit, and traced back."""

from __future__ import annotations

import re
from collections.abc import Callable

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.people import find_speakers
from grga.agent.policies.offline.phrases import length, often
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.agent.tools.audio import describe
from grga.types import Acoustics, Sentence, Utterance

CLEARLY = 1.0
"""Standard deviations above the speaker's habit from which a change is called clear."""
CUT_IN = 0.2
"""Seconds by which a start must precede another's end to be cutting in."""
LEAST_PAUSE = 0.2
"""Seconds of silence that count as a pause."""
CHAIN = 3
"""Most earlier utterances named as what a loud remark goes back to."""

Measure = Callable[[Acoustics], float | None]

_MEASURES: dict[str, tuple[str, str, Measure]] = {
    # condition -> phrase for its most and its least, and what is measured
    "loud": ("loudest", "quietest", lambda sound: sound.loudness_db),
    "quiet": ("quietest", "loudest", lambda sound: _negative(sound.loudness_db)),
    "excited": ("agitated", "agitated", lambda sound: sound.arousal),
    "pitch": ("highest", "highest", lambda sound: sound.f0_semitones),
    "fast": ("fastest", "slowest", lambda sound: sound.rate),
}


def extreme(case: Case) -> tuple[Sentence, ...]:
    """Find the loudest, quietest, fastest, most agitated turn, or the longest pause."""
    condition = case.reading.constraints.metadata.acoustic[0]
    if condition == "pause":
        return _longest_pause(case)
    if condition not in _MEASURES:
        return check(case)
    most, least, measure = _MEASURES[condition]
    key = most
    if re.search(r"\b(slow\w*|lowest|calm\w*|least)\b|最慢|最平静", case.belief.question, re.IGNORECASE):
        key, measure = least, _negated(measure)
    ranked = _ranked(case, measure)
    return (_told(case, key, ranked[0]),) if ranked else ()


def check(case: Case) -> tuple[Sentence, ...]:
    """Say how it sounded: the clearest change in the condition asked about, or none."""
    conditions = case.reading.constraints.metadata.acoustic
    if "overlap" in conditions:
        return interruptions(case)
    if "pause" in conditions:
        return _longest_pause(case)
    condition = next((one for one in conditions if one in _MEASURES), "loud")
    measure = _standing_out(condition)
    ranked = _ranked(case, measure)
    if not ranked:
        return ()
    best = ranked[0]
    clear = (measure(_sound(best)) or 0.0) >= CLEARLY
    key = "louder" if clear and condition == "loud" else "sounded" if clear or case.speakers else "not_louder"
    sentences = [_told(case, key, best)]
    if condition == "excited":
        sentences.append(case.say("no_emotion", [best.id]))
    return tuple(sentences)


def cause_of_sound(case: Case) -> tuple[Sentence, ...]:
    """Name the loud (or otherwise striking) remark, what it answers, and what that goes back to."""
    loud = striking(case)
    if loud is None:
        return ()
    condition = case.reading.constraints.metadata.acoustic[0]
    sentences = [_told(case, "louder" if condition == "loud" else "sounded", loud)]
    before = case.previous(loud, other_speaker=True)
    known = case.belief.evidence
    if before is not None and before.id in known:
        sentences.append(case.quote("reacts_to", before))
    for one in _roots(case, loud, before):
        sentences.append(case.quote("announced", one))
    return tuple(sentences)


def striking(case: Case) -> Utterance | None:
    """Return the utterance that stands out most in the condition asked about, by the evidence so far.

    With a topic in the question, what is about the topic comes first.
    """
    conditions = case.reading.constraints.metadata.acoustic or ("loud",)
    condition = next((one for one in conditions if one in _MEASURES), "loud")
    ranked = _ranked(case, _standing_out(condition))
    topic = set(case.reading.focus.terms)
    about = [one for one in ranked if topic & terms_of(one.text)]
    return next(iter(about or ranked), None)


def trigger_terms(case: Case) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the striking utterance with what it answers, and the rare words they share with earlier talk."""
    loud = striking(case)
    if loud is None:
        return (), ()
    before = case.previous(loud, other_speaker=True)
    ids = (loud.id,) if before is None else (loud.id, before.id)
    return ids, _key_words(case, loud, before)


def interruptions(case: Case) -> tuple[Sentence, ...]:
    """Count who starts speaking while somebody else is."""
    cuts = _cuts(case)
    involved = case.speakers
    if involved:
        asked_about = re.search(
            r"\binterrupt\w*\s+(?:the\s+)?\w+|打断了?\S", case.belief.question, re.IGNORECASE
        )
        by = [(one, other) for one, other in cuts if one.speaker in involved]
        of = [(one, other) for one, other in cuts if other.speaker in involved]
        by_subject = re.search(
            r"\b(?:did|does|has) (?:the )?[\w ]+? (?:interrupt|cut|talk over)",
            case.belief.question,
            re.IGNORECASE,
        )
        anyone = re.search(
            r"\b(anyone|anybody|someone|somebody|who)\b|有人|谁", case.belief.question, re.IGNORECASE
        )
        cuts = of if (asked_about and (anyone or not by_subject)) else by
    if not cuts:
        heard = case.found("all")
        return (case.say("no_interruptions", [heard[0], heard[-1]]),) if heard else ()
    counts: dict[str, list[tuple[Utterance, Utterance]]] = {}
    for one, other in cuts:
        counts.setdefault(one.speaker, []).append((one, other))
    order = sorted(counts, key=lambda id: -len(counts[id]))
    sentences = []
    for place, id in enumerate(order):
        key = "interrupts" if place or len(order) == 1 else "interrupts_most"
        sentences.append(
            case.say(
                key,
                [one.id for one, _ in counts[id][:6]],
                name=case.meeting.speaker(id).name,
                count=often(case.language, len(counts[id])),
            )
        )
    one, other = counts[order[0]][0]
    sentences.append(case.quote("interruption", one, other.id, other=case.meeting.name_of(other)))
    return tuple(sentences)


def _cuts(case: Case) -> list[tuple[Utterance, Utterance]]:
    """Return (who cuts in, on whom) for every start inside another's turn, in time order."""
    heard = case.in_time_order(case.found("all"))
    cuts = []
    for place, one in enumerate(heard):
        if not says_something(one):
            continue
        for other in reversed(heard[max(0, place - 12) : place]):
            inside = other.start < one.start < other.end - CUT_IN
            if inside and other.speaker != one.speaker and says_something(other):
                cuts.append((one, other))
                break
    return cuts


def sound_moment(case: Case, condition: str) -> Utterance | None:
    """Return the utterance at which a sound happens ("after the long silence", "after Rosa shouts").

    For a pause it is the one before the silence, so that what follows is what breaks it.
    """
    if condition == "pause":
        pause = _pause(case)
        return pause[1] if pause else None
    ranked = _ranked(case, _standing_out(condition if condition in _MEASURES else "loud"), fitting=False)
    named = find_speakers(case.reading.event.anchor, case.meeting) if case.reading.event else ()
    return next((one for one in ranked if not named or one.speaker in named), None)


def _longest_pause(case: Case) -> tuple[Sentence, ...]:
    pause = _pause(case)
    if pause is None:
        return ()
    gap, before, after = pause
    return (case.quote("pause_longest", after, before.id, seconds=length(case.language, gap)),)


def _pause(case: Case) -> tuple[float, Utterance, Utterance] | None:
    """The longest silence between two turns, by their times (works without audio): seconds, before, after."""
    heard = case.in_time_order(case.found("all"))
    best: tuple[float, Utterance, Utterance] | None = None
    if not heard:
        return None
    last = heard[0]
    for one in heard[1:]:
        gap = one.start - last.end
        if (best is None or gap > best[0]) and (not case.speakers or one.speaker in case.speakers):
            best = (gap, last, one)
        if one.end > last.end:
            last = one
    return best if best and best[0] >= LEAST_PAUSE else None


def _ranked(case: Case, measure: Measure, *, fitting: bool = True) -> list[Utterance]:
    """Return what was heard (and fits the question), the largest value first; backchannels left out."""
    heard = [one for one in case.in_time_order(case.found("heard")) if not fitting or case.fits(one)]
    telling = [one for one in heard if says_something(one)] or heard
    topic = set(case.reading.focus.terms)
    about = [one for one in telling if topic & terms_of(one.text)]
    values = [
        (value, one)
        for one in (about or telling)
        if one.acoustics is not None and (value := measure(one.acoustics)) is not None
    ]
    return [one for _, one in sorted(values, key=lambda pair: (-pair[0], pair[1].start))]


def _standing_out(condition: str) -> Measure:
    """Return the measure of a change against the speaker's own habit."""
    changes: dict[str, Measure] = {
        "loud": lambda sound: sound.loudness_z,
        "quiet": lambda sound: _negative(sound.loudness_z),
        "excited": lambda sound: sound.arousal if sound.arousal is not None else sound.loudness_z,
        "pitch": lambda sound: sound.f0_semitones,
        "fast": lambda sound: sound.rate,
    }
    return changes[condition]


def _roots(case: Case, loud: Utterance, before: Utterance | None) -> list[Utterance]:
    """Return earlier utterances that the loud exchange goes back to, in order of time.

    They share its rare words and were found by following its threads or searching its words; the nearest
    announcement and the earliest statement tell most.
    """
    words = set(_key_words(case, loud, before))
    if not words:
        return []
    found = {
        id for name in ("threads", "same-topic", "same-idea", "missing", "around") for id in case.found(name)
    }
    skip = {loud.id} | ({before.id} if before else set())
    weight = case.indexed.bm25.idf
    ranked = []
    for id in sorted(found - skip):
        one = case.utterance(id)
        if one.start >= loud.start or not says_something(one):
            continue
        shared = sum(weight(word) for word in words & terms_of(one.text))
        if shared > 0:
            ranked.append((shared, one))
    if not ranked:
        return []
    top = max(shared for shared, _ in ranked)
    strong = [one for shared, one in ranked if shared >= 0.6 * top]
    chosen = {strong[0].id: strong[0], strong[-1].id: strong[-1]}
    for shared, one in sorted(ranked, key=lambda pair: -pair[0]):
        if len(chosen) >= CHAIN:
            break
        if shared >= 0.6 * top:
            chosen.setdefault(one.id, one)
    return sorted(chosen.values(), key=lambda one: one.start)


def _key_words(case: Case, loud: Utterance, before: Utterance | None) -> tuple[str, ...]:
    """Return the content terms of the exchange that are also said elsewhere, rarest first."""
    own = terms_of(loud.text) | (terms_of(before.text) if before else frozenset())
    elsewhere = [
        one
        for one in case.meeting.utterances
        if one.start < loud.start and one.id != (before.id if before else -1)
    ]
    said_before = {term for one in elsewhere for term in terms_of(one.text)}
    return tuple(sorted(own & said_before, key=lambda term: (-case.indexed.bm25.idf(term), term))[:8])


def _told(case: Case, key: str, one: Utterance) -> Sentence:
    return case.quote(key, one, value=describe(_sound(one)))


def _sound(one: Utterance) -> Acoustics:
    return one.acoustics or Acoustics()


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _negated(measure: Measure) -> Measure:
    return lambda sound: _negative(measure(sound))

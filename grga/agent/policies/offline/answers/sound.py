"""Answers about how something was said: measured, compared with the speaker's habit, and traced back."""

from __future__ import annotations

import re
from collections.abc import Callable

from grga.agent.policies.offline.answers.interruptions import Cut, find_cuts
from grga.agent.policies.offline.answers.moods import in_mood, mood_at, mood_told, no_mood
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.feelings import moods_asked, moods_measured, sounds_asked
from grga.agent.policies.offline.people import find_speakers
from grga.agent.policies.offline.phrases import joined, length, often, trimmed
from grga.agent.policies.offline.relevance import says_something, terms_of
from grga.agent.sounding import compared, habits_of
from grga.agent.steps import Form
from grga.speech.emotion.words import events_of
from grga.types import Acoustics, Sentence, Utterance

CLEARLY = 1.0
"""Standard deviations above the speaker's habit from which a change is called clear."""
SHOWN = 3
"""Most interruptions quoted."""
LAST_WORDS = 4
"""Words quoted of a turn that breaks off."""
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
    quoted = case.word_for_word(case.reading.focus.quoted, case.speakers)
    best = next((one for one in ranked if one in quoted), ranked[0])
    clear = (measure(_sound(best)) or 0.0) >= CLEARLY
    key = "louder" if clear and condition == "loud" else "sounded" if clear or case.speakers else "not_louder"
    sentences = [_told(case, key, best)]
    if quoted and case.reading.constraints.metadata.form is Form.YES_NO:
        sentences.insert(0, case.say("yes" if clear else "no", [best.id]))
    if condition == "excited":
        sentences.append(mood_told(case, best) or case.say("no_emotion", [best.id]))
    return tuple(sentences)


def cause_of_sound(case: Case) -> tuple[Sentence, ...]:
    """Name the loud (or otherwise striking) remark, what it answers, and what that goes back to."""
    loud = striking(case)
    if loud is None:
        return ()
    if _asks_mood(case):
        if loud not in in_mood(case, [loud]):
            return (no_mood(case, [loud], moods_asked(case.belief.question)),)
        sentences = [mood_at(case, loud)]
    else:
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
    if _asks_mood(case):
        ranked = in_mood(case, ranked) or ranked
    topic = set(case.reading.focus.terms)
    about = [one for one in ranked if topic & terms_of(one.text)]
    return next(iter(about or ranked), None)


def _asks_mood(case: Case) -> bool:
    """Return whether an emotion is asked about, in a meeting where a model listened for it."""
    return bool(moods_asked(case.belief.question)) and moods_measured(case.meeting)


def trigger_terms(case: Case) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the striking utterance with what it answers, and the rare words they share with earlier talk."""
    loud = striking(case)
    if loud is None:
        return (), ()
    before = case.previous(loud, other_speaker=True)
    ids = (loud.id,) if before is None else (loud.id, before.id)
    return ids, _key_words(case, loud, before)


def interruptions(case: Case) -> tuple[Sentence, ...]:
    """Say who interrupts how often, and what shows it."""
    cuts = _asked_cuts(case, find_cuts(case.in_time_order(case.found("all"))))
    if not cuts:
        heard = case.found("all")
        names = joined(case.language, [case.meeting.speaker(id).name for id in case.speakers])
        key = "no_such_interruptions" if names else "no_interruptions"
        return (case.say(key, [heard[0], heard[-1]], names=names),) if heard else ()
    counts: dict[str, list[Cut]] = {}
    for cut in cuts:
        counts.setdefault(cut.by.speaker, []).append(cut)
    order = sorted(counts, key=lambda id: -len(counts[id]))
    sentences = []
    for place, id in enumerate(order):
        sentences.append(
            case.say(
                "interrupts" if place or len(order) == 1 else "interrupts_most",
                [cut.by.id for cut in counts[id][:6]],
                name=case.meeting.speaker(id).name,
                count=often(case.language, len(counts[id])),
            )
        )
    return (*sentences, *(_shown(case, cut) for cut in counts[order[0]][:SHOWN]))


def _asked_cuts(case: Case, cuts: list[Cut]) -> list[Cut]:
    """Return the interruptions by, or of, the speakers that the question names; all if it names none."""
    involved, question = case.speakers, case.belief.question
    if not involved:
        return cuts

    def asks(pattern: str) -> bool:
        return re.search(pattern, question, re.IGNORECASE) is not None

    passive = asks(r"\b(?:is|was|were|been|gets?|got)\s+(?:\w+\s+){0,2}interrupted\b|被打断")
    with_object = asks(r"\binterrupt\w*\s+(?:the\s+)?\w+|打断了?\S")
    with_subject = asks(r"\b(?:did|does|has) (?:the )?[\w ]+? (?:interrupt|cut|talk over)")
    anyone = asks(r"\b(anyone|anybody|someone|somebody|who)\b|有人|谁")
    if passive or (with_object and (anyone or not with_subject)):
        return [cut for cut in cuts if cut.on.speaker in involved]
    return [cut for cut in cuts if cut.by.speaker in involved]


def _shown(case: Case, cut: Cut) -> Sentence:
    other = case.meeting.name_of(cut.on)
    if cut.seconds < 0:
        return case.quote("talks_over", cut.by, cut.on.id, other=other, seconds=f"{-cut.seconds:.1f}")
    last = trimmed(cut.on.text).split(" ")[-LAST_WORDS:]
    return case.quote(
        "cuts_off", cut.by, cut.on.id, other=other, seconds=f"{cut.seconds:.1f}", last=" ".join(last)
    )


def sound_moment(case: Case, condition: str) -> Utterance | None:
    """Return the utterance at which a sound happens ("after the long silence", "after Rosa shouts").

    For a pause it is the one before the silence, so that what follows is what breaks it.
    """
    if condition == "pause":
        pause = _pause(case)
        return pause[1] if pause else None
    anchor = case.reading.event.anchor if case.reading.event else ""
    if condition == "laugh":
        heard = case.in_time_order(case.found("heard"))
        ranked = [one for one in heard if set(sounds_asked(anchor)) & set(events_of(one))]
    else:
        ranked = _ranked(case, _standing_out(condition if condition in _MEASURES else "loud"), fitting=False)
    named = find_speakers(anchor, case.meeting)
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
    value = compared(
        _sound(one),
        habits_of(case.meeting.utterances).get(one.speaker),
        case.meeting.name_of(one),
        language=case.language,
        rate=key in ("fastest", "slowest"),
    )
    return case.quote(key, one, value=value)


def _sound(one: Utterance) -> Acoustics:
    return one.acoustics or Acoustics()


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _negated(measure: Measure) -> Measure:
    return lambda sound: _negative(measure(sound))

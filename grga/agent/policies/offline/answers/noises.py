"""Answers about laughter, applause and the like: when, how often, during whose words, or that there is none.

A sound belongs to the remark during which it is heard: who makes it is not measured.
"""

from __future__ import annotations

from grga.agent.policies.offline.answers.hearing import CITED, SHOWN, any_of, ends, names_in, pool_of
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.feelings import sounds_asked
from grga.agent.policies.offline.phrases import at, excerpt, joined, often, phrase
from grga.agent.policies.offline.wording import says
from grga.agent.steps import Form
from grga.speech.emotion.words import event_word, events_of
from grga.types import Sentence, Utterance


def sounds(case: Case) -> tuple[Sentence, ...]:
    """Say when there is laughter (applause, a cough, …), during whose words, how often; or that there is none."""
    pool = pool_of(case)
    if not pool:
        return ()
    wanted = sounds_asked(case.belief.question)
    found = [one for one in pool if set(events_of(one)) & set(wanted)]
    form = case.reading.constraints.metadata.form
    sound = any_of(case, [event_word(name, case.language) for name in wanted])
    if not found:
        told = [case.say("no", ends(pool))] if form is Form.YES_NO else []
        return (*told, case.say("no_sound", ends(pool), sound=sound, during=_during(case)))
    cited = [one.id for one in found[:CITED]]
    head: list[Sentence] = []
    most = _most_sounds(case, found, sound) if says(case.belief.question, "most") else None
    if most is not None:
        head = [most]
    elif form is Form.YES_NO and not case.speakers:
        head = [case.say("yes", cited)]
    elif form in (Form.YES_NO, Form.WHO):
        names = joined(case.language, names_in(case, found))
        head = [case.say("sound_who", cited, sound=sound, names=names)]
    elif form is Form.HOW_MANY or len(found) > SHOWN:
        count = often(case.language, len(found))
        head = [_opened(case.say("sound_count", cited, sound=sound, count=count))]
    told = []
    for one in found[:SHOWN]:
        told.append(_sound_at(case, one, wanted))
        if form is Form.WHY and (before := case.previous(one, other_speaker=False)) is not None:
            told.append(case.quote("before_that", before))
    return (*head, *told)


def _sound_at(case: Case, one: Utterance, wanted: tuple[str, ...]) -> Sentence:
    heard = [event_word(name, case.language) for name in events_of(one) if name in wanted]
    return case.say(
        "sound_at",
        [one.id],
        time=at(one.start),
        sound=joined(case.language, heard),
        name=joined(case.language, names_in(case, [one])),
        text=excerpt(one.text, case.terms),
        speaks="speak" if one.second_speaker else "speaks",
    )


def _most_sounds(case: Case, found: list[Utterance], sound: str) -> Sentence | None:
    """Return during whose remarks it is heard most often, None when two share that."""
    by_speaker: dict[str, list[Utterance]] = {}
    for one in found:
        by_speaker.setdefault(one.speaker, []).append(one)
    own, *others = sorted(by_speaker.values(), key=lambda own: (-len(own), own[0].start))
    if others and len(others[0]) == len(own):
        return None
    name, count = case.meeting.name_of(own[0]), often(case.language, len(own))
    return case.say("sound_most", [one.id for one in own[:CITED]], sound=sound, name=name, count=count)


def _during(case: Case) -> str:
    """Return where a sound was looked for, "" for the whole meeting."""
    if case.speakers:
        names = joined(case.language, [case.meeting.speaker(id).name for id in case.speakers])
        return phrase(case.language, "during", names=names)
    return phrase(case.language, "there") if case.reading.focus.terms or case.reading.event else ""


def _opened(sentence: Sentence) -> Sentence:
    return Sentence(sentence.text[:1].upper() + sentence.text[1:], sentence.citations)

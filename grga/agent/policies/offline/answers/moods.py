"""Answers from the emotions that a model heard in remarks: who sounds angry, when, or that nobody does.

A model's score is never said; an emotion it was not sure of is worded with care.
"""

from __future__ import annotations

from collections.abc import Iterable

from grga.agent.policies.offline.answers.hearing import CITED, SHOWN, any_of, ends, pool_of
from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.feelings import moods_asked
from grga.agent.policies.offline.phrases import joined, often, phrase
from grga.agent.policies.offline.wording import says
from grga.agent.steps import Form
from grga.speech.emotion.words import emotion_word, is_sure, mood_of
from grga.types import Acoustics, Sentence, Utterance


def moods(case: Case) -> tuple[Sentence, ...]:
    """Say who sounds angry (happy, sad, …), when, or that nobody does."""
    pool = pool_of(case)
    if not pool:
        return ()
    wanted = moods_asked(case.belief.question)
    if not wanted:
        return _all_moods(case, pool)
    found = [one for one in pool if mood_of(one.acoustics) in wanted]
    form = case.reading.constraints.metadata.form
    if not found:
        told = [case.say("no", ends(pool))] if form is Form.YES_NO else []
        others = (
            [one for one in pool if mood_of(one.acoustics)] if len(pool) < len(case.found("heard")) else []
        )
        nothing = no_mood(case, pool, wanted)
        return (*told, nothing, *(mood_at(case, one) for one in _by_clarity(others)[:1]))
    sure = [one for one in found if _sure(one)]
    moments = sorted(_by_clarity(found)[:SHOWN], key=lambda one: one.start)
    head: list[Sentence] = []
    if form is Form.YES_NO:
        head = [case.say("yes" if sure else "mood_maybe", [one.id for one in (sure or found)[:CITED]])]
    elif form is Form.WHO or form is Form.HOW_MANY or says(case.belief.question, "most"):
        head = list(_who(case, found, wanted))
    return (*head, *(mood_at(case, one) for one in moments))


def mood_told(case: Case, one: Utterance) -> Sentence | None:
    """Return how the model heard a remark, None where it heard nothing: for answers from measurements."""
    if one.acoustics is None or one.acoustics.emotion is None:
        return None
    key = "mood_told" if _sure(one) else "mood_told_maybe"
    return case.say(key, [one.id], mood=emotion_word(one.acoustics.emotion, case.language))


def in_mood(case: Case, utterances: Iterable[Utterance]) -> list[Utterance]:
    """Return those that sound as the question says, the clearest first."""
    wanted = moods_asked(case.belief.question)
    return _by_clarity(one for one in utterances if mood_of(one.acoustics) in wanted)


def mood_at(case: Case, one: Utterance) -> Sentence:
    """Return when who sounds how, with the words."""
    label = mood_of(one.acoustics) or ""
    key = "mood_at" if _sure(one) else "mood_at_maybe"
    return case.quote(key, one, mood=emotion_word(label, case.language))


def no_mood(case: Case, pool: list[Utterance], wanted: tuple[str, ...]) -> Sentence:
    """Return that nothing in ``pool`` sounds as asked."""
    names = [case.meeting.speaker(id).name for id in case.speakers]
    return case.say(
        "no_mood",
        ends(pool),
        names=joined(case.language, names) if names else phrase(case.language, "anybody"),
        about=phrase(case.language, "about_it") if case.reading.focus.terms else "",
        mood=_moods(case, wanted),
    )


def _who(case: Case, found: list[Utterance], wanted: tuple[str, ...]) -> Iterable[Sentence]:
    """Count by speaker: those who surely sound so first."""
    by_speaker: dict[str, list[Utterance]] = {}
    for one in found:
        by_speaker.setdefault(one.speaker, []).append(one)
    order = sorted(by_speaker.values(), key=lambda own: (-sum(map(_sure, own)), -len(own), own[0].start))
    counts = [sum(map(_sure, own)) for own in order]
    most = says(case.belief.question, "most") and counts[0] > max(counts[1:], default=0)
    for place, own in enumerate(order):
        sure = [one for one in own if _sure(one)]
        key = "mood_who" if sure else "mood_who_maybe"
        if most and sure and place == 0:
            key = "mood_only" if len(order) == 1 else "mood_most"
        shown = sure or own
        yield case.say(
            key,
            [one.id for one in shown[:CITED]],
            name=case.meeting.name_of(own[0]),
            mood=_moods(case, wanted, shown),
            count=often(case.language, len(shown)),
        )


def _all_moods(case: Case, pool: list[Utterance]) -> tuple[Sentence, ...]:
    """Return who sounds how, emotion by emotion, and the clearest moments."""
    found = [one for one in pool if mood_of(one.acoustics)]
    if not found:
        return (case.say("mood_plain", ends(pool)),)
    sentences: list[Sentence] = []
    labels = {str(mood_of(one.acoustics)) for one in found}
    for label in sorted(labels, key=lambda label: -sum(mood_of(one.acoustics) == label for one in found)):
        sentences += _who(case, [one for one in found if mood_of(one.acoustics) == label], (label,))
    moments = sorted(_by_clarity(found)[:SHOWN], key=lambda one: one.start)
    return (*sentences, *(mood_at(case, one) for one in moments))


def _moods(case: Case, wanted: tuple[str, ...], shown: Iterable[Utterance] | None = None) -> str:
    """Return the labels in words; with ``shown``, only those that are heard in it."""
    heard = None if shown is None else {mood_of(one.acoustics) for one in shown}
    labels = [label for label in wanted if heard is None or label in heard]
    return any_of(case, [emotion_word(label, case.language) for label in labels])


def _by_clarity(utterances: Iterable[Utterance]) -> list[Utterance]:
    def score(one: Utterance) -> float:
        value = one.acoustics.emotion_score if one.acoustics else None
        return 1.0 if value is None else value

    return sorted(utterances, key=lambda one: (-score(one), one.start))


def _sure(one: Utterance) -> bool:
    return is_sure(one.acoustics or Acoustics())

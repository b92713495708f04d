"""Questions about emotions and sounds that models heard: only what was measured, never a model's number.

A meeting to which no model has listened gives none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from annotation.generation.offline.draft import Draft
from annotation.generation.offline.facts import Facts
from annotation.generation.offline.wording import at, cut, say
from annotation.schema import AnswerKey
from grga.agent.steps import QuestionType
from grga.speech.emotion.words import emotion_word, event_word, events_of, is_sure, mood_of
from grga.types import Utterance

INTENSITY, CAUSE = "emotion & intensity", "cross-modal localisation & cause"
ASKED_IN_VAIN = "angry"
"""What a verification question asks for where everything sounds neutral."""
SOUNDS = ("laughter", "applause", "crying")
"""Sounds that are asked about; a cough or a breath tells nothing about a meeting."""


def how_it_sounds(facts: Facts) -> Iterator[Draft]:
    """How a quoted remark sounds, where the model was sure of an emotion."""
    for one in facts.telling:
        mood, quote = _sure_mood(one), facts.quote(one)
        if mood is None or quote is None:
            continue
        told = emotion_word(mood, facts.language)
        yield Draft(
            QuestionType.ACOUSTIC,
            INTENSITY,
            say(facts.language, "mood", name=facts.name(one.speaker), quote=quote),
            say(facts.language, "mood.a", mood=told, time=at(one.start)),
            (one.id,),
            AnswerKey(utterances=(one.id,)),
            say(facts.language, "mood.r", mood=told),
        )


def who_sounds_so(facts: Facts) -> Iterator[Draft]:
    """Who sounds angry (happy, sad, …), where only one person does and no doubtful label says otherwise."""
    by_mood: dict[str, list[Utterance]] = defaultdict(list)
    for one in facts.meeting.utterances:
        if (mood := mood_of(one.acoustics)) is not None:
            by_mood[mood].append(one)
    for mood, heard in by_mood.items():
        sure = [one for one in heard if _sure_mood(one) is not None and one in facts.telling]
        if not sure or len({one.speaker for one in heard}) != 1:
            continue
        one, told = sure[0], emotion_word(mood, facts.language)
        yield Draft(
            QuestionType.ACOUSTIC,
            INTENSITY,
            say(facts.language, "mood_who", mood=told),
            say(facts.language, "who_spoke.a", name=facts.name(one.speaker), time=at(one.start), text=cut(one.text)),
            tuple(other.id for other in sure),
            AnswerKey(speakers=(one.speaker,), utterances=tuple(other.id for other in sure)),
            say(facts.language, "mood_who.r", mood=told),
        )  # fmt: skip


def nothing_but_neutral(facts: Facts) -> Iterator[Draft]:
    """Whether somebody sounds angry, where every label of the meeting is neutral: no."""
    labels = {one.acoustics.emotion for one in facts.meeting.utterances if one.acoustics is not None}
    if labels - {None} != {"neutral"}:
        return
    for own in facts.turns.values():
        heard = [one for one in own if one in facts.telling and _is_surely_neutral(one)]
        one = next((one for one in heard if facts.quote(one) is not None), None)
        if one is None:
            continue
        told, name = emotion_word(ASKED_IN_VAIN, facts.language), facts.name(one.speaker)
        yield Draft(
            QuestionType.ACOUSTIC,
            INTENSITY,
            say(facts.language, "mood_check", name=name, quote=facts.quote(one), mood=told),
            say(facts.language, "mood_check.no"),
            (one.id,),
            AnswerKey(yes=False, utterances=(one.id,)),
            say(facts.language, "mood_check.r"),
        )


def sound_after_a_remark(facts: Facts) -> Iterator[Draft]:
    """In whose remark a sound is heard right after a quoted one by somebody else."""
    for one in facts.telling:
        following, quote = facts.after(one), facts.quote(one)
        if following is None or quote is None or following.speaker == one.speaker:
            continue
        for event in _new_sounds(one, following):
            told = event_word(event, facts.language)
            yield Draft(
                QuestionType.ACOUSTIC,
                CAUSE,
                say(facts.language, "sound_after", sound=told, name=facts.name(one.speaker), quote=quote),
                say(facts.language, "who_spoke.a", name=facts.name(following.speaker), time=at(following.start), text=cut(following.text)),
                (one.id, following.id),
                AnswerKey(speakers=(following.speaker,), utterances=(following.id,)),
                say(facts.language, "sound_after.r", sound=told),
            )  # fmt: skip


def only_sound(facts: Facts) -> Iterator[Draft]:
    """During which remark a sound is heard that is heard once in the meeting."""
    for event in SOUNDS:
        heard = [one for one in facts.meeting.utterances if event in events_of(one)]
        if len(heard) != 1:
            continue
        one, told = heard[0], event_word(event, facts.language)
        yield Draft(
            QuestionType.ACOUSTIC,
            INTENSITY,
            say(facts.language, "sound_once", sound=told),
            say(facts.language, "remark.a", name=facts.name(one.speaker), time=at(one.start), text=cut(one.text)),
            (one.id,),
            AnswerKey(utterances=(one.id,)),
            say(facts.language, "sound_once.r", sound=told),
        )  # fmt: skip


MAKERS = (how_it_sounds, who_sounds_so, nothing_but_neutral, sound_after_a_remark, only_sound)


def _sure_mood(one: Utterance) -> str | None:
    """Return an emotion other than neutral of which the model was sure."""
    mood = mood_of(one.acoustics)
    return mood if mood is not None and one.acoustics is not None and is_sure(one.acoustics) else None


def _is_surely_neutral(one: Utterance) -> bool:
    return one.acoustics is not None and one.acoustics.emotion == "neutral" and is_sure(one.acoustics)


def _new_sounds(before: Utterance, one: Utterance) -> list[str]:
    return [event for event in SOUNDS if event in events_of(one) and event not in events_of(before)]

"""Questions about how something was said: from measurements that are clear by a margin.

Only for meetings with a recording. Emotions are asked about where a model measured them, see
:mod:`annotation.generation.offline.feelings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

from annotation.generation.offline import feelings
from annotation.generation.offline.draft import Draft
from annotation.generation.offline.facts import Facts
from annotation.generation.offline.wording import at, cut, say, seconds, turns
from annotation.schema import AnswerKey
from grga.agent.steps import QuestionType
from grga.types import Acoustics, Utterance

CLEAR_DB = 1.0
"""Decibels by which the loudest or quietest remark must differ from the next one."""
CLEAR_RATE = 0.08
"""Share of its rate by which the fastest or slowest remark must differ from the next one."""
CLEAR_SILENCE = 0.3
"""Seconds by which the longest silence must exceed the next one."""
LEAST_SILENCE = 1.0
LOUDER_DB, AS_USUAL_DB = 2.5, 0.6
"""Decibels over a speaker's mean from which a remark is louder than usual, and up to which it is not."""
LEAST_OVERLAP = 0.5
"""Seconds for which two people must speak at once to count as talking over somebody."""
FEWEST_WORDS = 4
"""A rate is measured over at least so many words."""

Measure = Callable[[Acoustics], float | None]
INTENSITY, CAUSE = "emotion & intensity", "cross-modal localisation & cause"


def extremes(facts: Facts) -> Iterator[Draft]:
    """The loudest remark of all; each speaker's loudest, quietest, fastest and slowest one."""
    everything = list(facts.meeting.utterances)
    yield from _extreme(facts, "loudest", everything, _level, "level.r", 1.0)
    for speaker, own in facts.turns.items():
        values = {"name": facts.name(speaker)}
        yield from _extreme(facts, "loudest_of", own, _level, "level.r", 1.0, **values)
        yield from _extreme(facts, "quietest_of", own, _level, "level.r", -1.0, **values)
        yield from _extreme(facts, "fastest_of", own, _rate, "rate.r", 1.0, **values)
        yield from _extreme(facts, "slowest_of", own, _rate, "rate.r", -1.0, **values)


def louder_than_usual(facts: Facts) -> Iterator[Draft]:
    """Whether somebody is louder than usual in a quoted remark: yes, or (once for each speaker) no."""
    denied: set[str] = set()
    for one in sorted(facts.telling, key=lambda one: abs(_above_mean(facts, one) or 0.0)):
        more, quote = _above_mean(facts, one), facts.quote(one)
        if more is None or quote is None or (abs(more) > AS_USUAL_DB and more < LOUDER_DB):
            continue
        yes, name = more >= LOUDER_DB, facts.name(one.speaker)
        if not yes and one.speaker in denied:
            continue
        denied |= set() if yes else {one.speaker}
        yield Draft(
            QuestionType.ACOUSTIC,
            INTENSITY,
            say(facts.language, "louder", name=name, quote=quote),
            say(
                facts.language,
                "louder.yes" if yes else "louder.no",
                name=name,
                value=f"{more:.0f}" if yes else "1",
            ),
            (one.id,),
            AnswerKey(yes=yes, utterances=(one.id,)),
            say(
                facts.language,
                "louder.r",
                name=name,
                turns=turns(facts.language, len(facts.turns[one.speaker])),
            ),
        )


def before_a_raised_voice(facts: Facts) -> Iterator[Draft]:
    """What another speaker said right before somebody became much louder than usual."""
    for one in facts.telling:
        more = _above_mean(facts, one)
        earlier = facts.meeting.utterances[one.id - 1] if one.id else None
        if more is None or more < LOUDER_DB or earlier is None or earlier not in facts.telling:
            continue
        if earlier.speaker == one.speaker or one.start - earlier.end > 5:
            continue
        yield Draft(
            QuestionType.ACOUSTIC,
            CAUSE,
            say(facts.language, "raised", name=facts.name(one.speaker), time=at(one.start)),
            say(
                facts.language,
                "raised.a",
                name=facts.name(earlier.speaker),
                time=at(earlier.start),
                text=cut(earlier.text),
            ),
            (earlier.id, one.id),
            AnswerKey(utterances=(earlier.id,)),
            say(facts.language, "raised.r", time=at(one.start), value=f"{more:.0f}"),
        )


def longest_silence(facts: Facts) -> Iterator[Draft]:
    """Who ends the longest silence."""
    gaps = silences(facts.meeting.utterances)
    if len(gaps) < 2 or gaps[0][0] < LEAST_SILENCE or gaps[0][0] - gaps[1][0] < CLEAR_SILENCE:
        return
    gap, before, after = gaps[0]
    yield Draft(
        QuestionType.ACOUSTIC,
        CAUSE,
        say(facts.language, "silence"),
        say(
            facts.language,
            "silence.a",
            name=facts.name(after.speaker),
            time=at(after.start),
            seconds=seconds(facts.language, gap),
            text=cut(after.text),
        ),
        (before.id, after.id),
        AnswerKey(speakers=(after.speaker,), utterances=(after.id,)),
        say(facts.language, "silence.r", seconds=seconds(facts.language, gaps[1][0])),
    )


def talking_over(facts: Facts) -> Iterator[Draft]:
    """Who starts while somebody is still talking."""
    said = facts.meeting.utterances
    for one in facts.telling:
        under = [
            other
            for other in said[max(0, one.id - 12) : one.id]
            if other.speaker != one.speaker and other.end - one.start >= LEAST_OVERLAP
        ]
        if len(under) != 1 or under[0] not in facts.telling:
            continue
        other = under[0]
        starting = [
            id for id in said if abs(id.start - one.start) < 1.5 and id.speaker not in (other.speaker,)
        ]
        if len({each.speaker for each in starting}) != 1:
            continue
        yield Draft(
            QuestionType.ACOUSTIC,
            CAUSE,
            say(facts.language, "over", name=facts.name(other.speaker), time=at(one.start)),
            say(facts.language, "over.a", name=facts.name(one.speaker), text=cut(one.text)),
            (other.id, one.id),
            AnswerKey(speakers=(one.speaker,), utterances=(one.id,)),
            say(facts.language, "over.r", seconds=seconds(facts.language, other.end - one.start)),
        )


MAKERS = (
    extremes,
    louder_than_usual,
    before_a_raised_voice,
    longest_silence,
    talking_over,
    *feelings.MAKERS,
)


def silences(utterances: tuple[Utterance, ...]) -> list[tuple[float, Utterance, Utterance]]:
    """Return the silences (seconds, before, after), longest first; nobody at all speaks in them."""
    found = []
    last = utterances[0]
    for one in utterances[1:]:
        if one.start > last.end:
            found.append((one.start - last.end, last, one))
        if one.end > last.end:
            last = one
    return sorted(found, key=lambda gap: (-gap[0], gap[2].id))


def _extreme(
    facts: Facts,
    question: str,
    pool: list[Utterance],
    measure: Measure,
    reason: str,
    sign: float,
    **values: str,
) -> Iterator[Draft]:
    measured = [
        (sign * value, one)
        for one in pool
        if one.acoustics is not None
        and (value := measure(one.acoustics)) is not None
        and (measure is _level or len(facts.prepared.tokens[one.id]) >= FEWEST_WORDS)
    ]
    measured.sort(key=lambda pair: -pair[0])
    if len(measured) < 3 or measured[0][1] not in facts.telling:
        return
    (best, one), (second, _) = measured[:2]
    margin = best - second
    if margin < (CLEAR_DB if measure is _level else CLEAR_RATE * abs(best)):
        return
    yield Draft(
        QuestionType.ACOUSTIC,
        INTENSITY,
        say(facts.language, question, **values),
        say(facts.language, "remark.a", name=facts.name(one.speaker), time=at(one.start), text=cut(one.text)),
        (one.id,),
        AnswerKey(utterances=(one.id,)),
        say(facts.language, reason, value=f"{sign * best:.1f}", margin=f"{margin:.1f}"),
    )


def _level(sound: Acoustics) -> float | None:
    return sound.loudness_db


def _rate(sound: Acoustics) -> float | None:
    return sound.rate


def _above_mean(facts: Facts, one: Utterance) -> float | None:
    """Return by how many decibels a remark exceeds its speaker's mean; None with fewer than five turns."""
    own = [
        other.acoustics.loudness_db
        for other in facts.turns[one.speaker]
        if other.acoustics is not None and other.acoustics.loudness_db is not None
    ]
    if len(own) < 5 or one.acoustics is None or one.acoustics.loudness_db is None:
        return None
    return one.acoustics.loudness_db - fmean(own)

"""Questions about time: how often, how long, in what order, when."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from annotation.generation.offline.draft import Draft
from annotation.generation.offline.facts import MOST_EVIDENCE, Facts
from annotation.generation.offline.wording import at, cut, say, seconds, times, turns
from annotation.schema import AnswerKey
from grga.agent.steps import QuestionType
from grga.types import TimeSpan, Utterance

CLEARLY_LONGER = 1.0
"""Seconds by which the longest turn must exceed the next one."""
APART = 10.0
"""Seconds between two moments whose order or distance is asked for."""
CLEAR_OF_LIMITS = 0.5
"""Seconds between the limits of a window and the turns in and around it."""
INSIDE = 1.0
"""Seconds between a named moment and the ends of the turn in which it lies."""


def word_counts(facts: Facts) -> Iterator[Draft]:
    """How often a word is said, by all and by one speaker."""
    for word, places in facts.counts.items():
        total = sum(places.values())
        if not 2 <= total <= 12:
            continue
        yield _count(facts, word, places, say(facts.language, "count_word", word=word))
        for speaker, own in facts.turns.items():
            said = {one.id: places[one.id] for one in own if one.id in places}
            if 2 <= sum(said.values()) < total:
                question = say(facts.language, "count_word_by", word=word, name=facts.name(speaker))
                yield _count(facts, word, said, question)


def turn_counts(facts: Facts) -> Iterator[Draft]:
    """How many turns somebody takes, in all or between two times."""
    for speaker, window, own in _windows(facts):
        if any(later.id - earlier.id == 1 for earlier, later in pairwise(own)):
            continue  # two lines in a row are one turn to the ear
        key = "turns_in" if window else "turns_all"
        name = facts.name(speaker)
        yield Draft(
            QuestionType.TEMPORAL,
            "frequency statistics",
            say(facts.language, key, name=name, **_limits(window)),
            say(facts.language, "turns.a", turns=turns(facts.language, len(own))),
            tuple(one.id for one in own),
            AnswerKey(count=len(own)),
            say(facts.language, "turns.r", name=name),
        )


def talk_times(facts: Facts) -> Iterator[Draft]:
    """How long somebody speaks, in all or between two times."""
    for speaker, window, own in _windows(facts):
        name, total = facts.name(speaker), sum(one.span.duration for one in own)
        yield Draft(
            QuestionType.TEMPORAL,
            "duration",
            say(facts.language, "talk_in" if window else "talk_all", name=name, **_limits(window)),
            say(
                facts.language,
                "talk.a",
                seconds=seconds(facts.language, total),
                turns=turns(facts.language, len(own)),
            ),
            tuple(one.id for one in own),
            AnswerKey(seconds=total),
            say(facts.language, "talk.r", name=name),
        )


def longest_turns(facts: Facts) -> Iterator[Draft]:
    """How long somebody's longest turn is."""
    for speaker, own in facts.turns.items():
        ranked = sorted(own, key=lambda one: -one.span.duration)
        if len(ranked) < 3 or ranked[0].span.duration - ranked[1].span.duration < CLEARLY_LONGER:
            continue
        longest, name = ranked[0], facts.name(speaker)
        before_and_after = facts.meeting.utterances[max(0, longest.id - 1) : longest.id + 2]
        if any(one.speaker == speaker for one in before_and_after if one is not longest):
            continue  # together with its neighbour it would be one longer turn
        yield Draft(
            QuestionType.TEMPORAL,
            "duration",
            say(facts.language, "longest", name=name),
            say(
                facts.language,
                "longest.a",
                seconds=seconds(facts.language, longest.span.duration),
                start=at(longest.start),
                end=at(longest.end),
                text=cut(longest.text),
            ),
            (longest.id,),
            AnswerKey(seconds=longest.span.duration),
            say(
                facts.language,
                "longest.r",
                name=name,
                seconds=seconds(facts.language, ranked[1].span.duration),
            ),
        )


def time_between(facts: Facts) -> Iterator[Draft]:
    """How much time passes between two remarks of different people."""
    marked = [(one, text) for one in facts.telling if (text := facts.opening(one)) and _is_short(one)]
    for (one, first), (two, second) in pairwise(marked[::3]):
        if one.speaker == two.speaker or two.start - one.end < APART:
            continue
        passed = two.start - one.start
        yield Draft(
            QuestionType.TEMPORAL,
            "duration",
            say(
                facts.language,
                "between",
                one=facts.name(one.speaker),
                two=facts.name(two.speaker),
                first=first,
                second=second,
            ),
            say(
                facts.language,
                "between.a",
                seconds=seconds(facts.language, passed),
                start=at(one.start),
                end=at(two.start),
            ),
            (one.id, two.id),
            AnswerKey(seconds=passed, tolerance=max(one.span.duration, 2.0)),
            say(facts.language, "between.r"),
        )


def meeting_length(facts: Facts) -> Iterator[Draft]:
    """How long the meeting lasts, if the recording ends with it."""
    said = facts.meeting.utterances
    last = max(said, key=lambda one: one.end)
    if said[0].start > 5 or facts.meeting.duration - last.end > 5:
        return
    yield Draft(
        QuestionType.TEMPORAL,
        "duration",
        say(facts.language, "lasts"),
        say(
            facts.language,
            "lasts.a",
            seconds=seconds(facts.language, facts.meeting.duration),
            end=at(last.end),
        ),
        (said[0].id, last.id),
        AnswerKey(seconds=facts.meeting.duration, tolerance=5.0),
        say(facts.language, "lasts.r"),
    )


def opening_and_closing(facts: Facts) -> Iterator[Draft]:
    """Who speaks first and last."""
    said = facts.meeting.utterances
    by_end = sorted(said, key=lambda one: one.end)
    if len(said) > 1 and said[1].start - said[0].start > INSIDE:
        yield _ordered(facts, "first", "who_spoke", said[0])
    if len(said) > 1 and by_end[-1].end - by_end[-2].end > INSIDE:
        yield _ordered(facts, "last", "who_spoke", by_end[-1])


def first_mentions(facts: Facts) -> Iterator[Draft]:
    """Who mentions a thing first or last, and when."""
    for word, places in facts.nouns.items():
        ids = sorted(places)
        said = [facts.meeting.utterances[id] for id in ids]
        if len({one.speaker for one in said}) < 2 or len(said) > MOST_EVIDENCE:
            continue
        if said[1].start - said[0].end > INSIDE:
            yield _ordered(facts, "first_word", "who_spoke", said[0], word=word)
            yield _located(facts, say(facts.language, "when_word", word=word), "when_word.a", said[0])
        if said[-1].start - said[-2].end > INSIDE:
            yield _ordered(facts, "last_word", "who_spoke", said[-1], word=word)


def which_first(facts: Facts) -> Iterator[Draft]:
    """Which of two things comes up first."""
    first = {
        word: facts.meeting.utterances[min(places)]
        for word, places in facts.nouns.items()
        if len(places) >= 2
    }
    for number, (one, two) in enumerate(combinations(sorted(first, key=lambda word: first[word].id), 2)):
        early, late = first[one], first[two]
        if late.start - early.end < APART:
            continue
        a, b = (one, two) if number % 2 else (two, one)  # the right one does not always stand first
        yield Draft(
            QuestionType.TEMPORAL,
            "relative sequencing",
            say(facts.language, "which_first", one=a, two=b),
            say(facts.language, "which_first.a", one=one, two=two, start=at(early.start), end=at(late.start)),
            (early.id, late.id),
            AnswerKey(words=(one,), utterances=(early.id,)),
            say(facts.language, "which_first.r"),
        )


def what_follows(facts: Facts) -> Iterator[Draft]:
    """What is said, and by whom, right after a remark."""
    for number, one in enumerate(facts.telling):
        quote, following = facts.quote(one), facts.after(one)
        if quote is None or following is None or following.speaker == one.speaker:
            continue
        if facts.prepared.backchannel[following.id] or len(facts.prepared.terms[following.id]) < 2:
            continue
        key = "what_after" if number % 2 else "who_after"
        other, name = facts.name(one.speaker), facts.name(following.speaker)
        yield Draft(
            QuestionType.TEMPORAL,
            "relative sequencing",
            say(facts.language, key, name=name, other=other, quote=quote),
            say(facts.language, "after.a", name=name, time=at(following.start), text=cut(following.text)),
            (one.id, following.id),
            AnswerKey(
                utterances=(following.id,), speakers=(following.speaker,) if key == "who_after" else ()
            ),
            say(facts.language, "after.r"),
        )


def when_said(facts: Facts) -> Iterator[Draft]:
    """When somebody says a phrase."""
    for one in facts.telling:
        quote = facts.opening(one)
        if quote:
            question = say(facts.language, "when_said", name=facts.name(one.speaker), quote=quote)
            yield _located(facts, question, "when_said.a", one)


def what_at(facts: Facts) -> Iterator[Draft]:
    """Who is speaking, or what is said, at a moment in the middle of a turn."""
    for number, one in enumerate(facts.telling):
        moment = round(one.span.middle)
        around = TimeSpan(moment - INSIDE, moment + INSIDE)
        heard = [other for other in facts.meeting.utterances if other.span.touches(around)]
        if heard != [one] or one.span.duration < 2 * INSIDE + 2:
            continue
        key = "who_at" if number % 2 else "what_at"
        yield Draft(
            QuestionType.TEMPORAL,
            "absolute localisation",
            say(facts.language, key, time=at(moment)),
            say(facts.language, "line", name=facts.name(one.speaker), time=at(one.start), text=cut(one.text)),
            (one.id,),
            AnswerKey(utterances=(one.id,), speakers=(one.speaker,) if key == "who_at" else ()),
            say(facts.language, "at.r"),
        )


MAKERS = (
    word_counts,
    longest_turns,
    what_follows,
    when_said,
    turn_counts,
    talk_times,
    first_mentions,
    what_at,
    opening_and_closing,
    time_between,
    which_first,
    meeting_length,
)


def _count(facts: Facts, word: str, places: dict[int, int], question: str) -> Draft:
    ids = tuple(sorted(places))
    total = sum(places.values())
    said = [facts.meeting.utterances[id] for id in ids]
    shown = [say(facts.language, "place", name=facts.name(one.speaker), time=at(one.start)) for one in said]
    return Draft(
        QuestionType.TEMPORAL,
        "frequency statistics",
        question,
        say(
            facts.language,
            "count_word.a",
            times=times(facts.language, total),
            turns=turns(facts.language, len(ids)),
            places=say(facts.language, "comma").join(shown),
        ),
        ids,
        AnswerKey(count=total),
        say(facts.language, "count_word.r"),
    )


def _ordered(facts: Facts, question: str, kind: str, one: Utterance, **values: str) -> Draft:
    return Draft(
        QuestionType.TEMPORAL,
        "relative sequencing",
        say(facts.language, question, **values),
        say(
            facts.language,
            f"{kind}.a",
            name=facts.name(one.speaker),
            time=at(one.start),
            text=cut(one.text),
        ),
        (one.id,),
        AnswerKey(speakers=(one.speaker,), utterances=(one.id,)),
        say(facts.language, f"{kind}.r"),
    )


def _located(facts: Facts, question: str, answer: str, one: Utterance) -> Draft:
    return Draft(
        QuestionType.TEMPORAL,
        "absolute localisation",
        question,
        say(facts.language, answer, name=facts.name(one.speaker), time=at(one.start), text=cut(one.text)),
        (one.id,),
        AnswerKey(moment=one.start, tolerance=max(2.0, one.span.duration)),
        say(facts.language, "which_first.r" if answer == "when_word.a" else "when_said.r"),
    )


def _windows(facts: Facts) -> Iterator[tuple[str, TimeSpan | None, list[Utterance]]]:
    """Yield speakers with a window (None: the whole meeting) and their 2 to 20 turns in it.

    A window lies on whole minutes, and no turn of the speaker is near its limits.
    """
    minutes = int(facts.meeting.duration // 60)
    for speaker, own in facts.turns.items():
        if 2 <= len(own) <= MOST_EVIDENCE:
            yield speaker, None, own
        for first in range(minutes):
            for length in (1, 2, 4):
                window = TimeSpan(60.0 * first, 60.0 * (first + length))
                if window.end > facts.meeting.duration - CLEAR_OF_LIMITS:
                    continue
                inside = [one for one in own if window.touches(one.span)]
                clear = all(not _near(one, limit) for one in own for limit in (window.start, window.end))
                if clear and 2 <= len(inside) <= MOST_EVIDENCE and len(inside) < len(own):
                    yield speaker, window, inside


def _near(one: Utterance, limit: float) -> bool:
    return limit > 0 and one.start - CLEAR_OF_LIMITS <= limit <= one.end + CLEAR_OF_LIMITS


def _limits(window: TimeSpan | None) -> dict[str, str]:
    return {} if window is None else {"start": at(window.start), "end": at(window.end)}


def _is_short(one: Utterance) -> bool:
    return one.span.duration <= 8

"""From stored answers to the questions of a study: whose answers are there, and which questions to take."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from eval.human.study import Candidate, StudyItem
from eval.records import AnswerRecord
from grga.errors import StudyError


def study_items(records: Iterable[AnswerRecord]) -> tuple[StudyItem, ...]:
    """Return the questions that every system has answered, in order of first appearance.

    Raises:
        StudyError: fewer than one system, a system that answered a question twice, or no question
            that all have answered.
    """
    by_item: dict[str, dict[str, AnswerRecord]] = {}
    for record in records:
        given = by_item.setdefault(record.item, {})
        if record.system in given:
            raise StudyError(f"{record.system!r} answers the question {record.item!r} twice", fix="keep one")
        given[record.system] = record
    systems = {system for given in by_item.values() for system in given}
    whole = {item: given for item, given in by_item.items() if set(given) == systems}
    if not whole:
        raise StudyError(
            "no question has an answer of every system",
            found=f"{len(by_item)} questions, systems {', '.join(sorted(systems)) or 'none'}",
            fix="give the answers of all systems to the same questions",
        )
    return tuple(_item(given) for given in whole.values())


def _item(given: dict[str, AnswerRecord]) -> StudyItem:
    one = next(iter(given.values()))
    return StudyItem(
        key=one.item,
        question=one.question,
        corpus=one.corpus,
        type=one.type,
        meeting=one.meeting,
        reference=one.reference,
        candidates=tuple(
            Candidate(system=system, text=record.text, clips=record.clips)
            for system, record in sorted(given.items())
        ),
    )


def sample(items: Sequence[StudyItem], number: int, seed: int) -> tuple[StudyItem, ...]:
    """Return ``number`` questions spread evenly over type × corpus, in their former order.

    Strata that are too small give all they have, and the others make up for it (the paper samples
    150 questions over five types and three corpora, appendix D).

    Raises:
        StudyError: there are not so many questions.
    """
    if not 1 <= number <= len(items):
        raise StudyError(
            f"{number} questions cannot be taken", found=f"{len(items)} answered by every system"
        )
    strata: dict[tuple[str, str], list[int]] = {}
    for place, item in enumerate(items):
        strata.setdefault((item.corpus, item.type or ""), []).append(place)
    order = random.Random(seed)
    queues = [strata[key] for key in sorted(strata)]
    for queue in queues:
        order.shuffle(queue)
    taken: list[int] = []
    while len(taken) < number:
        # One of each stratum per round; the last round is shared out by chance.
        round_ = [queue for queue in queues if queue]
        order.shuffle(round_)
        taken += [queue.pop() for queue in round_[: number - len(taken)]]
    return tuple(items[place] for place in sorted(taken))

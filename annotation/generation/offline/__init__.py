"""Questions with exact answers, made from the graph and the measurements of a meeting without any model.

The same meeting, seed and numbers give the same items. What a maker proposes is kept only when it passes
every automatic check beside what is there already.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from time import perf_counter

from annotation.generation.checks import check
from annotation.generation.hops import hop_count
from annotation.generation.offline import acoustic, factual, inferential, summarization, temporal
from annotation.generation.offline.draft import Draft
from annotation.generation.offline.facts import Facts
from annotation.schema import Evidence, Generator, QAItem
from grga.agent.steps import QuestionType
from grga.store import IndexedMeeting

VERSION = "1"
"""Changes when the same meeting gives other questions."""
PER_TYPE = 16
"""Items of each type, unless other numbers are asked for."""

Maker = Callable[[Facts], Iterator[Draft]]
MAKERS: dict[QuestionType, tuple[Maker, ...]] = {
    QuestionType.FACTUAL: factual.MAKERS,
    QuestionType.INFERENTIAL: inferential.MAKERS,
    QuestionType.TEMPORAL: temporal.MAKERS,
    QuestionType.SUMMARIZATION: summarization.MAKERS,
    QuestionType.ACOUSTIC: acoustic.MAKERS,
}


@dataclass
class Generated:
    """What came out: the items, and how many proposals each check turned down."""

    items: list[QAItem] = field(default_factory=list)
    turned_down: Counter[str] = field(default_factory=Counter)


def generate_offline(
    meeting: IndexedMeeting,
    quotas: Mapping[QuestionType, int] | None = None,
    *,
    seed: int = 0,
    existing: Sequence[QAItem] = (),
    batch: str = "",
) -> Generated:
    """Return up to so many questions of each type, all of which pass every check.

    Args:
        meeting: With its graph; acoustic questions need its recording.
        quotas: Most items of each type; None takes ``PER_TYPE`` of each. A meeting may hold fewer.
        seed: Another seed gives other questions.
        existing: Items that must not be asked again.
        batch: Name kept in the items.
    """
    facts, made = Facts(meeting), Generated()
    if not meeting.meeting.utterances:
        return made
    known = {item.key for item in existing}
    for kind, wanted in (quotas or dict.fromkeys(MAKERS, PER_TYPE)).items():
        if kind is QuestionType.ACOUSTIC and not meeting.meeting.has_audio:
            continue
        taken = 0
        began = perf_counter()
        for draft in _mixed(facts, MAKERS[kind], random.Random(f"{seed} {kind}")):
            if taken == wanted:
                break
            item = _item(draft, meeting, seed, batch, facts.language, perf_counter() - began)
            results = check(item, meeting, [*existing, *made.items])
            failed = [one.name for one in results if not one.passed]
            if item.key in known and not failed:
                failed = ["not a duplicate"]  # the very same question
            made.turned_down.update(failed)
            if not failed:
                made.items.append(item)
                taken += 1
                began = perf_counter()
    return made


def _mixed(facts: Facts, makers: Sequence[Maker], chance: random.Random) -> Iterator[Draft]:
    """Yield the drafts of all makers, shuffled, taking one of each maker in turn.

    So a small number holds every kind of question, not only the most frequent one.
    """
    piles = []
    for maker in makers:
        pile = list(maker(facts))
        chance.shuffle(pile)
        piles.append(_no_topic_twice(pile))
    while any(piles):
        yield from chain.from_iterable(pile[:1] for pile in piles)
        piles = [pile[1:] for pile in piles]


def _no_topic_twice(pile: list[Draft]) -> list[Draft]:
    """Return the drafts with those about the same evidence at the end."""
    seen: set[tuple[int, ...]] = set()
    first: list[Draft] = []
    again: list[Draft] = []
    for draft in pile:
        (again if draft.evidence in seen else first).append(draft)
        seen.add(draft.evidence)
    return first + again


def _item(
    draft: Draft, meeting: IndexedMeeting, seed: int, batch: str, language: str, seconds: float
) -> QAItem:
    digest = hashlib.sha256(f"{meeting.meeting.id}\n{draft.question}".encode()).hexdigest()[:12]
    return QAItem(
        key=f"{meeting.meeting.id}-offline-{digest}",
        meeting=meeting.meeting.id,
        type=draft.type,
        subtask=draft.subtask,
        question=draft.question,
        answer=draft.answer,
        evidence=tuple(Evidence.of(meeting.meeting, id) for id in sorted(set(draft.evidence))),
        answer_key=draft.key,
        reasoning=draft.reasoning,
        hops=hop_count(meeting.graph, draft.evidence),
        language=language,
        generator=Generator(name="offline", prompt=f"rules {VERSION}", seed=seed, seconds=round(seconds, 3)),
        batch=batch,
    )

"""Topics: a meeting cut where its words change."""

from __future__ import annotations

import numpy as np

from grga.graph.topics import find_topics
from grga.types import TimeSpan, Utterance

BATTERY = ["The battery needs solar cells", "Solar cells charge the battery", "A kinetic battery costs more"]
COLOUR = ["The case is yellow rubber", "Rubber feels like fruit", "Yellow fruit colours the case"]
PRICE = ["Twelve euros production cost", "Profit of fifty million euros", "Cost against profit margin"]


def meeting(*blocks: list[str]) -> list[Utterance]:
    texts = [text for block in blocks for _ in range(8) for text in block]
    return [Utterance(i, f"S{i % 3}", TimeSpan(5.0 * i, 5.0 * i + 4.5), text) for i, text in enumerate(texts)]


def test_boundaries_lie_where_the_words_change() -> None:
    topics = find_topics(meeting(BATTERY, COLOUR, PRICE))
    assert [(topic.first, topic.last) for topic in topics] == [(0, 23), (24, 47), (48, 71)]
    assert {"battery", "solar"} <= set(topics[0].keywords)
    assert {"yellow", "rubber"} <= set(topics[1].keywords)
    assert {"euros", "profit"} <= set(topics[2].keywords)


def test_vectors_alone_can_decide() -> None:
    spoken = [Utterance(i, "S1", TimeSpan(5.0 * i, 5.0 * i + 4), f"word{i} item{i}") for i in range(60)]
    vectors = np.zeros((60, 4), np.float32)
    vectors[:30, 0] = vectors[30:, 1] = 1.0
    assert [topic.first for topic in find_topics(spoken, vectors=vectors)] == [0, 30]


def test_topics_cover_every_utterance_once() -> None:
    spoken = meeting(BATTERY, COLOUR, BATTERY, PRICE)
    covered = [i for topic in find_topics(spoken) for i in range(topic.first, topic.last + 1)]
    assert covered == list(range(len(spoken)))


def test_no_topic_is_too_short() -> None:
    spoken = meeting(BATTERY, COLOUR, PRICE)
    assert all(t.span.duration >= 150 for t in find_topics(spoken, shortest=150.0))


def test_short_and_empty_meetings() -> None:
    assert find_topics([]) == ()
    (only,) = find_topics([Utterance(0, "S1", TimeSpan(0, 3), "Hello batteries")])
    assert (only.first, only.last) == (0, 0)
    assert [
        t.first for t in find_topics([Utterance(i, "S1", TimeSpan(i, i + 1), "yeah") for i in range(9)])
    ] == [0]

"""Each relation on small meetings whose edges can be named by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grga.graph.build import build_graph
from grga.graph.edges.discourse import is_question, relation
from grga.graph.edges.entity import EntityEdges
from grga.graph.edges.reply_to import ReplyEdges
from grga.graph.edges.same_speaker import SameSpeakerEdges
from grga.graph.edges.semantic import SemanticEdges, find_anaphor
from grga.graph.edges.temporal import TemporalEdges
from grga.graph.prepared import Prepared
from grga.text import tokenize
from grga.types import Edge, EdgeType, TimeSpan, Utterance

Line = tuple[float, float, str, str]

MEETING: list[Line] = [
    (0.0, 4.0, "Ann", "We could power the remote with solar cells."),
    (4.5, 5.0, "Ben", "Mm-hmm."),
    (6.0, 9.0, "Cem", "Would the teletext page stay?"),
    (8.0, 12.0, "Ann", "No, teletext is outdated."),
    (20.0, 24.0, "Ben", "That idea with solar cells is too expensive."),
    (24.5, 27.0, "Ann", "Because Solar Tech raised prices."),
]


def prepared(lines: list[Line], vectors: np.ndarray | None = None) -> Prepared:
    spoken = [
        Utterance(i, who, TimeSpan(start, end), text) for i, (start, end, who, text) in enumerate(lines)
    ]
    return Prepared(spoken, vectors)


def pairs(edges: list[Edge]) -> dict[tuple[int, int], str]:
    return {(edge.source, edge.target): edge.label for edge in edges}


def test_temporal_joins_neighbours_and_fades_with_silence() -> None:
    edges = TemporalEdges(half_life=8.0).build(prepared(MEETING))
    assert list(pairs(edges)) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert edges[2].weight == 1.0  # they overlap
    assert edges[3].weight == pytest.approx(0.5)  # eight seconds of silence


def test_same_speaker_is_one_chain_each() -> None:
    edges = SameSpeakerEdges().build(prepared(MEETING))
    assert pairs(edges) == {(0, 3): "Ann", (3, 5): "Ann", (1, 4): "Ben"}


def test_reply_needs_another_speaker_within_the_window() -> None:
    edges = ReplyEdges(window=5.0).build(prepared(MEETING))
    assert pairs(edges) == {
        (0, 1): "reply",
        (1, 2): "reply",
        (0, 2): "reply",  # two seconds after Ann's end
        (2, 3): "interruption",  # Ann starts before Cem has ended
        (1, 3): "reply",
        (4, 5): "reply",
    }


@pytest.mark.parametrize(
    ("second", "gap", "label"),
    [("Ben", 0.1, "interruption"), ("Ben", 0.35, "reply"), ("Cem", 0.1, "reply"), (None, 0.1, "reply")],
)
def test_who_already_talked_during_a_turn_and_takes_over_has_interrupted_it(
    second: str | None, gap: float, label: str
) -> None:
    turn = Utterance(0, "Ann", TimeSpan(0, 4), "We could power the remote", second_speaker=second)
    reply = Utterance(1, "Ben", TimeSpan(4 + gap, 7), "With a battery, surely.")
    [edge] = ReplyEdges().build(Prepared([turn, reply], None))
    assert (edge.source, edge.target, edge.label) == (0, 1, label)
    assert edge.weight == pytest.approx(1 - 0.1 * gap)


@pytest.mark.parametrize(("gap", "linked"), [(4.99, True), (5.0, False), (-0.5, True)])
def test_the_window_is_open_at_its_end(gap: float, linked: bool) -> None:
    lines: list[Line] = [(0.0, 1.0, "Ann", "Is it cheap?"), (1.0 + gap, 9.0, "Ben", "It is cheap.")]
    assert bool(ReplyEdges(window=5.0).build(prepared(lines))) is linked


def test_a_mere_signal_weighs_less_than_a_reply() -> None:
    lines: list[Line] = [
        (0.0, 1.0, "Ann", "Solar."),
        (1.0, 1.2, "Ben", "Yeah."),
        (1.0, 1.5, "Cem", "Too dear."),
    ]
    weights = {edge.target: edge.weight for edge in ReplyEdges().build(prepared(lines)) if edge.source == 0}
    assert weights == pytest.approx({1: 0.4, 2: 1.0})


def test_an_earlier_turn_of_the_same_speaker_weighs_half() -> None:
    lines: list[Line] = [
        (0.0, 1.0, "Ann", "Solar cells."),
        (1.0, 2.0, "Ann", "Or a battery."),
        (2.0, 3.0, "Ben", "The battery."),
    ]
    weights = {edge.source: edge.weight for edge in ReplyEdges().build(prepared(lines))}
    assert weights == pytest.approx({1: 1.0, 0: 0.5 * 0.9})


def test_replies_are_all_pairs_of_the_rule_in_a_short_meeting() -> None:
    chooser = np.random.default_rng(5)
    starts = np.sort(chooser.uniform(0, 60, 20))
    lines: list[Line] = [
        (float(s), float(s + chooser.uniform(0.5, 6)), f"S{i % 3}", f"w{i}") for i, s in enumerate(starts)
    ]
    expected = {
        (i, j)
        for j in range(20)
        for i in range(j)
        if lines[i][2] != lines[j][2] and lines[j][0] - lines[i][1] < 5.0
    }
    assert set(pairs(ReplyEdges(max_sources=20).build(prepared(lines)))) == expected


def test_many_interruptions_stay_linear() -> None:
    lines: list[Line] = [(float(i), i + 90.0, f"S{i % 9}", f"word{i}") for i in range(300)]
    edges = ReplyEdges(max_sources=3).build(prepared(lines))
    assert len(edges) <= 3 * 300
    assert max(sum(edge.target == i for edge in edges) for i in range(300)) == 3


def test_entities_join_mentions_and_name_what_is_shared() -> None:
    edges = EntityEdges().build(prepared(MEETING))
    assert pairs(edges) == {
        (0, 4): "cells, solar",
        (2, 3): "disagrees, teletext",
        (4, 5): "explains, solar",
        (0, 5): "solar",
    }


def test_a_rarer_word_weighs_more() -> None:
    lines: list[Line] = [
        (float(i), i + 0.5, "Ann", text)
        for i, text in enumerate(["titanium", "plastic", "titanium", "plastic", "plastic"])
    ]
    weights = {(e.source, e.target): e.weight for e in EntityEdges().build(prepared(lines))}
    assert weights[0, 2] > weights[3, 4]  # two mentions of titanium, three of plastic


def test_a_word_of_every_utterance_links_nothing() -> None:
    lines: list[Line] = [(float(i), i + 0.5, "Ann", f"remote part{i}x") for i in range(40)]
    assert EntityEdges().build(prepared(lines)) == []


def test_a_repeated_word_links_to_the_last_mentions_only() -> None:
    lines: list[Line] = [
        (float(i), i + 0.5, "Ann", "titanium" if i % 25 == 0 else f"w{i}") for i in range(126)
    ]
    edges = EntityEdges(max_links=2).build(prepared(lines))
    assert [(e.source, e.target) for e in edges if e.target == 125] == [(75, 125), (100, 125)]


@pytest.mark.parametrize(
    ("earlier", "later", "name"),
    [
        ("How much is it?", "Twelve euros.", "answers"),
        ("How much is it?", "No, we can't say.", "disagrees"),
        ("Solar is fine.", "No objection.", None),
        ("Solar is fine.", "But it costs too much.", "disagrees"),
        ("Solar is fine.", "Well, because it is clean.", "explains"),
        ("Solar is fine.", "I agree, take it.", "agrees"),
        ("Solar is fine.", "The lid is red.", None),
        ("我们用太阳能吗？", "用电池。", "answers"),
        ("我们用太阳能。", "但是太贵了。", "disagrees"),
    ],
)
def test_discourse_cues(earlier: str, later: str, name: str | None) -> None:
    assert relation(earlier, later) == name


def test_questions_by_mark_or_particle() -> None:
    assert is_question("Is it ?")
    assert is_question("你觉得呢")
    assert not is_question("It is.")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I like that idea very much", "that idea"),
        ("But these buttons are small", "these buttons"),
        ("It would sell", "it"),
        ("They are too small", "they"),
        ("So that leaves the lid", "that"),
        ("This time we win", "this"),
        ("It is important to test", None),
        ("So the lid and the red box and it", None),  # late: it stands for the box
        ("那个想法太贵了", "那个想法"),
        ("它太贵了", "它"),
        ("Nothing of the kind", None),
    ],
)
def test_anaphors(text: str, label: str | None) -> None:
    found = find_anaphor(text, tokenize(text), opening=6)
    assert (found.label if found else None) == label


def test_a_short_form_points_back_to_what_fits_by_meaning() -> None:
    lines: list[Line] = [
        (0.0, 2.0, "Ann", "We could power it with solar cells from Spain."),
        (3.0, 5.0, "Ben", "Lunch comes from the new canteen today."),
        (6.0, 8.0, "Cem", "That idea would please green customers."),
    ]
    vectors = np.array([[1, 0, 0.2], [0, 1, 0], [0.95, 0.1, 0.3]], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    (edge,) = SemanticEdges().build(prepared(lines, vectors))
    assert (edge.source, edge.target, edge.label, edge.type) == (2, 0, "that idea", EdgeType.SEMANTIC)
    assert 0.35 <= edge.weight <= 1.0


def test_a_recurring_noun_reaches_beyond_the_window() -> None:
    filler: list[Line] = [
        (10.0 + i, 10.5 + i, "Ben", f"Other matter number {i} about colour{i}") for i in range(20)
    ]
    lines: list[Line] = [(0.0, 2.0, "Ann", "The kinetic charger costs twelve euros."), *filler]
    lines.append((50.0, 52.0, "Cem", "I still want that charger."))
    edges = SemanticEdges(window=4, meaning=0.0, nearness=0.3, head=0.7).build(prepared(lines))
    assert [(e.source, e.target) for e in edges if e.label == "that charger"] == [(21, 0)]


def test_the_whole_graph_of_the_meeting() -> None:
    graph = build_graph(prepared(MEETING).utterances)
    counts = graph.counts()
    assert (counts[EdgeType.TEMPORAL], counts[EdgeType.REPLY_TO]) == (5, 6)
    assert (counts[EdgeType.SAME_SPEAKER], counts[EdgeType.ENTITY]) == (3, 4)
    semantic = {(edge.source, edge.target) for edge in graph.edges(EdgeType.SEMANTIC)}
    assert all(source == 4 for source, _ in semantic)


def test_edges_grow_with_the_meeting_not_with_its_square() -> None:
    words = [f"topic{i}" for i in range(150)]
    chooser = np.random.default_rng(0)

    def edges(count: int) -> int:
        lines: list[Line] = [
            (2.0 * i, 2.0 * i + 1.9, f"S{i % 4}", "that " + " ".join(chooser.choice(words, 6)))
            for i in range(count)
        ]
        return sum(build_graph(prepared(lines).utterances).counts().values())

    # One temporal, one chain, five replies, ten words and one cue, one reference: at most 19 each.
    assert edges(250) <= 19 * 250
    assert edges(2000) <= 12 * edges(250)


def test_ids_must_be_row_numbers() -> None:
    with pytest.raises(ValueError, match=r"0\.\.n-1"):
        build_graph([Utterance(3, "Ann", TimeSpan(0, 1), "hello")])


def test_one_vector_per_utterance() -> None:
    with pytest.raises(ValueError, match="5 vectors for 6 utterances"):
        build_graph(prepared(MEETING).utterances, vectors=np.zeros((5, 3), np.float32))


def test_nobody_speaks() -> None:
    assert sum(build_graph([]).counts().values()) == 0
    assert sum(build_graph([], vectors=np.zeros((0, 384), np.float32)).counts().values()) == 0

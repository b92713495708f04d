"""Words find their speakers in linear time; words of one speaker become utterances."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grga.speech.diarization import SpeakerSegment
from grga.speech.utterances import assign_words, group_utterances, join_words, with_second_speakers
from grga.types import TimeSpan, Utterance, Word


def word(start: float, end: float, text: str = "w", speaker: str | None = None) -> Word:
    return Word(text, TimeSpan(start, end), 0.9, speaker)


def segment(speaker: str, start: float, end: float) -> SpeakerSegment:
    return SpeakerSegment(speaker, TimeSpan(start, end))


def oracle(one: Word, segments: list[SpeakerSegment], alpha: float) -> set[str]:
    """Every speaker that may be right, by looking at all segments."""
    shares: dict[str, float] = {}
    for turn in segments:
        shares[turn.speaker] = shares.get(turn.speaker, 0.0) + turn.span.overlap(one.span)
    best = max(shares.values())
    if best > 0 and best >= alpha * one.span.duration:
        return {speaker for speaker, share in shares.items() if share > best - 1e-9}
    middle = one.span.middle
    distances = [max(turn.span.start - middle, middle - turn.span.end, 0.0) for turn in segments]
    return {
        turn.speaker for turn, away in zip(segments, distances, strict=True) if away <= min(distances) + 1e-9
    }


tenths = st.integers(0, 300).map(lambda value: value / 10)
spans = st.tuples(tenths, st.integers(0, 40)).map(lambda pair: (pair[0], pair[0] + pair[1] / 10))


@given(
    words=st.lists(spans, max_size=25).map(sorted),
    turns=st.lists(st.tuples(spans, st.sampled_from("ABC")), min_size=1, max_size=25).map(sorted),
    alpha=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
def test_two_pointers_agree_with_looking_at_everything(
    words: list[tuple[float, float]], turns: list[tuple[tuple[float, float], str]], alpha: float
) -> None:
    segments = [segment(speaker, *span) for span, speaker in turns]
    assigned = assign_words([word(*span) for span in words], segments, alpha)
    assert len(assigned) == len(words)
    for one in assigned:
        assert one.speaker in oracle(one, segments, alpha)


def test_a_word_in_a_gap_goes_to_the_nearest_segment() -> None:
    turns = [segment("A", 0, 2), segment("B", 5, 8)]
    speakers = [w.speaker for w in assign_words([word(2.2, 2.6), word(4.5, 4.9), word(9, 9.5)], turns)]
    assert speakers == ["A", "B", "B"]


def test_a_word_over_a_change_of_speaker_goes_to_the_larger_part() -> None:
    turns = [segment("A", 0, 2), segment("B", 2, 4)]
    assert assign_words([word(1.8, 2.6)], turns)[0].speaker == "B"


def test_where_two_talk_at_once_a_word_stays_with_whoever_began_first() -> None:
    turns = [segment("A", 0, 10), segment("B", 9, 14)]
    words = [word(8.5, 8.9), word(9.2, 9.6), word(9.8, 10.4), word(11, 11.4)]
    assert [w.speaker for w in assign_words(words, turns)] == ["A", "A", "B", "B"]


def test_without_segments_nobody_is_named() -> None:
    assert [w.speaker for w in assign_words([word(0, 1)], [])] == ["unknown"]


class Counted(list[SpeakerSegment]):
    """Counts how often a segment is looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        self.looks += 1
        return super().__getitem__(index)


@pytest.mark.parametrize("n", [600, 4800])
def test_assignment_looks_at_each_word_and_segment_a_few_times(n: int) -> None:
    words = [word(i / 3, i / 3 + 0.3) for i in range(n)]
    turns = Counted(segment("AB"[i % 2], i * 2.0, i * 2.0 + 2.2) for i in range(n // 6))
    assign_words(words, turns)
    assert turns.looks < 10 * (n + n // 6)


def test_utterances_break_at_speakers_and_silences() -> None:
    words = [
        word(0.0, 0.4, "Shall", "A"),
        word(0.4, 0.8, "we?", "A"),
        word(0.9, 1.2, "Yes.", "B"),
        word(1.9, 2.2, "Good.", "B"),
        word(3.1, 3.5, "Now", "B"),
    ]
    found = group_utterances(words, beta_sil=0.8)
    assert [(u.id, u.speaker, u.text) for u in found] == [
        (0, "A", "Shall we?"),
        (1, "B", "Yes. Good."),
        (2, "B", "Now"),
    ]
    assert found[1].span == TimeSpan(0.9, 2.2)
    assert found[1].confidence == 0.9
    assert [w.text for w in found[1].words] == ["Yes.", "Good."]


@pytest.mark.parametrize(
    ("turns", "second"),
    [
        ([("A", 0, 10), ("B", 9, 14)], "B"),  # B cuts in: 1 s of 10
        ([("A", 0, 10), ("B", 9.01, 14)], None),  # 0.99 s of 10 is less than a tenth
        ([("A", 0, 10), ("B", 4, 4.9), ("B", 6, 6.1)], "B"),  # two signals, 1 s together
        ([("A", 0, 10), ("B", 3, 5), ("C", 4, 7)], "C"),  # C for longer than B
        ([("A", 0, 10), ("B", 3, 5), ("C", 6, 8)], "B"),  # both for as long
        ([("A", 0, 4), ("B", 4, 6), ("A", 6, 10)], None),  # one at a time
        ([("B", 0, 10), ("C", 0, 10)], None),  # A is in neither
        ([], None),
    ],
)
def test_who_talks_beside_the_speaker_for_long_enough_is_named(
    turns: list[tuple[str, float, float]], second: str | None
) -> None:
    said, *others = [
        Utterance(number, who, TimeSpan(start, end), "so")
        for number, (who, start, end) in enumerate([("A", 0, 10), ("B", 20, 21), ("C", 22, 23)])
    ]
    found = with_second_speakers([said, *others], [segment(*turn) for turn in turns])
    assert found == (replace(said, second_speaker=second), *others)


def test_half_a_second_beside_a_short_utterance_is_the_least() -> None:
    spoken = group_utterances([word(0, 1, speaker="A"), word(2, 3, speaker="B")])
    for end, second in [(0.5, "B"), (0.49, None)]:
        turns = [segment("A", 0, 1), segment("B", 0, end)]
        assert with_second_speakers(spoken, turns)[0].second_speaker == second


def test_a_voice_without_words_of_its_own_is_nobody_to_name() -> None:
    [said] = group_utterances([word(0, 1, speaker="A")])
    assert with_second_speakers([said], [segment("A", 0, 1), segment("B", 0, 1)]) == (said,)


def test_utterances_of_a_transcript_overlap_by_themselves() -> None:
    words = [word(0, 4, speaker="A"), word(3, 5, speaker="B"), word(6, 7, speaker="A")]
    spoken = group_utterances(words)
    assert [one.second_speaker for one in with_second_speakers(spoken, spoken)] == ["B", "A", None]


def test_a_monologue_is_split_after_a_sentence() -> None:
    words = [word(i * 0.5, i * 0.5 + 0.4, "end." if i % 10 == 9 else "word", "A") for i in range(80)]
    found = group_utterances(words)
    assert all(u.text.endswith("end.") for u in found)
    assert max(u.span.duration for u in found) <= 21
    assert sum(len(u.words) for u in found) == 80


def test_without_sentences_the_longest_pause_splits() -> None:
    starts = [i * 0.5 + (0.3 if i >= 50 else 0.0) for i in range(100)]
    found = group_utterances([word(s, s + 0.4, "word", "A") for s in starts], max_seconds=30)
    assert [len(u.words) for u in found] == [50, 50]


@given(
    st.lists(
        st.tuples(spans, st.sampled_from(["A", "B"]), st.sampled_from(["so", "done.", "好。"])), max_size=40
    ).map(sorted)
)
def test_every_word_is_in_exactly_one_utterance_and_ids_follow_time(
    rows: list[tuple[tuple[float, float], str, str]],
) -> None:
    words = [word(*span, text, speaker) for span, speaker, text in rows]
    found = group_utterances(words)
    assert sorted(w.span for u in found for w in u.words) == sorted(w.span for w in words)
    assert [u.id for u in found] == list(range(len(found)))
    assert [u.start for u in found] == sorted(u.start for u in found)
    assert all(w.speaker == u.speaker for u in found for w in u.words)


def test_han_is_joined_without_spaces() -> None:
    assert join_words(["廣", "州", "市，", "房"]) == "廣州市，房"
    assert join_words(["超", "50", "%"]) == "超50%"
    assert join_words(["It", "costs", "5", "pounds", "."]) == "It costs 5 pounds."


def test_a_second_speaker_that_a_transcript_names_stays_where_its_turns_do_not_overlap() -> None:
    named = Utterance(0, "A", TimeSpan(0, 2), "yes", second_speaker="B")
    assert with_second_speakers([named], [named]) == (named,)

"""Times of the words of a corrected line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grga.edits.words import aligned
from grga.types import TimeSpan, Word


def spoken(*texts: str, start: float = 10.0) -> tuple[Word, ...]:
    """Half a second per word, and a pause of a tenth between them."""
    return tuple(
        Word(text, TimeSpan(round(start + 0.6 * i, 3), round(start + 0.6 * i + 0.5, 3)), 0.9, "S1")
        for i, text in enumerate(texts)
    )


def times(words: tuple[Word, ...]) -> list[tuple[str, float, float]]:
    return [(word.text, word.span.start, word.span.end) for word in words]


def test_words_that_stay_are_the_same_words() -> None:
    old = spoken("The", "donkey", "ate", "my", "hat.")
    new = aligned(old, "The monkey ate my hat.")
    assert [new[0], *new[2:]] == [old[0], *old[2:]]
    assert new[1] == Word("monkey", old[1].span, None, "S1")


def test_a_mark_or_a_capital_changes_no_time() -> None:
    old = spoken("hello", "Rosa")
    assert aligned(old, "Hello, Rosa!") == (
        Word("Hello,", old[0].span, 0.9, "S1"),
        Word("Rosa!", old[1].span, 0.9, "S1"),
    )


def test_two_words_in_the_place_of_one_share_its_time_by_length() -> None:
    new = aligned(spoken("a", "coffee", "now"), "a cup of now")
    assert times(new) == [("a", 10.0, 10.5), ("cup", 10.6, 10.9), ("of", 10.9, 11.1), ("now", 11.2, 11.7)]


def test_one_word_in_the_place_of_two_takes_both_times() -> None:
    assert times(aligned(spoken("an", "ice", "berg", "ahead"), "an iceberg ahead"))[1] == (
        "iceberg",
        10.6,
        11.7,
    )


def test_a_word_put_in_between_gets_the_pause() -> None:
    assert times(aligned(spoken("we", "go"), "we never go"))[1] == ("never", 10.5, 10.6)


def test_words_before_the_first_and_after_the_last_are_points_in_time() -> None:
    new = times(aligned(spoken("we", "go"), "so we go now"))
    assert new[0] == ("so", 10.0, 10.0)
    assert new[-1] == ("now", 11.1, 11.1)


def test_a_word_left_out_moves_no_other() -> None:
    old = spoken("um", "the", "fee")
    assert aligned(old, "the fee") == old[1:]


def test_chinese_is_aligned_by_characters() -> None:
    old = spoken("这个", "主", "意", "不", "错。")
    new = aligned(old, "这个主题不错。")
    assert [word.text for word in new] == ["这个", "主", "题", "不", "错。"]
    assert [new[i] for i in (0, 1, 3, 4)] == [old[i] for i in (0, 1, 3, 4)]
    assert new[2].span == old[2].span


def test_half_of_a_recognised_chinese_word_keeps_half_of_its_time() -> None:
    assert times(aligned(spoken("今天"), "今夜")) == [("今", 10.0, 10.25), ("夜", 10.25, 10.5)]


def test_without_times_there_are_no_words() -> None:
    assert aligned((), "anything") == ()


@given(
    st.lists(st.sampled_from(["the", "fee", "Fee,", "今天", "好", "no"]), min_size=1, max_size=8),
    st.lists(st.sampled_from(["the", "fee", "cat", "今夜", "好。", "no"]), min_size=1, max_size=8),
)
def test_any_correction_spells_the_new_text_in_order_of_time(old: list[str], new: list[str]) -> None:
    before = spoken(*old)
    after = aligned(before, " ".join(new))
    assert "".join(word.text for word in after) == "".join(new)
    starts = [word.span.start for word in after]
    assert starts == sorted(starts)
    assert all(before[0].span.start <= w.span.start <= w.span.end <= before[-1].span.end for w in after)


@given(st.lists(st.sampled_from(["the", "fee,", "今天", "主意", "No."]), min_size=1, max_size=8))
def test_the_same_text_gives_the_same_words(texts: list[str]) -> None:
    assert aligned(spoken(*texts), " ".join(texts)) == spoken(*texts)


@pytest.mark.parametrize("text", ["...", "?!", "— —"])
def test_marks_alone_are_words_too(text: str) -> None:
    assert "".join(word.text for word in aligned(spoken("what"), text)) == text.replace(" ", "")

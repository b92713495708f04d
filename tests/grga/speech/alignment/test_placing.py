"""Measured boundaries become words in order inside their clip, whatever the aligner could not tell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grga.speech.alignment.placing import Found, by_letters, placed
from grga.types import TimeSpan, Word

CLIP = TimeSpan(10.0, 14.0)


def said(*texts: str, start: float = 10.0) -> list[Word]:
    return [
        Word(text, TimeSpan(start + index, start + index + 0.8), 0.5, "S1")
        for index, text in enumerate(texts)
    ]


def test_what_was_found_replaces_the_given_times_and_nothing_else() -> None:
    words = placed(said("Well,", "yes."), CLIP, [Found(10.2, 10.5, 0.9), Found(10.61, 11.0004, 0.8)])
    assert words == (
        Word("Well,", TimeSpan(10.2, 10.5), 0.9, "S1"),
        Word("yes.", TimeSpan(10.61, 11.0), 0.8, "S1"),
    )


def test_a_word_that_was_not_found_keeps_its_times_and_loses_its_confidence() -> None:
    words = placed(said("a", "b", "c"), CLIP, [Found(10.0, 10.4, 0.9), None, Found(12.5, 13.0, 0.9)])
    assert words[1] == Word("b", TimeSpan(11.0, 11.8), None, "S1")


def test_it_is_squeezed_between_its_neighbours() -> None:
    words = placed(said("a", "b", "c"), CLIP, [Found(10.0, 11.2), None, Found(11.5, 12.0)])
    assert words[1].span == TimeSpan(11.2, 11.5)


def test_nothing_leaves_the_clip() -> None:
    words = placed(said("a", "b", start=9.5), CLIP, [Found(9.0, 10.3), Found(13.8, 14.7)])
    assert [word.span for word in words] == [TimeSpan(10.0, 10.3), TimeSpan(13.8, 14.0)]


def test_no_words() -> None:
    assert placed([], CLIP, []) == ()


SECONDS = st.floats(0, 30, allow_nan=False)
PLACES = st.none() | st.tuples(SECONDS, SECONDS).map(lambda pair: Found(min(pair), max(pair), 0.5))


@given(st.lists(st.tuples(SECONDS, PLACES), max_size=12), SECONDS, SECONDS)
def test_times_never_go_back_and_never_leave_the_clip(
    rows: list[tuple[float, Found | None]], one: float, other: float
) -> None:
    clip = TimeSpan(min(one, other), max(one, other))
    words = placed(
        [Word("w", TimeSpan(start, start + 0.3)) for start, _ in rows], clip, [found for _, found in rows]
    )
    edges = [edge for word in words for edge in (word.span.start, word.span.end)]
    assert edges == sorted(edges)
    assert all(clip.start <= edge <= clip.end for edge in edges)


def test_words_that_a_program_split_or_joined_are_found_by_their_letters() -> None:
    words = said("Can't", "use", "G.R.G.A.", "today?")
    heard = [
        ("can", Found(0.0, 0.2)),
        ("'t", Found(0.2, 0.3)),
        ("use", Found(0.4, 0.5)),
        ("grga", Found(0.6, 0.9)),
        ("today", Found(1.0, 1.4)),
    ]
    assert by_letters(words, heard) == [
        Found(0.0, 0.3, 0.5),
        Found(0.4, 0.5, 0.5),
        Found(0.6, 0.9, 0.5),
        Found(1.0, 1.4, 0.5),
    ]


def test_a_word_that_a_program_did_not_know_is_not_found() -> None:
    heard = [("the", Found(0.0, 0.2)), ("<unk>", Found(0.2, 0.8)), ("meeting", Found(0.8, 1.2))]
    found = by_letters(said("the", "xyz", "meeting"), heard)
    assert found == [Found(0.0, 0.2, 0.5), None, Found(0.8, 1.2, 0.5)]

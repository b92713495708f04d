"""What the model writes only selects: marks, quotations and times are checked against the transcript."""

from __future__ import annotations

import pytest

from grga.agent.policies.llm.citations import ReadSentences, read_sentences
from grga.store import IndexedMeeting
from grga.types import Sentence

ALL = frozenset(range(7))


def read(
    meeting: IndexedMeeting, *texts: str, shown: frozenset[int] = ALL, question: str = ""
) -> ReadSentences:
    return read_sentences(texts, shown, meeting.meeting, question)


@pytest.mark.parametrize(
    ("text", "words", "ids"),
    [
        ("The fee is fifty pounds [utt 3].", "The fee is fifty pounds.", (3,)),
        ("Dilek refuses it [utt 4][utt 1] today.", "Dilek refuses it today.", (4, 1)),
        ("They agree [utt 4, utt 5].", "They agree.", (4, 5)),
        ("They talk [utt 3-5].", "They talk.", (3, 4, 5)),
        ("They agree (utterance 5).", "They agree.", (5,)),
        ("费用是五十英镑【utt 3】。", "费用是五十英镑。", (3,)),
        ("[utt 2] The stage stands in Mill Lane", "The stage stands in Mill Lane", (2,)),
    ],
)
def test_marks_become_citations(meeting: IndexedMeeting, text: str, words: str, ids: tuple[int, ...]) -> None:
    assert read(meeting, text).sentences == (Sentence(words, ids),)


def test_marks_outside_of_what_was_shown_are_removed_and_counted(meeting: IndexedMeeting) -> None:
    result = read(meeting, "The fee is fifty pounds [utt 3][utt 6][utt 900].", shown=frozenset({3}))
    assert result.sentences == (Sentence("The fee is fifty pounds.", (3,)),)
    assert (result.dropped, result.removed) == (2, 0)
    assert result.notes == ("removed 2 references to utterances that were not found",)


def test_a_sentence_without_a_mark_goes(meeting: IndexedMeeting) -> None:
    result = read(meeting, "The budget is a million.", "It is fifty pounds [utt 3].")
    assert [one.text for one in result.sentences] == ["It is fifty pounds."]
    assert (result.removed, result.notes) == (1, ("removed 1 sentence without a citation",))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('Dilek says "we promised NO hidden costs" [utt 4].', True),
        ("Dilek says “we refuse the handling fee” [utt 4].", True),
        ('Dilek says "we love the fee" [utt 4].', False),
        ('Rosa says "we refuse the handling fee" [utt 5].', False),  # said, but not there
        ('It is about "the fee of Mill Lane" [utt 2].', True),  # the question's own words
        ('The word "fee" falls [utt 2].', True),  # one word is no quotation
    ],
)
def test_a_quotation_must_stand_in_a_cited_utterance(meeting: IndexedMeeting, text: str, holds: bool) -> None:
    result = read(meeting, text, question="What is the fee of Mill Lane?")
    assert bool(result.sentences) == holds
    if not holds:
        assert (result.dropped, result.removed) == (1, 1)
        assert result.notes == ("removed 1 sentence with a quotation that nobody said",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The caterer is mentioned at [time 3] [utt 3].", "The caterer is mentioned at 0:15."),
        ("The caterer is mentioned at 0:15 [utt 3].", "The caterer is mentioned at 0:15."),
        ("Imran calls at 10:30 [utt 6].", "Imran calls at 10:30."),
        ("The caterer is mentioned at 7:41 [utt 3].", None),
        ("The caterer is mentioned at 0:30 [utt 3].", None),  # the start of another utterance
        ("It is mentioned at [time 99].", None),
    ],
)
def test_no_clock_time_is_the_model_s_own(meeting: IndexedMeeting, text: str, words: str | None) -> None:
    result = read(meeting, text)
    assert [one.text for one in result.sentences] == ([words] if words else [])
    assert result.dropped == (0 if words else 1)


def test_a_time_mark_is_a_citation_too(meeting: IndexedMeeting) -> None:
    [sentence] = read(meeting, "It starts at [time 0].").sentences
    assert sentence.citations == (0,)

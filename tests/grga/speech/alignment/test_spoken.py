"""How words are said, for the alignment only."""

from __future__ import annotations

import pytest

from grga.speech.alignment.english import parts_of
from grga.speech.alignment.spoken import spoken


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("Don’t", "en", "don't"),
        ("20%", "en", "twenty percent"),
        ("2024", "en", "twenty twenty-four"),
        ("2,500", "en", "two thousand five hundred"),
        ("3.5", "en", "three point five"),
        ("MP3s", "en", "mp three s"),
        ("23", "de", "dreiundzwanzig"),
        ("105号", "zh", "一百零五 号"),
        ("ＡＢ", "zh", "ab"),
        ("7", "xx", "7"),
    ],
)
def test_numbers_are_spelled_out(text: str, language: str, said: str) -> None:
    assert spoken(text, language) == said


DICTIONARY = {"right": "R AY T", "click": "K L IH K", "twenty": "T W EH N T IY", "'kay": "K EY", "ok": "OW K"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("right.", [("right", None)]),
        ("'kay", [("'kay", None)]),
        ("'right'", [("right", None)]),
        ("twenty-right", [("twenty", None), ("right", None)]),
        ("rightclick", [("right", None), ("click", None)]),
        ("synch", [("synch", "S Y N CH")]),
        ("…", []),
        ("会议", []),
    ],
)
def test_english_words_become_dictionary_words(text: str, parts: list[tuple[str, str | None]]) -> None:
    assert parts_of(text, DICTIONARY.get) == parts

"""A hint may respell what was heard; it never adds, removes or replaces other words."""

from __future__ import annotations

import pytest

from grga.speech.asr.hints import fitting, respelt
from grga.speech.asr.units import split_units, spread
from grga.types import TimeSpan, Word

CLIP = TimeSpan(0.0, 8.0)


def heard(text: str) -> tuple[Word, ...]:
    return spread(split_units(text), CLIP)


def text(words: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in words)


@pytest.mark.parametrize(
    ("plain", "hinted", "hints", "expected"),
    [
        # the same sounds in another spelling
        ("Ask Inger about it", "Ask Ingrid about it", ["Ingrid"], "Ask Ingrid about it"),
        ("we use Cooper Netties here", "we use Kubernetes here", ["Kubernetes"], "we use Kubernetes here"),
        (
            "the lamp turn players sell",
            "the Lantern Players sell",
            ["Lantern Players"],
            "the Lantern players sell",
        ),
        ("问小洪吧", "问小红吧", ["小红"], "问 小 红 吧"),
        # names that nobody said
        ("thank you all", "thank you all Kubernetes", ["Kubernetes"], "thank you all"),
        ("the report is late", "the Zorblax is late", ["Zorblax"], "the report is late"),
        ("问小洪吧", "问欧阳修吧", ["欧阳修"], "问 小 洪 吧"),
        # sentences that went missing, and other changes that are no hint
        ("first this. Then Maia spoke", "Then Maya spoke", ["Maya"], "first this. Then Maya spoke"),
        ("it is nine", "it was nine", ["Maya"], "it is nine"),
        ("she said Maia is here", "she said Maya was here", ["Maya"], None),
        ("", "Kubernetes, Kubernetes", ["Kubernetes"], ""),
        ("hello there", "", ["Kubernetes"], "hello there"),
    ],
)
def test_only_what_sounds_alike_is_respelt(
    plain: str, hinted: str, hints: list[str], expected: str | None
) -> None:
    words = respelt(heard(plain), heard(hinted), hints)
    assert text(words) == (" ".join(split_units(plain)) if expected is None else expected)


def test_a_hint_takes_the_time_of_what_it_replaces() -> None:
    plain = (
        Word("we", TimeSpan(1.0, 1.2), 0.9),
        Word("use", TimeSpan(1.2, 1.5), 0.9),
        Word("Cooper", TimeSpan(1.6, 2.0), 0.3),
        Word("Netties", TimeSpan(2.0, 2.4), 0.2),
        Word("now", TimeSpan(2.5, 2.8), 0.9),
    )
    hinted = (
        Word("we", TimeSpan(1.0, 1.2), 0.9),
        Word("use", TimeSpan(1.2, 1.4), 0.9),
        Word("Kubernetes", TimeSpan(0.0, 7.0), 0.7),
        Word("now", TimeSpan(7.0, 8.0), 0.9),
    )
    named = Word("Kubernetes", TimeSpan(1.6, 2.4), 0.7)
    assert respelt(plain, hinted, ["Kubernetes"]) == (*plain[:2], named, plain[4])


def test_whole_hints_are_kept_while_there_is_room() -> None:
    assert fitting(["Rosa", " ", "Rosa", "Lantern Players", "Imran"], len, 11) == ("Rosa", "Imran")
    assert fitting([], len, 11) == ()

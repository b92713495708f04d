"""Speech is trimmed for quoting, never reworded."""

from __future__ import annotations

import pytest

from grga.agent.policies.offline.phrases import excerpt, joined, length, often, trimmed


@pytest.mark.parametrize(
    ("spoken", "quoted"),
    [
        ("Um, so the the case is, uh, too heavy.", "The case is, too heavy."),
        ("{vocalsound} Yeah. Okay, we take rubber .", "We take rubber."),
        ("You know, it cracked.", "It cracked."),
        ("As most of you know. You get the stage.", "As most of you know. You get the stage."),
        ("Mm-hmm.", "Mm-hmm."),
        ("嗯，我建议种草莓。", "我建议种草莓。"),
    ],
)
def test_fillers_and_stutters_go(spoken: str, quoted: str) -> None:
    assert trimmed(spoken) == quoted


def test_a_long_turn_is_cut_around_what_was_asked() -> None:
    text = (
        "We talked a lot about colours. " * 10 + "The battery lasts nine hours. " + "Then we had lunch. " * 10
    )
    cut = excerpt(text, ("batteri",), limit=80)
    assert "The battery lasts nine hours." in cut
    assert len(cut) <= 82
    assert cut.startswith("…")
    assert cut.endswith("…")


def test_a_long_turn_without_sentences_is_cut_at_words() -> None:
    cut = excerpt("word " * 100 + "battery " + "word " * 100, ("batteri",), limit=60)
    assert "battery" in cut
    assert len(cut) <= 62


def test_numbers_are_said_in_words() -> None:
    assert [often("en", count) for count in (1, 2, 5)] == ["once", "twice", "5 times"]
    assert [length("en", seconds) for seconds in (3.04, 42.0, 200.0)] == [
        "3.0 seconds",
        "42 seconds",
        "3 min 20 s",
    ]
    assert length("zh", 200) == "3分20秒"
    assert joined("en", ["a", "b", "c"]) == "a, b and c"
    assert joined("zh", ["a", "b"]) == "a和b"

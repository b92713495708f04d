"""Text stays text, and small numbers read as people say them."""

from __future__ import annotations

from typing import Any

import pytest

from grga.types import Meeting, Speaker, TimeSpan
from grga.ui.render import badges, chip, data, escape, notice, seconds_text, span_text


def test_hostile_text_is_shown_as_typed(hostile: tuple[str, ...], page: Any) -> None:
    for text in hostile:
        seen = page(f'<p title="{escape(text)}">{escape(text)}</p>')
        assert seen.text == text
        assert seen.tags == [("p", {"title": text})]


def test_nothing_is_left_for_a_template_to_evaluate(hostile: tuple[str, ...]) -> None:
    for text in hostile:
        assert not set("${}`\\<>\"'") & set(escape(text).replace("&#36;", ""))


def test_data_survives_the_attribute(hostile: tuple[str, ...], page: Any) -> None:
    import json

    seen = page(f'<div data-x="{data(list(hostile))}"></div>').first("div")
    assert json.loads(seen["data-x"]) == list(hostile)


def test_speakers_get_letters_hues_and_lanes_in_order() -> None:
    many = Meeting("m", "M", 1.0, (), tuple(Speaker(f"S{n}", f"P{n}") for n in range(28)))
    marks = badges(many)
    assert [marks[f"S{n}"].letter for n in (0, 1, 25, 26, 27)] == ["A", "B", "Z", "AA", "AB"]
    assert [marks[f"S{n}"].hue for n in (0, 5, 6)] == [1, 6, 1]
    assert marks["S7"].lane == 7


def test_a_chip_carries_letter_and_name(meeting: Meeting, page: Any) -> None:
    assert page(chip(badges(meeting)["S2"], "Imran")).text == "BImran"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.003, "3 ms"),
        (0.312, "0.31 s"),
        (12.4, "12 s"),
        (125, "2 min 5 s"),
        (120, "2 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_spans() -> None:
    assert span_text(TimeSpan(1150.2, 1154.9)) == "19:10–19:14"
    assert span_text(TimeSpan(10.0, 10.4)) == "0:10"


def test_a_notice_is_one_sentence_for_readers_and_screen_readers(page: Any) -> None:
    seen = page(notice("the question is empty: type one"))
    assert seen.text == "The question is empty: type one"
    assert seen.first("div")["role"] == "alert"

"""Plain text with clock times or names."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "line",
    [
        "[00:01:02] Ann: hello you",
        "00:01:02 Ann: hello you",
        "(01:02) Ann: hello you",
        "[00:01:02.000 - 00:01:02.800] Ann: hello you",
        "00:01:02,000 --> 00:01:02,800 Ann: hello you",
    ],
)
def test_ways_of_writing_a_line(read, spoken, line):
    assert spoken(read("a.txt", line + "\n")) == [("Ann", 62.0, 62.8, "hello you")]


def test_a_turn_ends_at_the_next_start_or_with_its_words(read, spoken):
    text = "[00:00:00] Ann: one two three four five\n[00:00:01] Bob: yes\n[00:01:00] Ann: bye\n"
    transcript = read("a.txt", text)
    assert [(who, start, end) for who, start, end, _ in spoken(transcript)] == [
        ("Ann", 0.0, 1.0),
        ("Bob", 1.0, 1.4),
        ("Ann", 60.0, 60.4),
    ]
    assert "3 turns have no end" in transcript.report.warnings[0]


def test_names_without_times(read, spoken):
    transcript = read("a.txt", "Ann: one two three four five\n张伟: 我们今天开会\n")
    assert spoken(transcript) == [
        ("Ann", 0.0, 2.0, "one two three four five"),
        ("张伟", 2.0, 3.6, "我们今天开会"),
    ]
    assert "the file has no times" in transcript.report.warnings[0]


def test_bare_prose_is_read_only_when_asked_for(read):
    assert read("a.txt", "We met.\nWe left.\n", format="text").report.counts["kept"] == 2


def test_lines_without_name_or_time_belong_to_the_turn_above(read, spoken):
    transcript = read("a.txt", "Minutes of Monday\n\nAnn: we begin\nwith the budget\n\nBob: good\n")
    assert [(who, text) for who, _, _, text in spoken(transcript)] == [
        ("Ann", "we begin with the budget"),
        ("Bob", "good"),
    ]
    assert transcript.report.warnings[0] == "line 1: text before the first turn was skipped"


def test_name_and_time_on_a_line_of_their_own(read, spoken):
    transcript = read("a.txt", "Ann Lee  0:05\nwe begin\n\nBob (1:04:13)\ngood\nvery good\n")
    assert [(who, start, text) for who, start, _, text in spoken(transcript)] == [
        ("Ann Lee", 5.0, "we begin"),
        ("Bob", 3853.0, "good very good"),
    ]

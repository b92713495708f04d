"""Praat TextGrids found in the wild; praatio reads them as an independent witness where it can."""

from __future__ import annotations

import pytest

from grga.errors import TranscriptError
from grga.speech.transcripts import read_transcript
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import open_source
from grga.speech.transcripts.textgrid import _tiers

PRAATIO_READS = [
    "all_tiers_have_the_same_name",
    "bobby_words_with_newlines",
    "bobby_words_with_newlines_longfile",
    "mary",
    "mary_longfile",
    "mary_longfile_with_negative_zero",
    "mary_misaligned",
    "mary_with_constrained_tier_times",
    "mary_with_negative_zero",
]


@pytest.mark.parametrize("name", PRAATIO_READS)
def test_same_intervals_as_praatio(shared_data, name):
    praatio = pytest.importorskip("praatio.textgrid")
    file = shared_data / "formats" / "textgrid" / f"{name}.TextGrid"
    theirs = praatio.openTextgrid(
        str(file), includeEmptyIntervals=False, duplicateNamesMode="rename", reportingMode="silence"
    )
    expected = [
        [(entry.start, entry.end, " ".join(entry.label.split())) for entry in tier.entries]
        for tier in theirs.tiers
        if isinstance(tier, praatio.IntervalTier) and "phone" not in tier.name
    ]
    ours = [
        [(turn.start, turn.end, turn.text) for turn in tier.turns]
        for tier in _tiers(open_source(file, Notes()), Notes())
    ]
    assert ours == expected


def test_long_and_short_form_agree(shared_data):
    folder = shared_data / "formats" / "textgrid"
    long, short = (read_transcript(folder / f"{form}_format.TextGrid") for form in ("long", "short"))
    assert long.utterances == short.utterances
    assert long.duration == 1422.5525


def test_tiers_of_one_name_are_people_of_their_own(shared_data, spoken):
    transcript = read_transcript(
        shared_data / "formats" / "textgrid" / "all_tiers_have_the_same_name.TextGrid"
    )
    assert [(who, text) for who, _, _, text in spoken(transcript)] == [
        ("Mary", "Mary"),
        ("Mary (2)", "Maary"),
        ("Mary (3)", "Bob"),
    ]


def test_phones_alone_are_no_words(shared_data):
    with pytest.raises(TranscriptError, match="it holds sounds, not words"):
        read_transcript(shared_data / "formats" / "textgrid" / "bobby_phones_elan.TextGrid")


def grid(tiers: dict[str, list[tuple[float, float, str]]]) -> str:
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        "0",
        "9",
        "<exists>",
        str(len(tiers)),
    ]
    for name, intervals in tiers.items():
        lines += ['"IntervalTier"', f'"{name}"', "0", "9", str(len(intervals))]
        for start, end, text in intervals:
            lines += [str(start), str(end), '"' + text.replace('"', '""') + '"']
    return "\n".join(lines) + "\n"


def test_aligner_tiers_belong_to_their_speaker(read, spoken):
    words = [(0, 1, "good"), (1, 2, "day"), (2, 5, ""), (5, 6, "bye")]
    transcript = read("a.TextGrid", grid({"Ann - words": words, "Ann - phones": [(0, 1, "g")]}))
    assert spoken(transcript) == [("Ann", 0.0, 2.0, "good day"), ("Ann", 5.0, 6.0, "bye")]
    assert [word.text for word in transcript.utterances[0].words] == ["good", "day"]


def test_quotes_in_the_text(read, spoken):
    assert spoken(read("a.TextGrid", grid({"Ann": [(0, 1, 'she said "5 1 <exists>"')]}))) == [
        ("Ann", 0.0, 1.0, 'she said "5 1 <exists>"')
    ]


def test_a_file_cut_off_keeps_what_is_complete(read, spoken):
    whole = grid({"Ann": [(0, 1, "hello")], "Bob": [(1, 2, "hi"), (2, 3, "gone")]})
    transcript = read("a.TextGrid", whole[: whole.index("2\n3")])
    assert spoken(transcript) == [("Ann", 0.0, 1.0, "hello")]
    assert "the file ends in the middle of a tier" in transcript.report.warnings[0]

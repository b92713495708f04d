"""Whatever lies at the path: one clear sentence, or the words that are in it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grga.errors import ConfigError, TranscriptError
from grga.speech.transcripts import FORMATS, ImportedTranscript, read_transcript
from grga.speech.transcripts.notes import Notes


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \r\n", "is empty"),
        (b"RIFF\x00\x00\x00\x00WAVE", "found a WAV recording"),
        (b"%PDF-1.7", "found a PDF document"),
        (b"PK\x03\x04", "found a zip archive"),
        (b"\x00\x01\x02\x03" * 50, "found binary data"),
        (b"\x1f\x8b broken", "cannot be read"),
        (b"<html><body>hello</body></html>", "found text that begins '<html>"),
        (b"once upon a time\n", "found text that begins 'once upon a time'"),
    ],
)
def test_files_that_are_no_transcripts(read, data, said):
    with pytest.raises(TranscriptError, match=said):
        read("a.srt", data)


def test_no_such_file(tmp_path: Path):
    with pytest.raises(TranscriptError, match="there is no file"):
        read_transcript(tmp_path / "nothing.srt")


def test_an_unknown_format_name_lists_the_known_ones(read):
    with pytest.raises(ConfigError, match=r"unknown transcript format 'sbv'.*srt.*vtt"):
        read("a.sbv", "x", format="sbv")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("cp1252", "Çà va? C’est l’été…"), ("gb18030", "我们今天开会，讨论预算。"), ("latin-1", "caf\xe9 \x81")],
)
def test_old_encodings_are_read_with_a_note(read, encoding, text):
    data = f"1\n00:00:01,000 --> 00:00:02,000\n{text}\n".encode(encoding)
    transcript = read("a.srt", data)
    assert transcript.utterances[0].text == " ".join(text.split())
    assert transcript.report.encoding == encoding
    assert f"read as {encoding}" in transcript.report.warnings[0]


def test_gzip_is_unpacked(read):
    data = gzip.compress(b"1\n00:00:01,000 --> 00:00:02,000\nhello\n")
    assert read("meeting.srt.gz", data).title == "meeting"


def test_more_than_fifty_notes_become_one_for_each_kind(read):
    rows = [f"m 1 Ann {i} {i} hello\n" for i in range(60)] + ["m 1 Ann 90 80 hello\n"]
    warnings = read("a.stm", "".join(rows)).report.warnings
    assert warnings == [
        "turns of length zero were dropped (60 times, lines 1, 2, 3, 4, 5, …)",
        "line 61: the turn ends (80 s) before it starts (90 s); the two were exchanged",
    ]


def test_fifty_notes_stay_as_they_are():
    notes = Notes()
    for line in range(50):
        notes.add("odd", line)
    assert len(notes.result()) == 50


LINES = [
    "WEBVTT\n\n",
    "00:01.000 --> 00:02.000\n",
    "1\n",
    "\n",
    "<v Ann>",
    "Ann: ",
    "hello",
    "-->",
    "99:99:99:99",
]
LINES += [
    "SPEAKER m 1 0 1 <NA> <NA> A <NA>\n",
    "m 1 0.0 1.0 word\n",
    "m 1 A 0 1 words\n",
    "1e999",
    "-1",
    "NaN",
]
MARKS = [
    "ooTextFile TextGrid\n",
    "<exists>",
    "<nite:root>",
    '"IntervalTier"',
    "\x00",
    "\u2028",
    "\ufeff",
    "é",
    "会",
]
KEYS = [
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    ",",
    "null",
    '"segments"',
    '"utterances"',
    '"turns"',
    '"meeting"',
    '"words"',
]
PIECES = st.sampled_from([*LINES, *MARKS, *KEYS])
CONTENT = st.one_of(
    st.lists(PIECES, max_size=25).map(lambda pieces: "".join(pieces).encode()),
    st.binary(max_size=200),
    st.text(max_size=200).map(str.encode),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=CONTENT, format=st.sampled_from([None, *FORMATS]))
def test_any_content_is_a_transcript_or_one_sentence(tmp_path, content, format):
    file = tmp_path / "any.txt"
    file.write_bytes(content)
    outcome: ImportedTranscript | TranscriptError
    try:
        outcome = read_transcript(file, format=format)
    except TranscriptError as error:
        outcome = error
    if isinstance(outcome, TranscriptError):
        assert "\n" not in str(outcome)
    else:
        assert [u.id for u in outcome.utterances] == list(range(len(outcome.utterances)))


@pytest.mark.parametrize("format", sorted(set(FORMATS) - {"text"}))
@pytest.mark.parametrize(
    "document", ["null", "7", '"text"', "[1, 2]", "{}", '{"utterances": 7}', '{"turns": {}}']
)
def test_a_format_by_name_for_the_wrong_file(read, format, document):
    with pytest.raises(TranscriptError, match=r"cannot be read as|has no utterances"):
        read("a.json", document, format=format)

"""What each export looks like, line by line."""

from __future__ import annotations

import io
import json

import pytest

from grga.errors import ConfigError
from grga.exports import FORMATS, export


def test_txt(rich):
    assert export(rich, "txt") == (
        "[00:00:00.300 - 00:00:01.500] Ann: hello there\n[01:04:13.283 - 01:04:20.000] Bob: goodbye\n"
    )


def test_srt(rich):
    assert export(rich, "srt") == (
        "1\n00:00:00,300 --> 00:00:01,500\nAnn: hello there\n\n"
        "2\n01:04:13,283 --> 01:04:20,000\nBob: goodbye\n"
    )


def test_vtt(rich):
    assert export(rich, "vtt") == (
        "WEBVTT\n\n1\n00:00:00.300 --> 00:00:01.500\n<v Ann>hello there</v>\n\n"
        "2\n01:04:13.283 --> 01:04:20.000\n<v Bob>goodbye</v>\n"
    )


def test_rttm(rich):
    assert export(rich, "rttm") == (
        "SPEAKER m1 1 0.300 1.200 <NA> <NA> Ann <NA> <NA>\n"
        "SPEAKER m1 1 3853.283 6.717 <NA> <NA> Bob <NA> <NA>\n"
    )


def test_json(rich):
    document = json.loads(export(rich, "json"))
    assert {key: document[key] for key in ("meeting", "title", "duration", "language", "has_audio")} == {
        "meeting": "m1",
        "title": "A title",
        "duration": 3870.5,
        "language": "en",
        "has_audio": True,
    }
    assert document["speakers"][0] == {
        "id": "S2",
        "name": "Ann",
        "role": "Chair",
        "talk_seconds": 1.2,
        "profile": {"facts": {"keywords": "hello"}, "evidence": {"keywords": [0]}, "source": "statistics"},
    }
    first = document["utterances"][0]
    assert first["words"] == [
        {"text": "hello", "start": 0.3, "end": 0.7, "confidence": 0.9, "speaker": "S2"},
        {"text": "there", "start": 0.8, "end": 1.5, "confidence": None},
    ]
    assert first["acoustics"]["loudness_db"] == -21.5
    assert [first[key] for key in ("id", "speaker", "speaker_id", "start", "end", "text", "confidence")] == [
        0, "Ann", "S2", 0.3, 1.5, "hello there", 0.75,
    ]  # fmt: skip


def test_md(rich):
    assert export(rich, "md") == (
        "# A title\n\nLength 01:04:30.500\n\n## Speakers\n\n"
        "- Ann, Chair: 00:00:01.200 of talk\n- Bob: 00:00:06.717 of talk\n\n## Transcript\n\n"
        "**Ann** (00:00:00.300 – 00:00:01.500) hello there\n\n**Bob** (01:04:13.283 – 01:04:20.000) goodbye\n"
    )


def test_docx(rich):
    docx = pytest.importorskip("docx")
    data = export(rich, "docx")
    assert isinstance(data, bytes)
    paragraphs = [paragraph.text for paragraph in docx.Document(io.BytesIO(data)).paragraphs]
    assert paragraphs == [
        "A title",
        "Length 01:04:30.500",
        "Ann, Chair: 00:00:01.200 of talk",
        "Bob: 00:00:06.717 of talk",
        "Transcript",
        "Ann (00:00:00.300 – 00:00:01.500) hello there",
        "Bob (01:04:13.283 – 01:04:20.000) goodbye",
    ]


def test_sounds_stand_in_brackets_before_the_words_as_in_subtitles(felt):
    assert "Ann: [laughter] [applause] hello there\n" in export(felt, "srt")
    assert "<v Ann>[laughter] [applause] hello there</v>" in export(felt, "vtt")
    assert export(felt, "txt").startswith(
        "[00:00:00.300 - 00:00:01.500] Ann: [laughter] [applause] hello there\n"
    )
    assert r"\[laughter\] \[applause\] hello there" in export(felt, "md")
    docx = pytest.importorskip("docx")
    paragraphs = docx.Document(io.BytesIO(export(felt, "docx"))).paragraphs
    assert paragraphs[-2].text == "Ann (00:00:00.300 – 00:00:01.500) [laughter] [applause] hello there"
    first = json.loads(export(felt, "json"))["utterances"][0]
    assert first["second_speaker_id"] == "S1"
    sound = {key: first["acoustics"][key] for key in ("emotion", "emotion_score", "events")}
    assert sound == {"emotion": "happy", "emotion_score": 0.875, "events": ["laughter", "applause"]}


def test_an_unknown_format_lists_the_known_ones(rich):
    with pytest.raises(ConfigError, match=r"unknown export format 'pdf' \(known: docx, json, md, rttm"):
        export(rich, "pdf")


@pytest.mark.parametrize("format", FORMATS)
def test_control_characters_and_empty_texts_break_nothing(meeting_of, format):
    meeting = meeting_of(["a\x00b\x0bc\x1b", "", "\ud7ff\ufffd", " "], ("A\x00nn", ""))
    written = export(meeting, format)
    assert written
    if isinstance(written, str) and format != "json":
        assert "\x00" not in written
        written.encode("utf-8")


def test_markdown_neither_formats_nor_runs_the_text(hostile):
    lines = export(hostile, "md").splitlines()
    assert not any("<" in line for line in lines)
    assert any(r"\*star\* \_line\_ \# \`code\` \| cell" in line for line in lines)


def test_html_in_a_vtt_is_escaped(hostile):
    text = export(hostile, "vtt")
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert text.count("-->") == len(hostile.utterances)


def test_rttm_labels_have_no_spaces_and_stay_apart(meeting_of):
    meeting = meeting_of(["a", "b", "c"], ("Ann Lee", "Ann_Lee", "É É"))
    rows = [line.split(" ") for line in export(meeting, "rttm").splitlines()]
    assert all(len(row) == 10 for row in rows)
    assert [row[7] for row in rows] == ["Ann_Lee", "Ann_Lee_S2", "É_É"]
    assert {row[1] for row in rows} == {"m_1"}


def test_webvtt_py_reads_our_vtt(hostile, tmp_path):
    webvtt = pytest.importorskip("webvtt")
    file = tmp_path / "a.vtt"
    file.write_text(export(hostile, "vtt"), encoding="utf-8")
    captions = webvtt.read(str(file)).captions
    assert len(captions) == len(hostile.utterances)
    assert (captions[1].start, captions[1].end) == ("00:00:02.001", "00:00:05.457")


def test_pyannote_reads_our_rttm(hostile, tmp_path):
    util = pytest.importorskip("pyannote.database.util")
    file = tmp_path / "a.rttm"
    file.write_text(export(hostile, "rttm"), encoding="utf-8")
    (annotation,) = util.load_rttm(file).values()
    assert len(list(annotation.itertracks())) == len(hostile.utterances)

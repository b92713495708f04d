"""What is exported comes back: the same speakers, times to a millisecond and texts."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grga.exports import export
from grga.exports.lines import one_line
from grga.speech.transcripts import read_transcript
from grga.types import Meeting, Speaker, TimeSpan, Utterance

FORMATS = ["srt", "vtt", "txt", "json"]
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def back(meeting: Meeting, format: str, tmp_path):
    file = tmp_path / f"meeting.{format}"
    file.write_text(export(meeting, format), encoding="utf-8", newline="")
    return read_transcript(file)


def rows(meeting, *, flat: bool) -> list[tuple[str, float, float, str]]:
    """Return name, start and end in milliseconds, and text (``flat``: on one line, as subtitles have it)."""
    names = {speaker.id: speaker.name for speaker in meeting.speakers}
    return [
        (
            one_line(names[u.speaker]),
            round(u.start, 3),
            round(u.end, 3),
            one_line(u.text) if flat else u.text,
        )
        for u in meeting.utterances
    ]


def bracketless(row):
    """Square brackets in names become round ones in formats that put the name before the text."""
    return (row[0].translate(str.maketrans("[]", "()")), *row[1:])


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_texts_and_names(hostile, tmp_path, format):
    transcript = back(hostile, format, tmp_path)
    assert transcript.report.format == {"json": "grga", "txt": "text"}.get(format, format)
    expected = rows(hostile, flat=format != "json")
    if format in ("srt", "txt"):
        expected = [bracketless(row) for row in expected]
    assert rows(transcript, flat=False) == expected


def test_json_brings_everything_back(rich, tmp_path):
    transcript = back(rich, "json", tmp_path)
    assert transcript.utterances == tuple(
        Utterance(
            u.id, u.speaker, TimeSpan(round(u.start, 6), u.end), u.text, u.words, u.confidence, u.acoustics
        )
        for u in rich.utterances
    )
    assert [(s.id, s.name, s.role) for s in transcript.speakers] == [
        ("S2", "Ann", "Chair"),
        ("S1", "Bob", None),
    ]
    assert (transcript.title, transcript.language, transcript.duration) == ("A title", "en", 3870.5)
    assert transcript.report.notes == ()


def test_json_brings_emotions_sounds_and_the_second_speaker_back(felt, tmp_path):
    transcript = back(felt, "json", tmp_path)
    assert [one.acoustics for one in transcript.utterances] == [one.acoustics for one in felt.utterances]
    assert [one.second_speaker for one in transcript.utterances] == ["S1", None]
    assert transcript.report.notes == ()


def test_json_from_elsewhere_brings_only_known_emotions_and_sounds(felt, tmp_path):
    document = json.loads(export(felt, "json"))
    document["utterances"][0]["acoustics"] |= {"emotion": "obey me", "events": ["laughter", "</li>", 3]}
    file = tmp_path / "meeting.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    transcript = read_transcript(file)
    sound = transcript.utterances[0].acoustics
    assert (sound.emotion, sound.events) == (None, ("laughter",))
    assert sorted(str(note) for note in transcript.report.notes) == [
        "unknown emotion or sound left out: '3'",
        "unknown emotion or sound left out: '</li>'",
        "unknown emotion or sound left out: 'obey me'",
    ]


@pytest.mark.parametrize("format", ["json", "vtt", "srt", "txt"])
def test_a_real_meeting(shared_data, tmp_path, format):
    first = read_transcript(shared_data / "qmsum" / "timed" / "ES2002a.json")
    meeting = Meeting("m", first.title, first.duration, first.utterances, first.speakers, first.language)
    transcript = back(meeting, format, tmp_path)
    assert rows(transcript, flat=False) == rows(meeting, flat=False)
    assert [u.speaker for u in transcript.utterances] == [u.speaker for u in meeting.utterances]


def test_rttm_keeps_turns_and_finds_its_words_again(shared_data, tmp_path):
    first = read_transcript(shared_data / "qmsum" / "timed" / "ES2003a.json")
    meeting = Meeting("m", first.title, first.duration, first.utterances, first.speakers, first.language)
    (tmp_path / "m.rttm").write_text(export(meeting, "rttm"), encoding="utf-8")
    (tmp_path / "m.srt").write_text(export(meeting, "srt"), encoding="utf-8")
    transcript = read_transcript(tmp_path / "m.rttm", words=tmp_path / "m.srt")
    assert [(u.start, u.text) for u in transcript.utterances] == [
        (u.start, u.text) for u in meeting.utterances
    ]


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(lambda text: one_line(text))
times = st.lists(st.integers(0, 400_000_000), min_size=2, max_size=2, unique=True).map(sorted)


def meeting_from(turns, name: str = "Ann Lee") -> Meeting:
    turns = sorted(turns, key=lambda turn: turn[0][0])
    utterances = tuple(
        Utterance(i, "S1", TimeSpan(start / 1000, end / 1000), text)
        for i, ((start, end), text) in enumerate(turns)
    )
    return Meeting("m", "t", utterances[-1].end, utterances, (Speaker("S1", name),))


@pytest.mark.parametrize("format", FORMATS)
@QUICK
@given(turns=st.lists(st.tuples(times, texts), min_size=1, max_size=4))
@example(turns=[([0, 1], "\ufeffx")])
@example(turns=[([0, 1], "2\n00:00:03,000 --> 00:00:04,000\nx")])
@example(turns=[([0, 1], "&amp;lt;i&gt; </i> < i>")])
def test_any_text_comes_back(tmp_path, format, turns):
    meeting = meeting_from(turns)
    assert rows(back(meeting, format, tmp_path), flat=False) == rows(meeting, flat=format != "json")


@pytest.mark.parametrize("format", ["json", "vtt"])
@QUICK
@given(name=texts)
def test_any_name_comes_back(tmp_path, format, name):
    meeting = meeting_from([([0, 1000], "hello")], name)
    document = json.loads(export(meeting, "json"))
    assert document["speakers"][0]["name"] == name
    (speaker,) = back(meeting, format, tmp_path).speakers
    same = unicodedata.normalize("NFC", one_line(name))
    assert unicodedata.normalize("NFC", one_line(speaker.name)) == same or speaker.id == "unknown"

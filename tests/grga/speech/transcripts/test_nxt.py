"""NXT XML of the AMI corpus."""

from __future__ import annotations

import pytest

from grga.errors import TranscriptError
from grga.speech.transcripts import read_transcript


@pytest.mark.parametrize("meeting", ["ES2003a", "ES2004a", "IS1004a", "TS3004a"])
def test_whole_meeting_equals_the_segment_list(shared_data, meeting):
    nxt = read_transcript(shared_data / "ami" / "nxt", meeting=meeting)
    listed = read_transcript(shared_data / "ami" / "transcripts" / f"{meeting}.segments.jsonl")
    assert nxt.title == meeting
    assert {s.name: s.role for s in nxt.speakers} == {s.name: s.role for s in listed.speakers}

    def plain(transcript):
        names = {speaker.id: speaker.name for speaker in transcript.speakers}
        return sorted(
            (u.end, names[u.speaker], "".join(c for c in u.text if c.isalnum()), u.start, u.text[0].isalnum())
            for u in transcript.utterances
        )

    for ours, theirs in zip(plain(nxt), plain(listed), strict=True):
        assert ours[:3] == theirs[:3]
        # The list lets one turn begin with a full stop, long before its first word.
        assert ours[3] == theirs[3] or (ours[3] > theirs[3] and not theirs[4])


def test_words_carry_their_punctuation(shared_data):
    first = read_transcript(shared_data / "ami" / "nxt", meeting="ES2003a").utterances[0]
    assert first.text.startswith("Okay, well I think we're ready to begin. Right,")
    assert [word.text for word in first.words[:3]] == ["Okay,", "well", "I"]
    assert first.words[0].span.start == first.start == 2.13


@pytest.mark.parametrize("name", ["words/ES2003a.B.words.xml", "segments/ES2003a.B.segments.xml"])
def test_one_file_is_one_speaker(shared_data, name):
    transcript = read_transcript(shared_data / "ami" / "nxt" / name)
    assert [(s.name, s.role) for s in transcript.speakers] == [("MEE009", "Project Manager")]
    assert len(transcript.utterances) == 48


def test_a_lone_words_file_is_cut_at_silences(read, spoken):
    xml = (
        '<nite:root xmlns:nite="http://nite.sourceforge.net/">'
        '<w nite:id="0" starttime="1" endtime="2">Good</w>'
        '<vocalsound nite:id="1" starttime="2" endtime="2.1" type="cough"/><w nite:id="2">day</w>'
        '<w nite:id="3" starttime="2.5" endtime="2.5" punc="true">.</w>'
        '<w nite:id="4" starttime="9" endtime="9.5">Bye</w>'
        "</nite:root>"
    )
    transcript = read("X1.A.words.xml", xml)
    assert [(who, start, text) for who, start, _, text in spoken(transcript)] == [
        ("A", 1.0, "Good day."),
        ("A", 9.0, "Bye"),
    ]
    assert any("turns are cut at silences" in warning for warning in transcript.report.warnings)


def test_a_folder_of_several_meetings_asks_which(shared_data):
    with pytest.raises(TranscriptError, match="found ES2003a, ES2004a, IS1004a, TS3004a"):
        read_transcript(shared_data / "ami" / "nxt")
    with pytest.raises(TranscriptError, match="holds no meeting 'ES9999a'"):
        read_transcript(shared_data / "ami" / "nxt", meeting="ES9999a")


def test_xml_that_declares_entities_is_refused(read):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><nite:root>&b;</nite:root>'
    with pytest.raises(TranscriptError, match="declares XML entities"):
        read("X1.A.words.xml", bomb)


def test_broken_xml(read):
    with pytest.raises(TranscriptError, match="is not valid XML"):
        read("X1.A.words.xml", "<nite:root><w>")

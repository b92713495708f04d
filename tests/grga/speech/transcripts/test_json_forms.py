"""The JSON forms: Whisper and kin, QMSum, SegLST, lists, and our own."""

from __future__ import annotations

import gzip
import json

import pytest

from grga.errors import TranscriptError
from grga.speech.transcripts import meeting_from_qmsum, read_transcript


class TestSegments:
    @pytest.mark.parametrize(
        "document",
        [
            {"segments": [{"start": 1.5, "end": 2.0, "text": " hello"}]},
            {"text": "hello", "chunks": [{"timestamp": [1.5, 2.0], "text": "hello"}]},
            {"transcription": [{"offsets": {"from": 1500, "to": 2000}, "text": " hello"}]},
            [{"start": 1.5, "end": 2.0, "text": "hello"}],
            {"segments": [{"start": "0:00:01.5", "end": "00:02", "text": "hello"}]},
            {"segments": [{"start": "1.5", "end": "2.0", "text": "hello"}]},
            {"segments": [{"words": [{"word": "hello", "start": 1.5, "end": 2.0, "probability": 0.5}]}]},
        ],
    )
    def test_the_ways_of_writing_one_segment(self, read, spoken, document):
        assert spoken(read("a.json", json.dumps(document))) == [("unknown", 1.5, 2.0, "hello")]

    def test_json_lines(self, read, spoken):
        lines = [
            {"speaker": "A", "start": 0, "end": 1, "text": "x"},
            {"speaker": 2, "start": 1, "end": 2, "text": "y"},
        ]
        text = "\n".join(json.dumps(line) for line in lines)
        assert spoken(read("a.jsonl", text)) == [("A", 0, 1, "x"), ("2", 1, 2, "y")]

    def test_minute_long_segments_stay_whole(self, read):
        document = {"segments": [{"start": 0, "end": 61.0, "text": "word " * 150, "speaker": "A"}]}
        assert read("a.json", json.dumps(document)).utterances[0].span.duration == 61.0

    def test_ami_segments_have_roles_and_word_bounds(self, shared_data):
        transcript = read_transcript(shared_data / "ami" / "transcripts" / "ES2003a.segments.jsonl")
        assert transcript.title == "ES2003a"
        assert [(s.id, s.name, s.role) for s in transcript.speakers] == [
            ("S1", "MEE009", "Project Manager"),
            ("S2", "MEE012", "Marketing"),
            ("S3", "MEE010", "Industrial Designer"),
            ("S4", "MEE011", "User Interface"),
        ]
        assert (transcript.utterances[0].start, transcript.utterances[0].end) == (2.13, 13.18)


class TestQmsum:
    def test_timed_meeting(self, shared_data):
        transcript = read_transcript(shared_data / "qmsum" / "timed" / "ES2003a.json")
        assert transcript.report.format == "qmsum"
        assert (len(transcript.utterances), transcript.duration) == (122, 1126.69)
        assert {(s.name, s.role) for s in transcript.speakers} == {
            (role, role) for role in ("Project Manager", "Marketing", "User Interface", "Industrial Designer")
        }
        first = transcript.utterances[0]
        assert (first.start, first.end) == (2.13, 13.18)
        assert first.text.startswith("Okay, well I think we're ready to begin. Right, my name's")

    def test_every_record_of_the_collection(self, shared_data):
        with gzip.open(shared_data / "qmsum" / "product_timed.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                transcript = meeting_from_qmsum(record)
                sound = [turn for turn in record["turns"] if turn["end"] > turn["start"]]
                assert len(transcript.utterances) == len(sound)
                assert transcript.title == record["meeting"]

    def test_one_meeting_out_of_the_collection(self, shared_data):
        file = shared_data / "qmsum" / "product_timed.jsonl.gz"
        assert read_transcript(file, meeting="TS3009c").title == "TS3009c"
        with pytest.raises(TranscriptError, match="holds no recording 'nobody'"):
            read_transcript(file, meeting="nobody")

    @pytest.mark.parametrize("name", ["meetings/ES2003a.json", "other_domains/education_4.json"])
    def test_without_times_they_are_estimated_and_said_so(self, shared_data, name):
        transcript = read_transcript(shared_data / "qmsum" / name)
        assert "the file has no times; they are estimated" in transcript.report.warnings[0]
        for before, after in zip(transcript.utterances, transcript.utterances[1:], strict=False):
            assert after.start == pytest.approx(before.end)
        words = sum(len(u.text.split()) for u in transcript.utterances)
        assert transcript.duration == pytest.approx(words / 2.5, rel=0.1)

    def test_a_turn_of_nothing_but_marks_keeps_them(self, read):
        turns = [
            {"speaker": "A", "start": 0, "end": 1, "text": "{vocalsound}"},
            {"speaker": "A", "start": 1, "end": 2, "text": "{vocalsound} Okay , yes . {gap}"},
        ]
        transcript = read("a.json", json.dumps({"meeting": "m", "turns": turns}))
        assert [u.text for u in transcript.utterances] == ["{vocalsound}", "Okay, yes."]


class TestSeglst:
    def test_numbers_as_text_and_several_recordings(self, shared_data, spoken):
        file = shared_data / "formats" / "meeteval_hyp.seglst.json"
        first = read_transcript(file)
        assert spoken(first)[1] == ("Bob", 1.0, 2.5, "Strategic staircase we need a paradigm shift")
        assert "2 recordings (recordingA, recordingB)" in first.report.warnings[0]
        assert len(read_transcript(file, meeting="recordingB").utterances) == 2


class TestOwnForm:
    def test_the_least_that_is_needed(self, read, spoken):
        document = {"utterances": [{"id": 0, "speaker": "Ann", "start": 1, "end": 2, "text": "hello"}]}
        assert spoken(read("a.json", json.dumps(document))) == [("Ann", 1, 2, "hello")]

    def test_speakers_give_names_and_roles(self, read):
        document = {
            "speakers": [{"id": "S7", "name": "Ann", "role": "chair"}],
            "utterances": [{"speaker": "S7", "start": 1, "end": 2, "text": "hello"}],
        }
        (speaker,) = read("a.json", json.dumps(document)).speakers
        assert (speaker.id, speaker.name, speaker.role, speaker.talk_seconds) == ("S7", "Ann", "chair", 1.0)

    def test_names_instead_of_ids_find_their_role(self, read):
        document = {
            "speakers": [{"id": "x", "name": "Ann", "role": "chair"}],
            "utterances": [{"speaker": "Ann", "start": 1, "end": 2, "text": "hello"}],
        }
        (speaker,) = read("a.json", json.dumps(document)).speakers
        assert (speaker.id, speaker.name, speaker.role) == ("S1", "Ann", "chair")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1, "b": 2}', "found a JSON object with the keys a, b"),
        ("[]", "found a JSON list of 0 items"),
        ('{"segments": [', "found text that is not valid JSON"),
        ("[" * 100_000, "found text that is not valid JSON"),
        ('{"segments": []}', "has no utterances"),
        ('{"utterances": []}', "has no utterances"),
    ],
)
def test_json_that_is_no_transcript(read, content, said):
    with pytest.raises(TranscriptError, match=said):
        read("a.json", content)


def test_half_a_letter_is_replaced(read):
    transcript = read(
        "a.json", '{"segments": [{"start": 0, "end": 1, "text": "a\\ud83d", "speaker": "\\udc4b"}]}'
    )
    assert transcript.utterances[0].text == "a\ufffd"
    assert transcript.speakers[0].name == "\ufffd"

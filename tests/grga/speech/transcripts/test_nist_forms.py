"""RTTM with words, CTM and STM; meeteval reads the same files as an independent witness."""

from __future__ import annotations

import json

import pytest

from grga.speech.transcripts import read_transcript

RTTM = "SPEAKER m 1 0.0 4.0 <NA> <NA> Ann <NA> <NA>\nSPEAKER m 1 5.0 2.0 <NA> <NA> Bob <NA> <NA>\n"


class TestRttmWithWords:
    @pytest.fixture
    def with_words(self, read, tmp_path):
        def reader(name: str, content: str, rttm: str = RTTM):
            (tmp_path / name).write_text(content, encoding="utf-8")
            return read("a.rttm", rttm, words=tmp_path / name)

        return reader

    def test_ctm_words_go_to_the_turn_they_overlap(self, with_words, spoken):
        transcript = with_words(
            "w.ctm", "m 1 0.5 0.5 good\nm 1 1.0 0.5 day\nm 1 5.2 0.3 hi\nm 1 4.4 0.1 so\n"
        )
        assert spoken(transcript) == [("Ann", 0.0, 4.0, "good day so"), ("Bob", 5.0, 7.0, "hi")]
        assert [word.text for word in transcript.utterances[0].words] == ["good", "day", "so"]

    def test_words_far_from_every_turn_have_no_speaker(self, with_words, spoken):
        transcript = with_words("w.ctm", "m 1 0.5 0.5 good\nm 1 5.5 0.5 day\nm 1 50.0 0.5 lost\n")
        assert spoken(transcript)[-1] == ("unknown", 50.0, 50.5, "lost")
        assert (
            "1 words lie outside every turn of the RTTM; they have no speaker" in transcript.report.warnings
        )

    def test_a_label_decides_where_turns_overlap(self, with_words, spoken):
        rttm = "SPEAKER m 1 0 4 <NA> <NA> A <NA>\nSPEAKER m 1 1 1 <NA> <NA> B <NA>\n"
        transcript = with_words("w.ctm", "m A 0.1 0.5 so\nm B 1.2 0.5 right\nm A 1.2 0.5 then\n", rttm)
        assert spoken(transcript) == [("A", 0.0, 4.0, "so then"), ("B", 1.0, 2.0, "right")]

    def test_text_line_by_line(self, with_words, spoken):
        assert spoken(with_words("w.txt", "good day\nhi\n")) == [
            ("Ann", 0, 4, "good day"),
            ("Bob", 5, 7, "hi"),
        ]

    def test_text_without_lines_is_dealt_out_and_said_so(self, with_words, spoken):
        transcript = with_words("w.txt", "one two three four five six")
        assert spoken(transcript) == [("Ann", 0, 4, "one two three four"), ("Bob", 5, 7, "five six")]
        assert any("speakers may be wrong" in warning for warning in transcript.report.warnings)

    def test_whisper_json(self, with_words, spoken):
        segments = [{"start": 0.2, "end": 3.9, "text": "good day"}, {"start": 5, "end": 7, "text": "hi you"}]
        transcript = with_words("w.json", json.dumps({"segments": segments, "language": "en"}))
        assert [(who, text) for who, _, _, text in spoken(transcript)] == [
            ("Ann", "good day"),
            ("Bob", "hi you"),
        ]
        assert transcript.language == "en"

    @pytest.mark.parametrize("suffix", [".ref.json", ".ref.stm"])
    def test_real_clip_with_much_overlap(self, shared_data, suffix):
        clip = shared_data / "audio" / "ami_clips" / "EN2002a_0000_0030"
        transcript = read_transcript(clip.with_suffix(".ref.rttm"), words=clip.with_suffix(suffix))
        turns = json.loads(clip.with_suffix(".ref.json").read_text(encoding="utf-8"))["turns"]
        names = {speaker.id: speaker.name for speaker in transcript.speakers}
        assert [(names[u.speaker], u.text) for u in transcript.utterances] == [
            (turn["speaker"], turn["text"]) for turn in sorted(turns, key=lambda turn: turn["start"])
        ]

    def test_lexemes_in_the_rttm_itself(self, read, spoken):
        text = RTTM + "LEXEME m 1 0.5 0.4 good lex Ann 0.9\nLEXEME m 1 1.0 0.4 day lex Ann 0.8\n"
        assert spoken(read("a.rttm", text)) == [("Ann", 0.5, 1.4, "good day")]


class TestCtm:
    def test_silence_and_speakers_make_the_turns(self, read, spoken):
        text = (
            ";; header\nm A 0.0 0.5 one\nm B 0.2 0.5 yes\nm A 0.6 0.4 two 0.5\n"
            "m A 2.0 0.5 three\nm A 3 0.1 <eps>\n"
        )
        transcript = read("a.ctm", text)
        assert spoken(transcript) == [
            ("A", 0.0, 1.0, "one two"),
            ("B", 0.2, 0.7, "yes"),
            ("A", 2.0, 2.5, "three"),
        ]
        assert transcript.utterances[0].confidence == 0.5

    def test_broken_lines_are_skipped_with_their_number(self, read):
        transcript = read("a.ctm", "m A 0.0 0.5 one\nm A x 0.5 two\nm A 0.5 0.5\nm A 1.0 0.5 three\n")
        assert transcript.utterances[0].text == "one three"
        assert [note.line for note in transcript.report.notes] == [2, 3]

    def test_words_of_length_zero_are_kept(self, shared_data):
        transcript = read_transcript(shared_data / "formats" / "meeteval_hyp1.ctm")
        assert transcript.utterances[0].text.startswith("Effort made was a lot i know your busy")
        assert "55 words of length zero were given" in transcript.report.warnings[1]

    def test_real_meeting_gzipped(self, shared_data):
        transcript = read_transcript(shared_data / "ami" / "transcripts" / "ES2003a.words.ctm.gz")
        assert transcript.report.counts["words"] == 2038
        assert [speaker.name for speaker in transcript.speakers] == ["B", "C", "D", "A"]


class TestStm:
    def test_labels_comments_and_unscored_stretches(self, read, spoken):
        text = (
            ';; CATEGORY "0" "" ""\nm 1 Ann 0.0 1.0 <o,f0,female> good day\n'
            "m 1 inter_segment_gap 1.0 2.0 <o,,>\nm 1 Bob 2.0 3.0 ignore_time_segment_in_scoring\n"
        )
        transcript = read("a.stm", text)
        assert spoken(transcript) == [("Ann", 0.0, 1.0, "good day")]
        assert [note.line for note in transcript.report.notes] == [3, 4]


@pytest.mark.parametrize("name", ["meeteval_hyp.stm", "meeteval_hyp.rttm"])
@pytest.mark.parametrize("recording", ["recordingA", "recordingB"])
def test_meeteval_reads_the_same(shared_data, spoken, name, recording):
    meeteval_io = pytest.importorskip("meeteval.io")
    file = shared_data / "formats" / name
    expected = [
        (
            row["speaker"],
            float(row["start_time"]),
            pytest.approx(float(row["end_time"])),
            row.get("words", ""),
        )
        for row in meeteval_io.asseglst(meeteval_io.load(file))
        if row["session_id"] == recording
    ]
    assert spoken(read_transcript(file, meeting=recording)) == sorted(expected, key=lambda row: row[1])

"""Real files that broke other tools: each test stands for its whole kind (numbers of the case list)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grga.errors import TranscriptError
from grga.speech.transcripts import read_transcript

SRT = "1\n00:00:01,000 --> 00:00:02,500\nAnn: hello\n\n2\n00:00:02,000 --> 00:00:04,000\nBob: hi there\n"
VTT = "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Ann>hello\n\n00:02.000 --> 00:04.000\n<v Bob>hi there\n"
RTTM = "SPEAKER m 1 1.0 1.5 <NA> <NA> Ann <NA> <NA>\nSPEAKER m 1 2.0 2.0 <NA> <NA> Bob <NA> <NA>\n"
STM = "m 1 Ann 1.0 2.5 hello\nm 1 Bob 2.0 4.0 hi there\n"
CTM = "m Ann 1.0 1.5 hello\nm Bob 2.0 0.5 hi\nm Bob 2.5 1.5 there\n"
TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 4
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "Ann"
        xmin = 0
        xmax = 4
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 1
            text = ""
        intervals [2]:
            xmin = 1
            xmax = 2.5
            text = "hello"
        intervals [3]:
            xmin = 2.5
            xmax = 4
            text = ""
    item [2]:
        class = "IntervalTier"
        name = "Bob"
        xmin = 0
        xmax = 4
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 2
            text = "  "
        intervals [2]:
            xmin = 2
            xmax = 4
            text = "hi there"
"""
FILES = {"a.srt": SRT, "a.vtt": VTT, "a.rttm": RTTM, "a.stm": STM, "a.ctm": CTM, "a.TextGrid": TEXTGRID}
EXPECTED = [("Ann", 1.0, 2.5, "hello"), ("Bob", 2.0, 4.0, "hi there")]


class TestMissingKeys:
    """Case 29: segments without speaker, words without times."""

    def test_words_take_their_times_from_neighbours_and_segment(self, read):
        segment = {"start": 1.0, "end": 4.0, "text": "one two three four", "speaker": "SPEAKER_01"}
        segment["words"] = [
            {"word": "one"},
            {"word": "two", "start": 2.0, "end": 2.2, "score": 0.9, "speaker": "SPEAKER_01"},
            {"word": "three"},
            {"word": "four"},
        ]
        transcript = read("whisperx.json", json.dumps({"segments": [segment]}))
        words = transcript.utterances[0].words
        assert [(w.text, round(w.span.start, 3), round(w.span.end, 3)) for w in words] == [
            ("one", 1.0, 2.0),
            ("two", 2.0, 2.2),
            ("three", 2.2, 3.1),
            ("four", 3.1, 4.0),
        ]
        assert words[1].confidence == 0.9
        assert "3 words without times" in transcript.report.warnings[0]

    def test_a_segment_without_speaker_asks_its_words_then_is_unknown(self, read, spoken):
        segments = [
            {"start": 0, "end": 1, "text": "a b", "words": [{"word": "a", "speaker": "X"}, {"word": "b"}]},
            {"start": 1, "end": 2, "text": "c", "words": []},
            {"start": 2, "end": 3, "text": "d", "speaker": None},
        ]
        transcript = read("w.json", json.dumps({"segments": segments, "language": "en"}))
        assert spoken(transcript) == [
            ("X", 0, 1, "a b"),
            ("unknown", 1, 2, "c"),
            ("unknown", 2, 3, "d"),
        ]
        assert '2 of 3 utterances have no speaker; shown as "unknown"' in transcript.report.warnings
        assert transcript.language == "en"

    def test_a_segment_without_times_stands_between_its_neighbours(self, read, spoken):
        segments = [{"start": 0, "end": 1, "text": "a"}, {"text": "b"}, {"start": 3, "end": 4, "text": "c"}]
        transcript = read("w.json", json.dumps({"segments": segments}))
        assert spoken(transcript)[1] == ("unknown", 1.0, 1.4, "b")
        assert any("no start time" in warning for warning in transcript.report.warnings)

    def test_nothing_but_junk_in_a_segment_is_no_key_error(self, read, spoken):
        segments = [
            {},
            {"start": "x", "end": None, "text": None},
            7,
            {"start": "1.5", "end": "2", "text": "ok"},
        ]
        transcript = read("w.json", json.dumps({"segments": segments}))
        assert spoken(transcript) == [("unknown", 1.5, 2.0, "ok")]
        assert transcript.report.counts["dropped"] == 2
        assert "1 entries that are no segments were skipped" in transcript.report.warnings


class TestLongTimes:
    """Case 31: times over an hour, in all the ways they are written."""

    @pytest.mark.parametrize(
        ("written", "seconds"),
        [("1:04:13.283", 3853.283), ("61:00.000", 3660.0), ("00:01.5", 1.5), ("100:00:00.000", 360000.0)],
    )
    @pytest.mark.parametrize("name", ["a.vtt", "a.srt"])
    def test_hours_may_be_short_missing_or_many(self, read, name, written, seconds):
        head = "WEBVTT\n\n" if name == "a.vtt" else "1\n"
        transcript = read(name, f"{head}{written} --> 101:00:00.000\nhello\n")
        assert transcript.utterances[0].start == pytest.approx(seconds, abs=1e-6)

    @pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
    def test_four_parts_are_refused_with_the_line(self, read, name):
        head = "WEBVTT\n\n" if name == "a.vtt" else "1\n"
        line = 3 if name == "a.vtt" else 2
        with pytest.raises(TranscriptError, match=f"{name}, line {line}: a time has four parts"):
            read(name, f"{head}00:1:00:04,000 --> 00:1:00:06,000\nhello\n")

    @pytest.mark.parametrize("meeting", ["EN2005a", "EN2001a"])
    def test_a_real_meeting_over_an_hour_keeps_its_last_times(self, shared_data, meeting):
        file = shared_data / "ami" / "transcripts" / f"{meeting}.segments.jsonl"
        last = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        latest = max(item["words_end"] for item in last if item["words_end"] is not None)
        duration = read_transcript(file).duration
        assert duration == pytest.approx(latest)
        assert duration > 3600


@pytest.mark.parametrize("name", FILES)
class TestTextForms:
    """Cases 32 and 33: byte order marks and line ends change nothing."""

    @pytest.mark.parametrize(
        ("encoding", "mark"),
        [
            ("utf-8", b""),
            ("utf-8", b"\xef\xbb\xbf"),
            ("utf-16-le", b"\xff\xfe"),
            ("utf-16-be", b"\xfe\xff"),
            ("utf-16-le", b""),
        ],
    )
    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    def test_the_same_utterances(self, read, spoken, name, newline, encoding, mark):
        data = mark + FILES[name].replace("\n", newline).encode(encoding)
        expected = (
            [(who, start, end, "") for who, start, end, _ in EXPECTED] if name == "a.rttm" else EXPECTED
        )
        assert spoken(read(name, data)) == expected

    def test_the_suffix_does_not_matter(self, read, name):
        known, odd = read(name, FILES[name]), read("transcript.dat", FILES[name])
        assert odd.utterances == known.utterances
        assert odd.report.format == known.report.format


class TestSilence:
    """Case 35: an empty interval is silence."""

    def test_empty_and_blank_intervals_are_no_utterances(self, read, spoken):
        assert spoken(read("a.TextGrid", TEXTGRID)) == EXPECTED

    def test_real_file_in_utf16(self, shared_data, spoken):
        transcript = read_transcript(shared_data / "formats" / "textgrid" / "mary_longfile.TextGrid")
        assert [text for *_, text in spoken(transcript)] == ["mary rolled the barrel"]
        assert transcript.report.encoding == "utf-16"

    def test_a_grid_of_silence_says_that_nothing_is_in_it(self, shared_data):
        with pytest.raises(TranscriptError, match="'empty_textgrid' has no utterances"):
            read_transcript(shared_data / "formats" / "textgrid" / "empty_textgrid.TextGrid")


class TestRttmVariants:
    """Case 38: SPKR-INFO lines, eight fields or more."""

    def test_real_file_with_speaker_info(self, shared_data):
        transcript = read_transcript(shared_data / "formats" / "ES2014c.ref.rttm")
        assert transcript.report.counts == {"read": 801, "kept": 801, "dropped": 0, "speakers": 4, "words": 0}
        assert {s.name for s in transcript.speakers} == {
            "ES2014c.A_PM", "ES2014c.B_ID", "ES2014c.C_UI", "ES2014c.D_ME",
        }  # fmt: skip

    @pytest.mark.parametrize("rest", ["", " <NA>", " <NA> <NA>", " <NA> <NA> more fields"])
    def test_eight_fields_are_enough(self, read, spoken, rest):
        transcript = read("a.rttm", f"SPEAKER m 1 1.0 1.5 <NA> <NA> Ann{rest}\n")
        assert spoken(transcript) == [("Ann", 1.0, 2.5, "")]

    def test_seven_fields_are_skipped_with_their_line(self, read):
        transcript = read("a.rttm", f"{RTTM}SPEAKER m 1 5.0 1.5 <NA> <NA>\n;; a comment\n")
        assert len(transcript.utterances) == 2
        assert any(note.line == 3 and "8 fields" in note.message for note in transcript.report.notes)


class TestLabelsAndEmptyTurns:
    """Case 39: labels in any script, turns of length zero."""

    def test_non_ascii_label_is_kept(self, shared_data):
        transcript = read_transcript(shared_data / "formats" / "unicode_labels.rttm")
        assert "MÉO069" in {speaker.name for speaker in transcript.speakers}

    def test_two_spellings_of_one_letter_are_one_speaker(self, read):
        rows = [f"SPEAKER m 1 {i} 1 <NA> <NA> {label} <NA>\n" for i, label in enumerate(["É", "É", "张伟"])]
        assert [s.name for s in read("a.rttm", "".join(rows)).speakers] == ["É", "张伟"]

    def test_zero_length_turn_is_dropped_with_a_note(self, shared_data):
        transcript = read_transcript(shared_data / "formats" / "meeteval_ref.rttm")
        assert transcript.report.counts["dropped"] == 1
        assert any(
            note.line == 1 and note.message == "a turn of length zero at 0 s was dropped"
            for note in transcript.report.notes
        )

    def test_reversed_and_negative_times_are_repaired_with_their_lines(self, read, spoken):
        transcript = read("a.stm", "m 1 Ann 5.0 4.0 hello\nm 1 Bob -1.0 1.0 hi\n")
        assert spoken(transcript) == [("Bob", 0.0, 1.0, "hi"), ("Ann", 4.0, 5.0, "hello")]
        assert [note.line for note in transcript.report.notes] == [1, 2]


class TestOverlap:
    """Case 40: people talk at the same time."""

    def test_overlapping_turns_stay_whole(self, shared_data):
        file = shared_data / "audio" / "ami_clips" / "EN2002a_0000_0030.ref.json"
        transcript = read_transcript(file)
        turns = json.loads(file.read_text(encoding="utf-8"))["turns"]
        assert [(u.start, u.end, u.text) for u in transcript.utterances] == sorted(
            ((turn["start"], turn["end"], turn["text"]) for turn in turns), key=lambda turn: turn[0]
        )
        assert _overlapped_seconds(transcript) == pytest.approx(11.8, abs=0.1)
        assert transcript.report.notes == ()

    @pytest.mark.parametrize("meeting", ["EN2009b", "IB4002"])
    def test_whole_meetings(self, shared_data, meeting):
        transcript = read_transcript(shared_data / "ami" / "transcripts" / f"{meeting}.segments.jsonl")
        assert _overlapped_seconds(transcript) > 30
        assert len(transcript.speakers) > 1

    def test_ids_count_up_in_time_order(self, shared_data):
        transcript = read_transcript(shared_data / "ami" / "transcripts" / "EN2009b.segments.jsonl")
        assert [u.id for u in transcript.utterances] == list(range(len(transcript.utterances)))
        starts = [u.start for u in transcript.utterances]
        assert starts == sorted(starts)


def _overlapped_seconds(transcript) -> float:
    """Return the seconds during which at least two people speak."""
    changes = sorted(change for u in transcript.utterances for change in ((u.start, 1), (u.end, -1)))
    seconds, speaking, previous = 0.0, 0, 0.0
    for time, step in changes:
        seconds += time - previous if speaking > 1 else 0.0
        speaking, previous = speaking + step, time
    return seconds


def test_a_file_of_no_known_format_is_one_sentence(shared_data: Path):
    with pytest.raises(TranscriptError) as caught:
        read_transcript(shared_data / "audio" / "ami_clips" / "clips.csv")
    sentence = str(caught.value)
    assert sentence.startswith(
        "clips.csv is not a transcript that can be read (found text that begins 'file,"
    )
    assert "SubRip" in sentence
    assert "\n" not in sentence

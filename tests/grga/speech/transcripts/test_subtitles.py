"""SRT and WebVTT as tools and people write them."""

from __future__ import annotations

import pytest

from grga.errors import TranscriptError


def cue(start: str, text: str) -> str:
    return f"{start}.000 --> 00:59.000\n{text}\n\n"


class TestSrt:
    def test_a_blank_line_inside_a_cue_loses_no_words(self, read):
        transcript = read(
            "a.srt", "1\n00:00:01,0 --> 00:00:02,0\nfirst\n\nsecond\n\n2\n00:00:03,0 --> 00:00:04,0\nthird\n"
        )
        assert [u.text for u in transcript.utterances] == ["first second", "third"]
        assert transcript.report.warnings[0] == "line 2: a blank line inside the text was joined"

    def test_missing_numbers_and_missing_blank_lines_do_not_matter(self, read):
        text = "00:00:01,000-->00:00:02,000\nfirst\n2\n00:00:03,000 --> 00:00:04,000\nsecond"
        assert [u.text for u in read("a.srt", text).utterances] == ["first", "second"]

    def test_an_unreadable_time_skips_that_cue_only(self, read):
        text = "1\n00:00:0x,000 --> 00:00:02,000\nlost\n\n2\n00:00:03,000 --> 00:00:04,000\nkept\n"
        transcript = read("a.srt", text)
        assert [u.text for u in transcript.utterances] == ["kept"]
        assert transcript.report.warnings[0] == "line 2: '00:00:0x,000' is not a time; the cue was skipped"

    def test_formatting_is_removed_and_other_angle_brackets_stay(self, read):
        styled = "{\\an8}<i>a</i> <font color=red>b</font> <img src=x> 1 < 2 &amp; 3"
        text = f"1\n00:00:01,0 --> 00:00:02,0\n{styled}\n"
        assert read("a.srt", text).utterances[0].text == "a b <img src=x> 1 < 2 & 3"

    def test_an_arrow_in_the_text_is_text(self, read):
        text = "1\n00:00:01,0 --> 00:00:02,0\nA: go\n--> there\n"
        assert read("a.srt", text).utterances[0].text == "go --> there"

    def test_no_cue_with_words(self, read):
        with pytest.raises(TranscriptError, match="has no utterances"):
            read("a.srt", "1\n00:00:01,0 --> 00:00:02,0\n\n")


class TestLabels:
    def test_labels_in_front_of_the_text(self, read, spoken):
        lines = [
            "Ann Lee: hello",
            "[SPEAKER_01]: hi",
            "[SPEAKER_02] yes",
            ">> BOB: no",
            "speaker_0: ah",
            "张伟: 你好",
            "it is: this",
        ]
        transcript = read(
            "a.vtt", "WEBVTT\n\n" + "".join(cue(f"00:0{i}", line) for i, line in enumerate(lines))
        )
        assert [(who, text) for who, _, _, text in spoken(transcript)] == [
            ("Ann Lee", "hello"),
            ("SPEAKER_01", "hi"),
            ("SPEAKER_02", "yes"),
            ("BOB", "no"),
            ("speaker_0", "ah"),
            ("张伟", "你好"),
            ("unknown", "it is: this"),
        ]

    @pytest.mark.parametrize(
        "line", ["Note: it is late", "[laughter] yes", "At 12:30 we meet", "Well, Ann: stop"]
    )
    def test_one_such_line_among_many_is_no_speaker(self, read, line):
        lines = ["we begin", line, "and go on", "to the end"]
        transcript = read(
            "a.vtt", "WEBVTT\n\n" + "".join(cue(f"00:0{i}", text) for i, text in enumerate(lines))
        )
        assert [s.id for s in transcript.speakers] == ["unknown"]
        assert transcript.utterances[1].text == line

    def test_ids_count_in_order_of_first_speaking(self, read):
        transcript = read(
            "a.vtt", "WEBVTT\n\n" + cue("00:02", "<v Ann>later") + cue("00:01", "<v Bob>sooner")
        )
        assert [(s.id, s.name) for s in transcript.speakers] == [("S1", "Bob"), ("S2", "Ann")]


class TestVtt:
    def test_notes_styles_identifiers_and_settings_are_no_text(self, read, spoken):
        text = (
            "WEBVTT - a title\nKind: captions\nLanguage: de\n\n"
            "STYLE\n::cue { color: red }\n\nNOTE\nnot\nthis\n\n"
            "9f2c/1-0\n00:01.000 --> 00:02.000 align:start position:0%\n"
            "<v.loud Ann Lee>hel<c.x>lo</c>\n<00:01.500>you\n\n"
            "NOTE 00:00 --> nothing\n\nintro two\n00:03.000 --> 00:04.000\n<v Bob>&lt;yes&gt; &amp; no</v>\n"
        )
        transcript = read("a.vtt", text)
        assert spoken(transcript) == [("Ann Lee", 1.0, 2.0, "hello you"), ("Bob", 3.0, 4.0, "<yes> & no")]
        assert transcript.language == "de"

    def test_two_voices_in_one_cue_are_two_utterances(self, read, spoken):
        transcript = read("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>hello</v> <v Bob>hi</v>\n")
        assert spoken(transcript) == [("Ann", 1.0, 2.0, "hello"), ("Bob", 1.0, 2.0, "hi")]

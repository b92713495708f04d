"""Words and speakers wrongly told: published values, and what a file may look like."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eval.report.speech import speaker_table, word_table
from eval.speech import measuring
from eval.speech.der import Scoring, SpeakerErrors, speaker_errors
from eval.speech.reading import Said, paired, read_speech, read_uem
from eval.speech.wer import Errors, character_errors, cp_errors, mixed_errors, normalise, word_errors
from grga.errors import EvaluationError
from grga.types import TimeSpan


def der(reference: Path, hypothesis: Path, scoring: Scoring) -> float:
    total = SpeakerErrors()
    for _, said, heard in paired(read_speech(reference), read_speech(hypothesis)):
        total += speaker_errors(said, heard, scoring)
    assert total.rate is not None
    return 100 * total.rate


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        (Scoring(0.25, skip_overlap=True), 7.16923618),  # md-eval, in SpeechBrain's documentation
        (Scoring(), 19.468),
    ],
)
def test_der_of_an_ami_meeting_is_the_published_one(
    shared_data: Path, scoring: Scoring, expected: float
) -> None:
    formats = shared_data / "formats"
    found = der(formats / "ES2014c.ref.rttm", formats / "ES2014c.sys.rttm", scoring)
    assert found == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(("collar", "expected"), [(0.0, 9.003), (0.25, 1.926)])
def test_der_of_an_alimeeting_session_is_the_package_s(
    shared_data: Path, collar: float, expected: float
) -> None:
    folder = shared_data / "alimeeting"
    found = der(folder / "R1028_M4277.ref.rttm", folder / "R1028_M4277.sys.rttm", Scoring(collar))
    assert found == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("kind", ["stm", "seglst.json"])
def test_cpwer_is_what_meeteval_publishes_for_its_example(shared_data: Path, kind: str) -> None:
    formats = shared_data / "formats"
    pairs = paired(
        read_speech(formats / f"meeteval_ref.{kind}"), read_speech(formats / f"meeteval_hyp.{kind}")
    )
    found = [cp_errors(said, heard, normalised=False) for _, said, heard in pairs]
    assert [(one.errors, one.length) for one in found] == [(2, 62), (23, 30)]
    total = found[0] + found[1]
    assert (total.errors, total.length, total.rate) == (25, 92, pytest.approx(25 / 92))


def test_rates_come_from_added_counts_and_not_from_rates() -> None:
    short, long = word_errors("a", "b"), word_errors("c d e f g h i", "c d e f g h i")
    assert (short.rate, long.rate, (short + long).rate) == (1.0, 0.0, 1 / 8)
    assert Errors().rate is None
    assert SpeakerErrors().rate is None


def test_word_errors_are_told_apart() -> None:
    assert word_errors("so the red one came", "so that one came in") == Errors(1, 1, 1, 5)
    assert word_errors("", "two words") == Errors(insertions=2)
    assert word_errors("two words", "") == Errors(deletions=2, length=2)


@pytest.mark.parametrize(
    ("written", "counted"),
    [
        ("{vocalsound} The L_C_D_ , it's  RED!", "the lcd it's red"),
        ("ＡＢＣ [noise] don’t", "abc don't"),
        ("電池，兩節。", "电池 两节"),
    ],
)
def test_both_sides_are_normalised_the_same_way(written: str, counted: str) -> None:
    assert normalise(written) == counted
    assert word_errors(written, counted).errors == 0


def test_chinese_is_counted_in_characters() -> None:
    assert character_errors("欢迎大家 来体验", "歡迎大家，来检验。") == Errors(1, 0, 0, 7)


@pytest.mark.parametrize(
    ("said", "heard", "errors"),
    [
        ("我们用 API v2", "我们用API v2。", Errors(0, 0, 0, 5)),
        ("我们用 Kubernetes 部署", "我們用 Cooper 部署", Errors(1, 0, 0, 6)),
        ("用ＡＰＩ，对吧？", "用 api 对", Errors(0, 1, 0, 4)),
        ("三点开会", "三点半开会吧", Errors(0, 0, 2, 4)),
        ("the red one", "the bed one", Errors(1, 0, 0, 3)),
        ("", "好 okay", Errors(insertions=2)),
    ],
)
def test_mixed_speech_is_counted_in_han_characters_and_other_words(
    said: str, heard: str, errors: Errors
) -> None:
    assert mixed_errors(said, heard) == errors


def test_the_names_of_heard_speakers_do_not_matter_but_their_turns_do() -> None:
    said = [Said("Ann", TimeSpan(0, 2), "one two"), Said("Ben", TimeSpan(2, 4), "three four")]
    renamed = [Said("1", TimeSpan(0, 2), "one two"), Said("0", TimeSpan(2, 4), "three four")]
    as_one = [Said("1", TimeSpan(0, 4), "one two three four")]
    assert cp_errors(said, renamed).errors == 0
    assert speaker_errors(said, renamed).rate == 0
    assert cp_errors(said, as_one) == Errors(0, 2, 2, 4)
    assert speaker_errors(said, as_one) == SpeakerErrors(0, 0, 2, 4)
    assert cp_errors(said, []) == Errors(deletions=4, length=4)
    assert speaker_errors(said, []) == SpeakerErrors(missed=4, speech=4)


def test_only_the_stretches_of_a_uem_file_are_scored(tmp_path: Path) -> None:
    file = tmp_path / "some.uem"
    file.write_text("it 1 0 1\n; a remark\nit 1 3 4\n")
    said, heard = [Said("a", TimeSpan(0, 4))], [Said("a", TimeSpan(0, 2))]
    assert speaker_errors(said, heard, scored=read_uem(file)["it"]) == SpeakerErrors(missed=1, speech=2)
    assert speaker_table([("it", said, heard)], read_uem(file)).rows[0][1] == "50.00"
    with pytest.raises(EvaluationError, match="does not say what to score of other"):
        speaker_table([("other", said, heard)], read_uem(file))


def test_any_transcript_can_be_scored(tmp_path: Path) -> None:
    said, heard = tmp_path / "said.stm", tmp_path / "heard.srt"
    said.write_text("it 1 Ann 0 2 <o,f0,female> We meet again\n")
    heard.write_text("1\n00:00:00,000 --> 00:00:02,000\nAnn: We met again\n")
    pairs = paired(read_speech(said), read_speech(heard))
    table = word_table(pairs)
    assert table is not None
    assert table.rows[0] == ("it", "33.33", "33.33", "9.09", "1", "0", "0", "3")
    assert speaker_table(pairs).rows[0][:2] == ("it", "0.00")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.rttm", "SPEAKER it 1 0.0 one <NA> <NA> Ann\n", "line 1 of a.rttm is damaged"),
        ("a.rttm", "SPKR-INFO it 1 <NA> <NA> <NA> unknown Ann <NA>\n", "nobody speaks in a.rttm"),
        ("a.stm", "it 1 Ann 3 2 words\n", "line 1 of a.stm is damaged"),
        ("a.seglst.json", '[{"session_id": "it"}]', "a.seglst.json is not SegLST"),
        ("a.uem", "it 1 0\n", "line 1 of a.uem is damaged"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(EvaluationError, match=message):
        (read_uem if name.endswith(".uem") else read_speech)(tmp_path / name)


def test_a_recording_that_the_reference_does_not_know_is_refused() -> None:
    one = [Said("a", TimeSpan(0, 1))]
    with pytest.raises(EvaluationError, match="about different recordings"):
        paired({"x": one, "y": one}, {"x": one, "z": one})
    assert paired({"x": one, "y": one}, {"x": one}) == [("x", one, one), ("y", one, [])]


def test_a_missing_package_is_one_sentence() -> None:
    with pytest.raises(EvaluationError, match="the package no_such_measure is not installed"):
        measuring("no_such_measure.part")


def test_the_command_prints_the_tables(shared_data: Path) -> None:
    formats = shared_data / "formats"
    command = [sys.executable, "-m", "eval", "speech", "--as-written"]
    files = [
        "--reference",
        str(formats / "meeteval_ref.stm"),
        "--hypothesis",
        str(formats / "meeteval_hyp.stm"),
    ]
    printed = subprocess.run(
        [*command, *files], capture_output=True, text=True, timeout=120, check=True
    ).stdout
    assert "| all 2 | 9.78 [3.23, 23.33] | 27.17 [3.23, 76.67] |" in printed
    assert "Diarization error rate" in printed

"""Corpora as they lie on a disk: what is read, what is joined, what is said when a part is missing."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from annotation.schema import Evidence, Generator, QAItem
from eval.corpora import open_corpus
from eval.corpora.dailytalk import DailyTalk, join
from eval.report.statistics import measure, table_2
from grga.agent.steps import QuestionType
from grga.audio import SAMPLE_RATE, Waveform
from grga.config import Config
from grga.errors import ConfigError, EvaluationError
from grga.store import Store
from grga.types import TimeSpan

RATE = 22_050


def tone(file: Path, seconds: float, rate: int = RATE, channels: int = 1) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    wave = 0.1 * np.sin(np.arange(round(seconds * rate)) * 0.05)
    soundfile.write(file, np.stack([wave] * channels, axis=1), rate)


def question(meeting: str, **values: Any) -> QAItem:
    evidence = Evidence(utt_id=0, start=0, end=2, speaker="A", text="hello")
    known = {
        "key": f"{meeting}-1",
        "meeting": meeting,
        "type": QuestionType.TEMPORAL,
        "subtask": "duration",
        "question": "How long?",
        "answer": "Two seconds.",
        "evidence": (evidence,),
        "generator": Generator(name="human"),
    }
    return QAItem.model_validate({**known, **values})


def write_questions(path: Path, *items: QAItem) -> None:
    (path / "questions.jsonl").write_text("".join(item.model_dump_json() + "\n" for item in items))


# --- AMI --------------------------------------------------------------------------------------------


@pytest.fixture
def ami(shared_data: Path, tmp_path: Path) -> Path:
    """The annotations of one AMI meeting."""
    folder = tmp_path / "ami"
    for part in ("words", "segments"):
        (folder / "manual" / part).mkdir(parents=True)
        for file in (shared_data / "ami" / "nxt" / part).glob("IS1004a.*"):
            shutil.copy(file, folder / "manual" / part)
    shutil.copytree(shared_data / "ami/nxt/corpusResources", folder / "manual" / "corpusResources")
    return folder


def test_ami_is_read_with_its_people_and_questions(ami: Path, tmp_path: Path) -> None:
    write_questions(
        ami, question("IS1004a"), question("ES2002a"), question("IS1004a", key="no", status="rejected")
    )
    corpus, store = open_corpus("ami", ami), Store(tmp_path / "home")
    [source] = corpus.sources()
    id = source.index(store, Config(home=tmp_path / "home"))
    meeting = store.folder(id).read_meeting()
    assert (source.name, meeting.title, len(meeting.speakers)) == ("IS1004a", "IS1004a", 4)
    assert meeting.speakers[0].role
    [item] = corpus.items({"IS1004a": id})
    assert (item.corpus, item.meeting, item.type, item.gold[0].end) == ("AMI", id, QuestionType.TEMPORAL, 2)
    assert source.size is not None
    assert source.size().turns == len(meeting.utterances)


def test_ami_takes_the_far_microphone_and_wants_all_recordings_or_none(ami: Path, shared_data: Path) -> None:
    tone(ami / "signals" / "IS1004a" / "audio" / "IS1004a.Mix-Headset.wav", 1)
    tone(ami / "signals" / "IS1004a" / "audio" / "IS1004a.Array1-01.wav", 1)
    [source] = open_corpus("ami-heard", ami).sources()
    assert source.name == "IS1004a"
    shutil.copy(shared_data / "ami/nxt/words/ES2003a.A.words.xml", ami / "manual" / "words")
    with pytest.raises(
        EvaluationError, match=r"1 of 2 recordings of AMI are missing \(found none of ES2003a"
    ):
        open_corpus("ami", ami)


def test_ami_names_the_part_that_is_missing(ami: Path, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="1 of 1 recordings of AMI are missing"):
        open_corpus("ami-heard", ami)
    with pytest.raises(EvaluationError, match="there are no questions about AMI"):
        open_corpus("ami", ami).items({"IS1004a": "x"})
    shutil.rmtree(ami / "manual" / "segments")
    with pytest.raises(EvaluationError, match="AMI's segments is missing"):
        open_corpus("ami", ami)
    with pytest.raises(EvaluationError, match="AMI's words is missing"):
        open_corpus("ami", tmp_path / "nowhere")


# --- AliMeeting -------------------------------------------------------------------------------------

GRID = """File type = "ooTextFile"
Object class = "TextGrid"

0 6.5 <exists> 2
"IntervalTier" "N_SPK8001" 0 6.5 2 0 3 "我们开始吧" 3 6.5 ""
"IntervalTier" "N_SPK8002" 0 6.5 2 0 2.5 "" 2.5 6.5 "好的没问题"
"""


@pytest.fixture
def alimeeting(tmp_path: Path) -> Path:
    folder = tmp_path / "alimeeting"
    for kind, name in (("far", "R8001_M8004"), ("near", "R8001_M8004_N_SPK8001")):
        grids = folder / "Eval_Ali" / f"Eval_Ali_{kind}" / "textgrid_dir"
        grids.mkdir(parents=True)
        (grids / f"{name}.TextGrid").write_text(GRID)
    tone(folder / "Eval_Ali/Eval_Ali_far/audio_dir/R8001_M8004_MS801.wav", 6.5, SAMPLE_RATE, channels=8)
    return folder


def test_alimeeting_is_read_from_the_far_field_with_overlapping_speakers(
    alimeeting: Path, tmp_path: Path
) -> None:
    store = Store(tmp_path / "home")
    [source] = open_corpus("alimeeting", alimeeting).sources()
    meeting = store.folder(source.index(store, Config(home=store.home))).read_meeting()
    spoken = [(meeting.name_of(one), one.span, one.text) for one in meeting.utterances]
    assert spoken == [
        ("N_SPK8001", TimeSpan(0, 3), "我们开始吧"),
        ("N_SPK8002", TimeSpan(2.5, 6.5), "好的没问题"),
    ]
    assert meeting.has_audio
    assert meeting.utterances[0].acoustics is not None


def test_alimeeting_names_what_is_missing(alimeeting: Path, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="there is no AliMeeting"):
        open_corpus("alimeeting", tmp_path / "nowhere")
    shutil.rmtree(alimeeting / "Eval_Ali/Eval_Ali_far/audio_dir")
    with pytest.raises(EvaluationError, match="1 of 1 recordings of AliMeeting are missing"):
        open_corpus("alimeeting-heard", alimeeting)
    assert len(list(open_corpus("alimeeting", alimeeting).sources())) == 1  # the texts alone will do


# --- DailyTalk --------------------------------------------------------------------------------------


@pytest.fixture
def dailytalk(shared_data: Path, tmp_path: Path) -> Callable[..., Path]:
    """Write the texts of real dialogues with tones of known lengths in place of the voices."""

    def make(dialogues: int, seconds: float = 0.05) -> Path:
        numbers: dict[str, str] = {}
        with gzip.open(shared_data / "dailytalk" / "train_frame.txt.gz", "rt") as lines:
            wanted = sorted(line.split("|") for line in lines)
        by_dialogue: dict[str, list[list[str]]] = {}
        for fields in wanted:
            by_dialogue.setdefault(fields[0].split("_d")[1], []).append(fields)
        whole = [
            some
            for some in by_dialogue.values()
            if {int(one[0].split("_")[0]) for one in some} == set(range(len(some)))
        ]
        for number, some in enumerate(whole[:dialogues]):
            numbers[str(number)] = some[0][0]
            for name, _, _, text, _ in some:
                turn, speaker, _ = name.split("_")
                file = tmp_path / "dailytalk" / "data" / str(number) / f"{turn}_{speaker}_d{number}.wav"
                tone(file, seconds * (1 + int(turn)))
                file.with_suffix(".txt").write_text(text + "\n")
        return tmp_path / "dailytalk"

    return make


def test_twenty_dialogues_become_one_input(dailytalk: Callable[..., Path]) -> None:
    corpus = DailyTalk(dailytalk(21))
    first, second = corpus.sources()
    assert (first.name, second.name) == ("DailyTalk-001", "DailyTalk-002")
    assert first.size is not None
    assert second.size is not None
    files = list((corpus._path / "data").glob("*/*.wav"))
    assert first.size().turns + second.size().turns == len(files)
    last = list((corpus._path / "data" / "20").glob("*.wav"))
    assert second.size().turns == len(last)


def test_a_turn_s_times_are_where_its_samples_lie(dailytalk: Callable[..., Path], tmp_path: Path) -> None:
    corpus = DailyTalk(dailytalk(2, seconds=0.5))
    turns = [turn for number in (0, 1) for turn in corpus._dialogues[number]]
    joined = join("DailyTalk-001", turns, tmp_path / "made")
    assert joined.recording is not None
    waveform = Waveform.open(joined.recording)
    spoken = json.loads(joined.transcript.read_text())["utterances"]
    at = 0.0
    for turn, one in zip(turns, spoken, strict=True):
        assert one["start"] == pytest.approx(at, abs=1e-9)
        assert one["end"] - one["start"] == pytest.approx(0.5 * (1 + turn.number), abs=0.002)
        assert (one["speaker"], one["text"]) == (f"Speaker {turn.speaker}", turn.text)
        at = one["end"]
    assert waveform.duration == pytest.approx(at, abs=1e-4)
    before = joined.recording.stat().st_mtime_ns
    assert join("DailyTalk-001", turns, tmp_path / "made") == joined
    assert joined.recording.stat().st_mtime_ns == before  # made once


def test_an_input_of_dailytalk_becomes_a_meeting(dailytalk: Callable[..., Path], tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    [source] = DailyTalk(dailytalk(2, seconds=0.3)).sources()
    meeting = store.folder(source.index(store, Config(home=store.home))).read_meeting()
    assert source.size is not None
    size = source.size()
    assert (meeting.title, len(meeting.utterances)) == ("DailyTalk-001", size.turns)
    assert meeting.duration == pytest.approx(size.seconds, abs=0.05)
    assert {speaker.name for speaker in meeting.speakers} == {"Speaker 0", "Speaker 1"}


def test_a_missing_turn_or_text_is_named(dailytalk: Callable[..., Path], tmp_path: Path) -> None:
    path = dailytalk(1)
    first = next((path / "data" / "0").glob("0_*.wav"))
    first.with_suffix(".txt").unlink()
    [source] = DailyTalk(path).sources()
    with pytest.raises(EvaluationError, match=f"the text of {first.name} is missing"):
        source.index(Store(tmp_path / "home"), Config(home=tmp_path / "home"))
    first.unlink()
    with pytest.raises(EvaluationError, match="a turn of dialogue 0 is missing"):
        DailyTalk(path)
    with pytest.raises(EvaluationError, match="DailyTalk's data is missing"):
        DailyTalk(tmp_path)


# --- statistics -------------------------------------------------------------------------------------


def test_statistics_are_those_of_the_files(alimeeting: Path, tmp_path: Path) -> None:
    write_questions(alimeeting, question("R8001_M8004"), question("R8001_M8004", key="second"))
    found = measure(open_corpus("alimeeting", alimeeting), Store(tmp_path))
    assert (found.dialogues, found.qa, found.mean_turns, found.mean_seconds) == (1, 2, 2, 6.5)
    assert found.types["temporal"] == 2
    assert found.subtasks == {"temporal: duration": 2}
    table = table_2("AliMeeting", found)
    assert table.rows[0] == ("AliMeeting", "0.00", "6", "2", "2", "1")
    assert table.rows[1] == ("AliMeeting (reported by the paper)", "14.91", "1935", "815", "3013", "28")


def test_the_command_prints_statistics_of_qmsum(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "qmsum" / "timed"
    command = [sys.executable, "-m", "eval", "stats", "--corpus", "qmsum", "--path", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    turns = sum(len(json.loads(file.read_text())["turns"]) for file in path.glob("*.json"))
    assert f"| {turns / 5:.0f} |" in done.stdout.splitlines()[4]
    assert done.stdout.splitlines()[4].endswith("| 5 |")


def test_an_unknown_corpus_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown corpus 'icsi' .*ami-heard.*dailytalk"):
        open_corpus("icsi", tmp_path)

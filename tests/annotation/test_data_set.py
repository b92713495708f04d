"""The data set: splits by meeting, figures, card, sound, and the way to the hub."""

from __future__ import annotations

import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from annotation.export import load
from annotation.export.hub import push, to_dataset, write_dataset
from annotation.export.splits import split_meetings
from annotation.export.statistics import PAPER_TABLE_2, figure_2, statistics, table_2
from annotation.schema import QAItem
from grga.audio import Waveform, write_wav
from grga.errors import AnnotationError

Desk = Any  # of conftest.py, which tests cannot import


@pytest.fixture
def items(desk: Desk) -> list[QAItem]:
    """Two questions about each of ten meetings."""
    return [
        desk.item(f"m{meeting}-{number}", evidence=(1, 3), meeting=f"m{meeting}", language="en")
        for meeting in range(10)
        for number in range(2)
    ]


@pytest.fixture
def recording(tmp_path: Path) -> Waveform:
    """42 s of a tone that grows, so that every clip is told by its level."""
    seconds = np.arange(42 * 16000) / 16000
    write_wav(tmp_path / "tone.wav", (0.02 * seconds * np.sin(2000 * seconds)).astype(np.float32))
    return Waveform.open(tmp_path / "tone.wav")


# --- splits -----------------------------------------------------------------------------------------


def test_splits_are_shares_of_the_meetings_and_the_same_each_time() -> None:
    names = [f"m{number}" for number in range(40)]
    splits = split_meetings(names)
    assert set(splits) == set(names)
    counted = [list(splits.values()).count(name) for name in ("train", "validation", "test")]
    assert counted == [32, 4, 4]
    assert split_meetings(list(reversed(names))) == splits
    assert split_meetings(names, seed=1) != splits


@pytest.mark.parametrize(
    ("meetings", "sizes"),
    [(0, [0, 0, 0]), (1, [1, 0, 0]), (2, [1, 1, 0]), (3, [1, 1, 1]), (4, [2, 1, 1]), (11, [9, 1, 1])],
)
def test_no_split_is_empty_while_there_are_meetings_for_all(meetings: int, sizes: list[int]) -> None:
    splits = split_meetings([f"m{number}" for number in range(meetings)])
    assert [list(splits.values()).count(name) for name in ("train", "validation", "test")] == sizes


def test_shares_that_make_no_whole_are_refused() -> None:
    with pytest.raises(AnnotationError, match=r"add up to 1 \(found train 0.8, test 0.1\)"):
        split_meetings(["m1"], {"train": 0.8, "test": 0.1})


# --- figures ----------------------------------------------------------------------------------------


def test_the_figures_are_those_of_table_2_and_figure_2(desk: Desk, items: list[QAItem]) -> None:
    meetings = {name: desk.workspace.meeting(name) for name in ("m0", "m1")}
    found = statistics(items[:6], meetings)
    assert (found.qa, found.dialogues, found.missing) == (6, 3, ("m2",))
    assert (found.mean_seconds, found.mean_turns, found.hours) == (42, 5, 84 / 3600)
    assert found.types == {
        "factual": 6,
        "inferential": 0,
        "temporal": 0,
        "summarization": 0,
        "acoustic": 0,
    }
    assert "| factual | 6 | 100.0 % |" in figure_2(found)
    assert table_2([("ours", found)]).endswith("| ours | 0.02 | 42 | 5 | 6 | 3 |")


def test_no_items_give_zeros() -> None:
    found = statistics([], {})
    assert (found.qa, found.hours, found.mean_turns) == (0, 0, 0)


def test_the_paper_s_figures_are_those_that_it_printed() -> None:
    printed = {name: (row.hours, row.qa, row.dialogues) for name, row in PAPER_TABLE_2.items()}
    assert printed == {
        "AliMeeting": (14.91, 3013, 28),
        "AMI": (18.24, 3243, 34),
        "DailyTalk": (21.59, 10200, 128),
    }


# --- the data set -----------------------------------------------------------------------------------


def test_every_piece_of_evidence_has_its_sound(items: list[QAItem], recording: Waveform) -> None:
    splits = to_dataset(items, lambda meeting: recording if meeting != "m3" else None)
    meetings = {name: set(rows["meeting"]) for name, rows in splits.items()}
    assert sum(map(len, meetings.values())) == len(set.union(*meetings.values())) == 10
    for rows in splits.values():
        for row in rows.data.table.to_pylist():
            if row["meeting"] == "m3":
                assert row["clips"] == []
                continue
            for clip, evidence in zip(row["clips"], row["evidence"], strict=True):
                samples, rate = soundfile.read(io.BytesIO(clip["bytes"]))
                assert (rate, len(samples)) == (16000, round(16000 * (evidence["end"] - evidence["start"])))
                assert max(samples) == pytest.approx(0.02 * evidence["end"], abs=0.002)


def test_a_written_data_set_is_read_by_the_hub_s_library_and_by_us(
    desk: Desk, items: list[QAItem], recording: Waveform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datasets import Audio, load_dataset

    meetings = {f"m{number}": desk.workspace.meeting(f"m{number}") for number in range(10)}
    files = write_dataset(tmp_path / "out", items, meetings, lambda meeting: recording, seed=4)
    names = sorted(file.relative_to(tmp_path / "out").as_posix() for file in files)
    assert names == ["README.md", "data/test.parquet", "data/train.parquet", "data/validation.parquet"]

    read = load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert {name: rows.num_rows for name, rows in read.items()} == {"train": 16, "validation": 2, "test": 2}
    assert read["train"].features["clips"].feature == Audio(sampling_rate=16000)

    back = [
        row.item for file in files if file.suffix == ".parquet" for row in load(file.read_bytes(), "parquet")
    ]
    assert sorted((one for one in back if one), key=lambda one: one.key) == items


def test_the_card_has_front_matter_figures_and_splits(
    desk: Desk, items: list[QAItem], recording: Waveform, tmp_path: Path
) -> None:
    from huggingface_hub import DatasetCard

    meetings = {f"m{number}": desk.workspace.meeting(f"m{number}") for number in range(10)}
    write_dataset(tmp_path, items, meetings, lambda meeting: recording)
    card = DatasetCard.load(tmp_path / "README.md")
    assert card.data.language == ["en"]
    assert card.data.size_categories == ["n<1K"]
    assert card.data.to_dict()["configs"][0]["data_files"][0] == {
        "split": "train",
        "path": "data/train.parquet",
    }
    assert "| this data set | 0.12 | 42 | 5 | 20 | 10 |" in card.text
    assert "| AMI (reported by the paper) | 18.24 | 1930 | 757 | 3243 | 34 |" in card.text
    assert "train 80%, validation 10%, test 10% of the meetings, seed 0" in card.text


def test_nothing_to_export_is_told(tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match="there is no question to export"):
        write_dataset(tmp_path, [], {}, lambda meeting: None)


def test_without_a_token_nothing_is_sent(tmp_path: Path) -> None:
    with pytest.raises(
        AnnotationError, match="a token that may write is needed: set HF_TOKEN or give --token"
    ):
        push(tmp_path, "somebody/questions", None)


def test_a_hub_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match=r"could not be sent to somebody/questions: .*check the name"):
        push(tmp_path, "somebody/questions", "hf_token", endpoint="http://127.0.0.1:9")


class Hub(ThreadingHTTPServer):
    """As much of the hub as an upload talks to: it keeps the files of the last commit."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), HubRequest)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.repositories: list[Any] = []
        self.files: dict[str, bytes] = {}
        self.tokens: set[str | None] = set()


class HubRequest(BaseHTTPRequestHandler):
    server: Hub

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.tokens.add(self.headers["Authorization"])
        if self.path == "/api/repos/create":
            self.server.repositories.append(json.loads(body))
            self.reply({"url": f"{self.server.address}/datasets/somebody/questions"})
        elif "/preupload/" in self.path:
            wanted = json.loads(body)["files"]
            self.reply(
                {
                    "files": [
                        {"path": one["path"], "uploadMode": "regular", "shouldIgnore": False}
                        for one in wanted
                    ]
                }
            )
        elif "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.server.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            address = f"{self.server.address}/datasets/somebody/questions/commit/1"
            self.reply({"commitUrl": address, "commitOid": "1", "commitMessage": "Add"})
        else:
            self.reply({"errors": [], "warnings": []})

    def do_GET(self) -> None:
        self.reply({"sha": "0", "siblings": [], "id": "somebody/questions"})

    def reply(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep quiet."""


def test_what_was_written_is_what_the_hub_gets(
    desk: Desk, items: list[QAItem], recording: Waveform, tmp_path: Path
) -> None:
    files = write_dataset(tmp_path / "out", items, {}, lambda meeting: recording)
    (tmp_path / "out" / "private.txt").write_text("not part of it")
    with Hub() as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        address = push(tmp_path / "out", "somebody/questions", "hf_token", endpoint=hub.address)
        hub.shutdown()
    assert address == f"{hub.address}/datasets/somebody/questions"
    assert hub.repositories[0]["visibility"] == "private"
    assert hub.tokens == {"Bearer hf_token"}
    assert hub.files == {file.relative_to(tmp_path / "out").as_posix(): file.read_bytes() for file in files}

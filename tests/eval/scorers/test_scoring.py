"""Stand-ins, answer keys, retrieval, and the command that prints them all."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from annotation.schema import AnswerKey
from eval.items import EvalItem, Span
from eval.report.accuracy import recall_table
from eval.runs import Cited, Run, RunRecord
from eval.score import score, score_all
from eval.scorers.keys import match
from eval.scorers.proxies import similarities, token_f1
from eval.scorers.retrieval import recalls
from grga.errors import EvaluationError
from grga.store import Store
from grga.types import Meeting, Speaker, TimeSpan, Utterance

MEETING = Meeting(
    "m1",
    "Made up",
    40.0,
    tuple(Utterance(i, "S1", TimeSpan(10.0 * i, 10.0 * i + 5), f"line {i}") for i in range(4)),
    (Speaker("S1", "Ann"),),
)


class Letters:
    """An encoder whose vectors count the letters a and b."""

    name, dimension, min_similarity = "letters", 2, 0.0

    def encode_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        counts = np.array([[text.count("a"), text.count("b")] for text in texts], np.float32)
        return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True), np.float32)

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        return np.asarray(self.encode_passages([text])[0])


def record(text: str = "Twice.", **item: Any) -> RunRecord:
    values = {"key": "q1", "corpus": "made up", "meeting": "m1", "question": "How often?", **item}
    cited = Cited(utterance=2, speaker="Ann", start=20, end=25, text="line 2")
    return RunRecord(
        item=EvalItem.model_validate(values),
        system="grga",
        sentences=((text, (2,)),),
        cited=(cited,),
        retrieved=(0, 2, 3),
        found=True,
        tools={"hybrid_search": 2},
    )


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("The case costs two euros.", "Two euros", 2 * 2 / (4 + 2)),  # "the" does not count
        ("two two euros", "two euros", 2 * 2 / (3 + 2)),
        ("Nothing alike", "two euros", 0.0),
        ("兩節電池", "两节电池。", 1.0),
        ("", "", 1.0),
        ("", "two", 0.0),
    ],
)
def test_token_f1_counts_shared_words(answer: str, reference: str, expected: float) -> None:
    assert token_f1(answer, reference).value == pytest.approx(expected)


def test_similarity_is_the_cosine_of_answer_and_reference() -> None:
    same, across, none = similarities(
        [record("aab", reference="aab"), record("a", reference="b"), record("a")], Letters()
    )
    assert (same.value, across.value, none.value) == (pytest.approx(1), pytest.approx(0), None)


def test_an_answer_key_is_compared_with_the_answer_as_it_was() -> None:
    key = AnswerKey(count=2, utterances=(2,))
    meetings = {"m1": MEETING}
    assert match(record("Twice, by Ann.", answer_key=key), meetings).value == 1.0
    wrong = match(record("Three times.", answer_key=key), meetings)
    assert (wrong.value, wrong.reason) == (0.0, "count 3")
    assert match(record(), meetings).value is None
    assert match(record(answer_key=key), {}).value is None


def test_every_scorer_says_what_it_can_of_each_answer() -> None:
    keyed = record("Twice.", answer_key=AnswerKey(count=2), reference="Twice, a b.")
    plain = record("a", key="q2", reference="b")
    scores = score_all([keyed, plain], [], {"m1": MEETING}, None)
    assert {scorer: list(found) for scorer, found in scores.items()} == {
        "proxy: token F1": [("q1", "grga"), ("q2", "grga")],
        "answer key": [("q1", "grga")],
    }
    with_encoder = score_all([plain], [], {}, Letters())
    assert with_encoder["proxy: embedding similarity"]["q2", "grga"].value == pytest.approx(0)


def test_a_record_gives_its_answer_back() -> None:
    answer = record().to_answer()
    assert (answer.text, answer.question, answer.found) == ("Twice.", "How often?", True)
    assert answer.citations[0].span == TimeSpan(20, 25)
    assert answer.sentences[0].citations == (2,)
    assert answer.cost.tool_calls == 2


def test_recall_counts_gold_spans_under_the_first_k_retrieved() -> None:
    gold = (Span(start=21, end=22), Span(start=6.5, end=7), Span(start=100, end=110))
    spans = {"m1": [(one.start, one.end) for one in MEETING.utterances]}
    # Utterance 0 (0–5 s) is first and touches 4.5–9 s; utterance 2 (20–25 s) comes second.
    assert recalls(record(gold=gold), spans) == {
        1: pytest.approx(1 / 3),
        5: pytest.approx(2 / 3),
        10: pytest.approx(2 / 3),
        20: pytest.approx(2 / 3),
    }
    assert recalls(record(), spans) is None
    assert recalls(record(gold=gold), {}) is None
    [row] = recall_table([record(gold=gold), record(gold=gold[:1])], spans).rows
    assert (row[0], row[1].split()[0], row[2].split()[0], row[-1]) == ("grga", "16.7", "83.3", "2")


def test_every_score_is_written_beside_the_run(made: Callable[..., Run], tmp_path: Path) -> None:
    run = made()
    tables = score(run, Store(tmp_path / "home"), None)
    assert list(tables) == ["token_f1", "token_f1_paired"]
    assert tables["token_f1"].caption.startswith("Proxy, not accuracy: token F1")
    lines = [json.loads(line) for line in (run.folder / "scores.jsonl").read_text().splitlines()]
    assert [(one["item"], one["system"], one["scorer"], one["value"]) for one in lines[:2]] == [
        ("q1", "grga", "proxy: token F1", 2 * 2 / (4 + 2)),
        ("q1", "text_rag", "proxy: token F1", 2 * 2 / (5 + 2)),
    ]
    with pytest.raises(EvaluationError, match="there are no answers"):
        score(Run(tmp_path / "nothing"), Store(tmp_path / "home"), None)


def test_the_commands_judge_and_score(
    made: Callable[..., Run], serve: Callable[..., Any], tmp_path: Path
) -> None:
    run = made(2)
    right = [{"reason": "it agrees", "right": True}, {"reason": "it differs", "right": False}]
    server = serve({"verdict": [right[0], right[1], right[0], right[0]]})
    people = tmp_path / "people.jsonl"
    people.write_text(json.dumps({"item": "q1", "system": "grga", "score": 5}) + "\n")
    # One request at a time, so that the scripted verdicts meet their answers.
    settings = tmp_path / "grga.toml"
    settings.write_text(f'[llm]\nbase_url = "{server.address}"\nmodel = "ada"\nmax_concurrency = 1\n')
    common = [str(run.folder), "--home", str(tmp_path / "home"), "--config", str(settings)]
    assert "judged by 1" in command("judge", *common)
    out = tmp_path / "tables"
    printed = command("score", *common, "--no-similarity", "--people", str(people), "--out", str(out))
    assert "| grga | 100.0 [100.0, 100.0] | 2 | 0 |" in printed
    assert "| ada | 100.0 | 50.0 | 0 | yes |" in printed
    assert "| ada | 100.0 | – | 1 | 0 | 0 | 0 | 1 |" in printed
    rows = list(csv.reader(io.StringIO((out / "llm_judge.csv").read_text())))
    assert rows[2] == ["text_rag", "50.0 [50.0, 50.0]", "2", "0"]


def command(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "eval", *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

"""The sample meetings are what their references and questions say they are."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "assets" / "samples"
RATE = 16_000
TYPES = {"factual", "inferential", "temporal", "summarization", "acoustic"}
every_sample = pytest.mark.parametrize("name", ["lantern-players", "rooftop-garden"])


def load(name: str, file: str) -> Any:
    return json.loads((SAMPLES / name / file).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def recordings() -> dict[str, npt.NDArray[np.float32]]:
    return {name: decode(SAMPLES / name / "audio.opus") for name in ("lantern-players", "rooftop-garden")}


def decode(path: Path) -> npt.NDArray[np.float32]:
    resampler = av.AudioResampler("s16", "mono", RATE)
    with av.open(str(path)) as container:
        frames = [f for frame in [*container.decode(audio=0), None] for f in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray().ravel() for frame in frames]).astype(np.float32) / 32768


def level(recording: npt.NDArray[np.float32], utterance: dict[str, Any]) -> float:
    samples = recording[int(utterance["start"] * RATE) : int(utterance["end"] * RATE)]
    return float(10 * np.log10(np.mean(np.square(samples))))


@every_sample
def test_a_sample_is_complete_and_small(name: str) -> None:
    files = {path.name for path in (SAMPLES / name).iterdir()}
    assert files >= {"audio.opus", "script.json", "reference.json", "reference.rttm", "questions.json"}
    assert (SAMPLES / name / "audio.opus").stat().st_size < 4_000_000
    assert (SAMPLES / "LICENSE.md").read_text(encoding="utf-8").count("Apache-2.0") > 1


@every_sample
def test_the_reference_lies_inside_the_audio_in_order_of_time(
    name: str, recordings: dict[str, npt.NDArray[np.float32]]
) -> None:
    reference = load(name, "reference.json")
    utterances = reference["utterances"]
    seconds = len(recordings[name]) / RATE
    assert seconds == pytest.approx(reference["duration"], abs=0.05)
    assert [u["id"] for u in utterances] == list(range(len(utterances)))
    assert all(a["start"] < b["start"] for a, b in pairwise(utterances))
    for u in utterances:
        assert 0 <= u["start"] < u["end"] <= seconds
        edges = [edge for word in u["words"] for edge in (word["start"], word["end"])]
        assert edges == sorted(edges), u["text"]
        assert u["start"] <= edges[0]
        assert edges[-1] <= u["end"] + 0.001
        joined = "".join(word["text"] for word in u["words"])
        assert joined == u["text"].replace(" ", ""), "the words are the text"


@every_sample
def test_the_rttm_tells_the_same_turns(name: str) -> None:
    turns = [line.split() for line in (SAMPLES / name / "reference.rttm").read_text().splitlines()]
    utterances = load(name, "reference.json")["utterances"]
    assert [(t[7], float(t[3])) for t in turns] == [(u["speaker"], u["start"]) for u in utterances]
    assert all(
        float(t[4]) == pytest.approx(u["end"] - u["start"], abs=0.002)
        for t, u in zip(turns, utterances, strict=True)
    )


@every_sample
def test_the_shout_is_far_louder_than_the_speaker_is_otherwise(
    name: str, recordings: dict[str, npt.NDArray[np.float32]]
) -> None:
    utterances = load(name, "reference.json")["utterances"]
    shout = next(u for u in utterances if u["line"] == "shout")
    own = [u for u in utterances if u["speaker"] == shout["speaker"]]
    levels = {u["id"]: level(recordings[name], u) for u in utterances}
    assert levels[shout["id"]] - np.mean([levels[u["id"]] for u in own]) >= 8.0
    assert levels[shout["id"]] == max(levels.values())


@every_sample
def test_nothing_clips_and_nobody_is_inaudible(
    name: str, recordings: dict[str, npt.NDArray[np.float32]]
) -> None:
    assert np.abs(recordings[name]).max() < 0.99
    quietest = min(level(recordings[name], u) for u in load(name, "reference.json")["utterances"])
    assert quietest > -40.0


def test_one_speaker_interrupts_another_and_one_silence_is_long() -> None:
    utterances = load("lantern-players", "reference.json")["utterances"]
    gaps = {b["line"]: b["start"] - a["end"] for a, b in pairwise(utterances)}
    assert [line for line, gap in gaps.items() if gap < 0] == ["interruption"]
    assert gaps["interruption"] == pytest.approx(-1.1, abs=0.01)
    assert max(gaps, key=lambda line: gaps[line]) == "apology"
    assert gaps["apology"] == pytest.approx(3.0, abs=0.01)


@every_sample
def test_questions_cover_all_types_and_refer_to_what_is_there(name: str) -> None:
    reference, questions = load(name, "reference.json"), load(name, "questions.json")
    names = {speaker["id"]: speaker["name"] for speaker in reference["speakers"]}
    utterances = reference["utterances"]
    answerable = [q for q in questions if q["expect"]["found"]]
    assert {q["type"] for q in answerable} == TYPES
    assert len(questions) - len(answerable) == 2, "two questions ask for what nobody said"
    for q in answerable:
        expect = q["expect"]
        assert set(expect["speakers"]) == {e["speaker"] for e in expect["evidence"]}
        assert expect["window"] in [[e["start"], e["end"]] for e in expect["evidence"]]
        for e in [*expect["evidence"], *expect["supporting"]]:
            u = utterances[e["utterance"]]
            assert (e["speaker"], e["start"], e["end"]) == (names[u["speaker"]], u["start"], u["end"])
        said = " ".join(utterances[e["utterance"]]["text"] for e in expect["evidence"]).lower()
        said += " ".join(expect["speakers"]).lower()
        for alternatives in expect["keywords"]:
            assert any(word in said for word in alternatives), (q["question"], alternatives)


def test_the_english_sample_asks_enough_questions() -> None:
    questions = load("lantern-players", "questions.json")
    assert len(questions) >= 14
    counted = next(q for q in questions if "count" in q["expect"])
    text = " ".join(u["text"] for u in load("lantern-players", "reference.json")["utterances"]).lower()
    assert text.count("donkey") == counted["expect"]["count"] == int(counted["expect"]["answer"])

"""Audio RAG: clips are found by their sound, heard in order of time, and cited by their marks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.audio import Waveform
from grga.baselines.audio_rag import AudioRag
from grga.baselines.speech_space import OnnxSpace
from grga.config import LlmConfig
from grga.errors import ConfigError, ModelError, ModelServerError, QuestionError
from grga.ingest import index_in_memory
from grga.llm import connect
from grga.store import IndexedMeeting
from grga.types import Meeting, Scope, Speaker, TimeSpan, Utterance

Serve = Callable[..., Any]
HIGH, LOW = 2_000, 200


class PitchSpace:
    """A space of two words: "high" and "low" lie where clips of that pitch lie."""

    name, dimension = "pitch", 2

    def __init__(self) -> None:
        self.clips = 0

    def embed_text(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[1, 0] if "high" in text else [0, 1] for text in texts], np.float32)

    def embed_audio(self, clips: Sequence[np.ndarray]) -> np.ndarray:
        self.clips += len(clips)
        rows = []
        for clip in clips:
            strength = np.abs(np.fft.rfft(clip))
            high = strength[int(1_000 * len(clip) / 16_000) :].sum() / strength.sum()
            rows.append([high, 1 - high])
        vectors = np.array(rows, np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class NoEncoder:
    """Nothing here searches by the words."""

    name, dimension, min_similarity = "none", 2, 0.0

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))

    def encode_query(self, text: str) -> np.ndarray:
        return np.array([1, 0], dtype=np.float32)


@pytest.fixture
def meeting() -> IndexedMeeting:
    """Ten utterances of two seconds, every third a high tone, the others low; the last is very short."""
    pitches = [HIGH if number % 3 == 0 else LOW for number in range(10)]
    times = np.arange(32_000) / 16_000
    sound = np.concatenate([8000 * np.sin(2 * np.pi * pitch * times) for pitch in pitches])
    utterances = tuple(
        Utterance(id, "S1", TimeSpan(2.0 * id, 2.0 * id + (0.3 if id == 9 else 2)), f"Tone {id}.")
        for id in range(10)
    )
    whole = Meeting("m", "M", 20.0, utterances, (Speaker("S1", "Rosa [utt 4]"),))
    return index_in_memory(whole, encoder=NoEncoder(), waveform=Waveform(sound.astype(np.int16)))


def client_of(server: Any, home: Path, **settings: Any) -> Any:
    values = {"base_url": server.address, "model": "m", "retries": 0, **settings}
    return connect(LlmConfig.model_validate(values), home)


def ask(
    system: AudioRag, meeting: IndexedMeeting, question: str = "What is high?", **more: Any
) -> AgentTrace:
    return AgentTrace.collect(system.answer(question, meeting, **more))


def test_the_nearest_clips_are_heard_in_order_of_time(
    serve: Serve, tmp_path: Path, meeting: IndexedMeeting
) -> None:
    server = serve({"*": ["Two tones are high. [utt 6][utt 0]\nSo is another. [utt 9]\nAnd a guess."]})
    system = AudioRag(client_of(server, tmp_path), PitchSpace(), top_m=3)
    trace = ask(system, meeting)
    content = server.requests()[0]["body"]["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "input_audio"] * 3 + ["text"]
    assert [part["text"] for part in content[::2]] == [
        "[utt 0] (0.0-2.0 s) Rosa (utt 4):",
        "[utt 3] (6.0-8.0 s) Rosa (utt 4):",
        "[utt 6] (12.0-14.0 s) Rosa (utt 4):",
        "Question: What is high?",
    ]
    answer = trace.answer
    assert answer.text == "Two tones are high."
    assert [one.utterance for one in answer.citations] == [6, 0]  # 9 was not sent: too short to search
    assert (answer.system, answer.policy, answer.verified) == ("audio_rag", "m", False)
    assert (answer.dropped_citations, answer.cost.tool_calls, answer.cost.llm_calls) == (1, 1, 1)
    assert trace.steps[2].notes == (
        "removed 1 reference to utterances that were not found",
        "removed 2 sentences without a citation",
    )


def test_clips_are_embedded_once(serve: Serve, tmp_path: Path, meeting: IndexedMeeting) -> None:
    server = serve({"*": ["NOT FOUND"]})
    space = PitchSpace()
    system = AudioRag(client_of(server, tmp_path), space, top_m=3)
    for question in ("What is high?", "What is low?"):
        assert not ask(system, meeting, question).answer.found
    assert space.clips == 9
    found = [one.id for one in ask(system, meeting, "What is low?").steps[1].found]
    assert found == [1, 2, 4]


def test_the_scope_limits_the_clips(serve: Serve, tmp_path: Path, meeting: IndexedMeeting) -> None:
    system = AudioRag(client_of(serve({"*": ["NOT FOUND"]}), tmp_path), PitchSpace(), top_m=3)
    trace = ask(system, meeting, scope=Scope(span=TimeSpan(6.5, 9)))
    assert [one.id for one in trace.steps[1].found] == [3, 4]


def test_what_is_missing_is_one_sentence(serve: Serve, tmp_path: Path, meeting: IndexedMeeting) -> None:
    deaf = serve({"*": [""]}, audio=False, audio_url=False)
    with pytest.raises(ModelServerError, match="the model m takes no audio"):
        ask(AudioRag(client_of(deaf, tmp_path), PitchSpace()), meeting)
    silent = index_in_memory(meeting.meeting, encoder=NoEncoder())
    with pytest.raises(QuestionError, match="no recording to hear"):
        ask(AudioRag(client_of(deaf, tmp_path), PitchSpace()), silent)
    with pytest.raises(ModelError, match="needs a speech-text space such as CLASP"):
        ask(AudioRag(client_of(deaf, tmp_path)), meeting)
    with pytest.raises(ConfigError, match="'audio_rag' needs a model server"):
        make_answerer("audio_rag")


def test_a_space_without_its_files_says_which(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"no audio\.onnx, text\.onnx, tokenizer\.json"):
        OnnxSpace(tmp_path)
    for file in ("audio.onnx", "text.onnx", "tokenizer.json"):
        (tmp_path / file).write_text("{}")
    with pytest.raises(ModelError, match="cannot be loaded"):
        OnnxSpace(tmp_path)


def write_space(folder: Path, dimension: int = 2) -> None:
    """Export a space: clips by their mean and their mean loudness, texts by their first token."""
    onnx = pytest.importorskip("onnx", reason="the ONNX loader is tested with `pip install onnx`")
    from tokenizers import Tokenizer, models, pre_tokenizers

    make, info, kinds = onnx.helper.make_node, onnx.helper.make_tensor_value_info, onnx.TensorProto

    def save(name: str, nodes: list[Any], inputs: list[Any], constants: Sequence[Any] = ()) -> None:
        out = info("vector", kinds.FLOAT, [1, None])
        graph = onnx.helper.make_graph(nodes, name, inputs, [out], list(constants))
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, folder / f"{name}.onnx")

    waves = info("waveform", kinds.FLOAT, [1, None])
    mean = make("ReduceMean", ["waveform"], ["mean"], axes=[1], keepdims=1)
    loud = make("ReduceMean", ["size"], ["loud"], axes=[1], keepdims=1)
    both = make("Concat", ["mean", "loud"], ["vector"], axis=1)
    save("audio", [mean, make("Abs", ["waveform"], ["size"]), loud, both], [waves])
    rows = onnx.numpy_helper.from_array(np.array([[0, 1], [3, 4]], np.float32), "rows")
    zero = onnx.numpy_helper.from_array(np.array([0], np.int64), "zero")
    first = make("Gather", ["input_ids", "zero"], ["first"], axis=1)
    one = onnx.numpy_helper.from_array(np.array([1], np.int64), "one")
    nodes = [first, make("Squeeze", ["first", "one"], ["row"]), make("Gather", ["rows", "row"], ["vector"])]
    save("text", nodes, [info("input_ids", kinds.INT64, [1, None])], [rows, zero, one])
    tokenizer = Tokenizer(models.WordLevel({"quiet": 0, "loud": 1}, unk_token="quiet"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"name": "test space", "dimension": dimension, "max_seconds": 1}
    (folder / "config.json").write_text(json.dumps(settings))


def test_an_exported_space_is_loaded_from_its_folder(
    serve: Serve, tmp_path: Path, meeting: IndexedMeeting
) -> None:
    write_space(tmp_path)
    space = OnnxSpace(tmp_path)
    assert (space.name, space.dimension) == ("test space", 2)
    assert space.embed_text(["loud it is", "quiet"]).tolist() == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))
    # The second half of the clip is beyond the space's one second.
    clip = np.concatenate([np.full(16_000, 0.5), np.full(16_000, -0.5)]).astype(np.float32)
    assert space.embed_audio([clip])[0].tolist() == pytest.approx([2**-0.5, 2**-0.5])
    server = serve({"*": ["They are loud. [utt 0]"]})
    system = make_answerer("audio_rag", client=client_of(server, tmp_path, speech_space=tmp_path))
    assert AgentTrace.collect(system.answer("How loud?", meeting)).answer.text == "They are loud."


def test_a_space_that_contradicts_its_settings_is_refused(tmp_path: Path) -> None:
    write_space(tmp_path, dimension=768)
    with pytest.raises(ModelError, match="found 2, expected 768"):
        OnnxSpace(tmp_path).embed_text(["loud"])

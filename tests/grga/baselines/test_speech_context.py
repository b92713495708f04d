"""Speech as context: the recording up to each model's limit, and honesty about the rest."""

from __future__ import annotations

import base64
import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.audio import Waveform
from grga.baselines.speech_context import longest
from grga.config import LlmConfig
from grga.errors import ModelServerError, QuestionError
from grga.ingest import index_in_memory
from grga.llm import connect
from grga.store import IndexedMeeting
from grga.types import Meeting, Scope, Speaker, TimeSpan, Utterance

Serve = Callable[..., Any]


class NoEncoder:
    """Nothing here searches by meaning."""

    name, dimension, min_similarity = "none", 2, 0.0

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))

    def encode_query(self, text: str) -> np.ndarray:
        return np.array([1, 0], dtype=np.float32)


def meeting_of(waveform: Waveform | None) -> IndexedMeeting:
    utterance = Utterance(0, "S1", TimeSpan(0, 4), "Hello.")
    return index_in_memory(
        Meeting("m", "M", 100.0, (utterance,), (Speaker("S1", "Rosa"),)),
        encoder=NoEncoder(),
        waveform=waveform,
    )


def tone(seconds: int) -> Waveform:
    return Waveform((8000 * np.sin(np.arange(seconds * 16_000) / 20)).astype(np.int16))


def ask(
    server: Any, home: Path, meeting: IndexedMeeting, scope: Scope | None = None, **settings: Any
) -> AgentTrace:
    values = {"base_url": server.address, "model": "some-model", "retries": 0, **settings}
    system = make_answerer("speech_context", client=connect(LlmConfig.model_validate(values), home))
    return AgentTrace.collect(system.answer("Is it calm?", meeting, scope or Scope()))


def seconds_sent(server: Any) -> float:
    sound = server.requests()[-1]["body"]["messages"][1]["content"][0]
    with wave.open(io.BytesIO(base64.b64decode(sound["input_audio"]["data"]))) as file:
        return file.getnframes() / file.getframerate()


@pytest.mark.parametrize(
    ("model", "context", "seconds"),
    [
        ("Qwen/Qwen3-Omni-30B-A3B-Instruct", 65_536, 2_400.0),
        ("Qwen/Qwen3-Omni-30B-A3B-Instruct", 16_000, 1_200.0),
        ("nvidia/audio-flamingo-3", 32_768, 600.0),
        ("XiaomiMiMo/MiMo-Audio-7B-Instruct", 131_000, 20_800.0),
        ("something else", 131_072, 600.0),
    ],
)
def test_each_model_has_its_limit(model: str, context: int, seconds: float) -> None:
    assert longest(model, context) == seconds


def test_the_whole_recording_is_heard(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["It is calm."]})
    trace = ask(server, tmp_path, meeting_of(tone(50)))
    assert seconds_sent(server) == 50.0
    assert (trace.answer.text, trace.answer.citations, trace.answer.found) == ("It is calm.", (), True)
    assert (trace.answer.system, trace.answer.cost.llm_calls) == ("speech_context", 1)
    assert trace.steps[0].notes == ()


def test_what_is_beyond_the_limit_is_cut_off_and_said(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["NOT FOUND"]})
    trace = ask(server, tmp_path, meeting_of(tone(100)), context_tokens=2_048)
    assert seconds_sent(server) == pytest.approx(41.92)
    assert trace.steps[0].notes == ("heard 42 of 100 s: this model takes no more",)
    assert (trace.answer.found, trace.answer.text) == (False, "This meeting does not say.")


def test_a_span_can_be_chosen(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["It is calm."]})
    ask(server, tmp_path, meeting_of(tone(50)), Scope(span=TimeSpan(10, 25)))
    assert seconds_sent(server) == 15.0


def test_what_cannot_be_heard_is_one_sentence(serve: Serve, tmp_path: Path) -> None:
    deaf = serve({"*": [""]}, audio=False, audio_url=False)
    with pytest.raises(ModelServerError, match="some-model takes no audio"):
        ask(deaf, tmp_path, meeting_of(tone(5)))
    with pytest.raises(QuestionError, match="no recording to hear"):
        ask(deaf, tmp_path, meeting_of(None))
    with pytest.raises(QuestionError, match="cannot be limited to a speaker"):
        ask(deaf, tmp_path, meeting_of(tone(5)), Scope(speakers=frozenset({"S1"})))

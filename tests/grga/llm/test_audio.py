"""Sound in a chat message: what is sent, and how it is found out whether a model hears."""

from __future__ import annotations

import base64
import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grga.config import LlmConfig
from grga.errors import ModelServerError
from grga.llm import connect
from grga.llm.audio import hear
from grga.llm.usage import Usage

Serve = Callable[..., Any]
TONE = (0.25 * np.sin(2 * np.pi * 440 * np.arange(16_000 * 3) / 16_000)).astype(np.float32)


def listen(server: Any, home: Path, **settings: Any) -> tuple[str | None, Usage]:
    values = {"base_url": server.address, "model": "m", "retries": 0, **settings}
    client = connect(LlmConfig.model_validate(values), home)
    return hear(client, TONE, system="Listen.", user="What is it?", version="v1", max_tokens=50)


def parts(server: Any) -> list[str]:
    return [one["body"]["messages"][1]["content"][0]["type"] for one in server.requests()]


def test_the_model_gets_a_wav_of_bounded_length(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["A tone."]})
    assert listen(server, tmp_path, audio_seconds=2)[0] == "A tone."
    [sound, text] = server.requests()[0]["body"]["messages"][1]["content"]
    assert text == {"type": "text", "text": "What is it?"}
    assert sound["input_audio"]["format"] == "wav"
    with wave.open(io.BytesIO(base64.b64decode(sound["input_audio"]["data"]))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16_000)
        assert file.getnframes() == 32_000
        samples = np.frombuffer(file.readframes(32_000), dtype="<i2") / 32768
    assert np.abs(samples - TONE[:32_000]).max() < 1e-4


def test_the_same_sound_is_heard_once(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["A tone."]})
    assert listen(server, tmp_path)[1].calls == 1
    assert listen(server, tmp_path) == ("A tone.", Usage(cached=1))
    assert len(server.requests()) == 1


def test_a_server_may_take_an_audio_address_only(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["A tone."]}, audio=False)
    for _ in range(2):
        assert listen(server, tmp_path, cache=False)[0] == "A tone."
    assert parts(server) == ["input_audio", "audio_url", "audio_url"]


def test_a_model_that_cannot_hear_is_asked_once(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["A tone."]}, audio=False, audio_url=False)
    for _ in range(2):
        assert listen(server, tmp_path) == (None, Usage())
    assert parts(server) == ["input_audio", "audio_url"]


@pytest.mark.parametrize(
    ("code", "message", "able"),
    [
        (500, "audio input is not supported", None),
        (500, "CUDA out of memory", "failed (500: CUDA"),
        (404, "", "know"),
    ],
)
def test_a_failure_is_not_taken_for_deafness(
    serve: Serve, tmp_path: Path, code: int, message: str, able: str | None
) -> None:
    server = serve({"*": [{"fault": "status", "code": code, "message": message}]})
    if able is None:
        assert listen(server, tmp_path) == (None, Usage())
        return
    with pytest.raises(ModelServerError) as caught:
        listen(server, tmp_path)
    assert able in str(caught.value)


def test_listening_can_be_switched_off_or_insisted_on(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["A tone."]}, audio=False, audio_url=False)
    assert listen(server, tmp_path, audio="off") == (None, Usage())
    assert server.requests() == []
    with pytest.raises(ModelServerError, match="refuses the request"):
        listen(server, tmp_path, audio="on")

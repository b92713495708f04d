"""``audio_segment`` with a model that hears, and with one that does not."""

from __future__ import annotations

import base64
import io
import wave
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from grga.agent.belief import Belief
from grga.agent.steps import Decomposition, Observation, Plan, Tokens, ToolCall
from grga.audio import Waveform
from grga.store import IndexedMeeting
from grga.types import Acoustics, Scope

Serve = Callable[..., Any]
LOUD = Acoustics(loudness_db=-12.5, loudness_z=2.1, f0_mean_hz=240.0, rate=4.0)


def with_sound(meeting: IndexedMeeting) -> IndexedMeeting:
    """The same meeting with 35 s of a tone for a recording, and measurements."""
    pcm = (8000 * np.sin(2 * np.pi * 200 * np.arange(35 * 16_000) / 16_000)).astype(np.int16)
    measured = tuple(replace(one, acoustics=LOUD) for one in meeting.meeting.utterances)
    return replace(
        meeting,
        meeting=replace(meeting.meeting, utterances=measured, has_audio=True),
        waveform=Waveform(pcm),
    )


def hear(agent: Any, meeting: IndexedMeeting, start: float, end: float) -> Observation:
    call = ToolCall("audio_segment", {"t_start": start, "t_end": end}, "r1")
    belief = Belief("Does Dilek sound angry?", Decomposition())
    [observation] = agent.toolbox.execute(Plan(1, (call,)), meeting, Scope(), belief)
    return observation


def test_the_model_hears_the_span_and_reads_the_measurements(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve({"*": ["Her voice is raised <and> tense."]})
    observation = hear(agent(server), with_sound(meeting), 20.0, 24.5)
    assert observation.measurements["heard"] == "Her voice is raised (and) tense."
    assert observation.measurements["heard_until"] == 24.5
    assert observation.measurements["loudness_db"] == -12.5
    assert [one.id for one in observation.found] == [4]
    assert observation.tokens.calls == 1
    sound, text = server.requests()[0]["body"]["messages"][1]["content"]
    with wave.open(io.BytesIO(base64.b64decode(sound["input_audio"]["data"]))) as file:
        assert file.getnframes() == 4.5 * 16_000
    assert "loudness_db -12.5" in text["text"]
    assert "Does Dilek sound angry?" in text["text"]


def test_a_long_span_is_heard_in_part_and_the_end_is_told(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve({"*": ["A steady voice."]})
    observation = hear(agent(server, audio_seconds=10), with_sound(meeting), 5.0, 35.0)
    assert observation.measurements["heard_until"] == 15.0


def test_a_model_that_cannot_hear_gets_the_measurements_alone(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve({"*": [""]}, audio=False, audio_url=False)
    observation = hear(agent(server), with_sound(meeting), 20.0, 24.5)
    assert observation.measurements["heard"] == "measurements alone: m takes no audio"
    assert observation.measurements["loudness_z"] == 2.1
    assert (observation.error, observation.tokens) == (None, Tokens())


def test_without_a_recording_nothing_is_sent(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve({"*": [""]})
    silent = replace(with_sound(meeting), waveform=None)
    assert "heard" not in hear(agent(server), silent, 20.0, 24.5).measurements
    assert server.requests() == []

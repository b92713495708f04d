"""Profiles and single overrides: one line of settings, one stage's key; what is missing is said once, first."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import pytest

from grga.cli_options import backends
from grga.config import Config, load_config
from grga.errors import ConfigError
from grga.hearing import asr_settings
from grga.ingest import STAGES
from grga.preflight import models_of
from grga.stages import digest_of


def configured(**overrides: Any) -> Config:
    return load_config(environment={}, overrides=overrides)


def test_a_profile_lies_beneath_what_is_said_otherwise(tmp_path: Path) -> None:
    full = configured(profile="full")
    assert (full.vad.backend, full.asr.backend, full.alignment.backend) == ("fsmn", "firered", "ctc")
    assert (full.diarization.backend, full.embedding.backend) == ("eres2netv2", "bge-m3")
    assert (full.emotion.backend, full.emotion.events) == ("emotion2vec", "sensevoice")
    assert configured(profile="embedded") == configured()
    file = tmp_path / "grga.toml"
    file.write_text('profile = "full"\n[asr]\nbackend = "paraformer"\n', "utf-8")
    mixed = load_config(file, environment={"GRGA_VAD__BACKEND": "silero"}, overrides=backends(emotion="none"))
    assert (mixed.vad.backend, mixed.asr.backend, mixed.emotion.backend) == ("silero", "paraformer", "none")
    assert mixed.diarization.backend == "eres2netv2"
    with pytest.raises(ConfigError, match="setting 'profile' has the value 'fast'"):
        configured(profile="fast")


def test_options_name_a_backend_and_its_model() -> None:
    chosen = configured(**backends(asr="whisper:small", alignment="mfa", hints=["Imran", "Qwen"]))
    assert (chosen.asr.backend, chosen.asr.model, chosen.asr.hints) == ("whisper", "small", ("Imran", "Qwen"))
    assert (chosen.alignment.backend, chosen.alignment.model) == ("mfa", None)
    assert load_config(environment={"GRGA_ASR__HINTS": "Imran, Qwen"}).asr.hints == ("Imran", "Qwen")


def keys(config: Config) -> dict[str, str]:
    """What each stage's record is keyed by, apart from what it reads."""
    return {
        stage: digest_of(asr_settings(config) if stage == "asr" else getattr(config, section).model_dump())
        for stage, section in STAGES.items()
        if section
    }


@pytest.mark.parametrize(
    ("option", "name", "stage"),
    [
        ("vad", "fsmn", "vad"),
        ("asr", "paraformer", "asr"),
        ("asr", "sensevoice", "asr"),
        ("asr", "firered", "asr"),
        ("asr", "whisper:small", "asr"),
        ("alignment", "ctc", "alignment"),
        ("diarization", "campplus", "diarization"),
        ("emotion", "emotion2vec", "emotion"),
        ("embedding", "bge-m3", "embeddings"),
    ],
)
def test_swapping_a_backend_changes_one_stage_s_key_only(option: str, name: str, stage: str) -> None:
    usual, swapped = keys(configured()), keys(configured(**backends(**{option: name})))
    assert [one for one in usual if usual[one] != swapped[one]] == [stage]


def test_naming_the_usual_model_or_no_hint_changes_no_key() -> None:
    assert keys(configured()) == keys(configured(**backends(asr="whisper:base")))


def test_each_stage_s_models_are_known_before_it_runs() -> None:
    assert models_of(configured()) == ("silero", "whisper-base", "ge2e", "swift-f0")
    after = ("emotion2vec", "sensevoice", "swift-f0", "bge-m3")
    full = configured(profile="full", asr={"language": "en"})
    assert models_of(full) == ("fsmn-vad", "firered-aed", "ct-punc", "wav2vec2-en", "eres2netv2", *after)
    assert models_of(full, recording=False) == after
    # A recogniser that writes marks itself needs nobody to set them.
    writing = configured(profile="full", asr={"backend": "whisper", "model": "small"})
    assert "ct-punc" not in models_of(writing)
    assert "whisper-small" in models_of(writing)


@pytest.mark.slow
def test_the_full_profile_without_weights_stops_before_any_work(tmp_path: Path) -> None:
    recording = tmp_path / "standup.wav"
    with wave.open(str(recording), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(b"\0\0" * 16_000)
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-m", "grga", "index", str(recording), "--profile", "full", "--home", str(home)],
        env={**os.environ, "GRGA_MODELS__OFFLINE": "1", "GRGA_MODELS__FOLDER": str(tmp_path / "none")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    said = done.stderr.strip().splitlines()[-1]
    assert re.match(r"grga: \d+ models are missing; .*: `python -m grga models fetch fsmn-vad ", said)
    assert all(said.count(name) == 2 for name in ("fsmn-vad", "eres2netv2", "emotion2vec", "bge-m3"))
    assert "Traceback" not in done.stderr
    assert not list(home.glob("meetings/*"))

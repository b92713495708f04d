"""Profiles and single overrides: one line of settings, one stage's key; what is missing is said once, first."""

from __future__ import annotations

import os
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import pytest

from grga.cli_options import backends
from grga.config import Config, load_config
from grga.errors import ConfigError, ModelError
from grga.hearing import asr_settings
from grga.ingest import STAGES
from grga.preflight import models_of, require
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
    assert models_of(configured()) == ("silero", "whisper-base", "ge2e")
    assert models_of(configured(profile="full")) == (
        "fsmn-vad",
        "firered-aed",
        "wav2vec2-en",
        "eres2netv2",
        "emotion2vec",
        "sensevoice",
        "bge-m3",
    )
    assert models_of(configured(profile="full"), recording=False) == ("emotion2vec", "sensevoice", "bge-m3")
    assert "whisper-small" in models_of(configured(**backends(asr="whisper:small")))


def test_everything_that_is_missing_is_named_in_one_sentence(tmp_path: Path) -> None:
    nowhere = {"folder": tmp_path, "offline": True}
    with pytest.raises(ModelError) as caught:
        require(configured(profile="full", asr={"backend": "paraformer"}, models=nowhere))
    sentence = str(caught.value)
    assert sentence.startswith(
        "7 models are missing; fsmn-vad is not on this machine: `python -m grga models"
    )
    for name in ("paraformer-zh", "wav2vec2-en", "eres2netv2", "emotion2vec", "sensevoice", "bge-m3"):
        assert sentence.count(f"{name} is not on this machine") == 1
    require(configured(models=nowhere))  # the embedded profile needs nothing from outside


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
    assert said.startswith("grga: 7 models are missing; ")
    assert said.count("eres2netv2 is not on this machine") == 1
    assert "Traceback" not in done.stderr
    assert not list(home.glob("meetings/*"))

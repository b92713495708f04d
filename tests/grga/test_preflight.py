"""Before any work starts, one sentence names everything that the chosen backends lack."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from grga import embedding
from grga.config import Config, load_config
from grga.errors import ConfigError, ModelError
from grga.models import BACKENDS, CARDS
from grga.models.hub import UnreachableError
from grga.preflight import check_names, models_of, require
from grga.speech import alignment, asr, diarization, emotion, features, vad

FULL_SPEECH = [
    "fsmn-vad",
    "firered-aed",
    "ct-punc",
    "wav2vec2-en",
    "wav2vec2-zh",
    "eres2netv2",
    "emotion2vec",
    "sensevoice",
]


def settings(profile: str = "embedded", **overrides: Any) -> Config:
    # The text encoder of the full profile is not what these tests are about.
    return load_config(
        environment={}, overrides={"profile": profile, "embedding": {"backend": "use"}, **overrides}
    )


@pytest.fixture(autouse=True)
def empty_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "huggingface"))
    monkeypatch.setenv("MODELSCOPE_CACHE", str(tmp_path / "modelscope"))
    if find_spec("modelscope_hub"):  # it reads its environment at the first call
        monkeypatch.setattr("modelscope_hub.config._default_config", None)


@pytest.fixture
def every_package_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grga.preflight.missing_packages", lambda card: ())


def test_the_embedded_profile_needs_nothing_but_what_is_installed() -> None:
    assert models_of(settings()) == ("silero", "whisper-base", "ge2e", "swift-f0", "use")
    require(settings(models={"offline": True}))


@pytest.mark.usefixtures("every_package_is_there")
def test_the_full_profile_without_weights_names_exactly_what_is_missing_once() -> None:
    with pytest.raises(ModelError) as caught:
        require(settings("full", models={"offline": True}))
    assert str(caught.value) == (
        f"8 models are missing; the weights of {', '.join(FULL_SPEECH)} are not on this machine and the network "
        f"is switched off (models.offline): `python -m grga models fetch {' '.join(FULL_SPEECH)}`"
    )


def test_a_missing_package_and_missing_weights_are_named_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grga.preflight.missing_packages", lambda card: card.needs[:1])
    monkeypatch.setattr("grga.preflight.locate", lambda *_: pytest.fail("nothing is fetched in vain"))
    with pytest.raises(ModelError) as caught:
        require(settings(asr={"backend": "whisper", "model": "tiny"}, vad={"backend": "fsmn"}))
    sentence = str(caught.value)
    assert sentence.startswith("5 models are missing; fsmn-vad needs funasr: pip install 'grga[full]'; ")
    assert "whisper-tiny needs faster_whisper: pip install faster-whisper==" in sentence
    assert "the weights of fsmn-vad, whisper-tiny are not on this machine: `python -m grga models" in sentence


@pytest.mark.usefixtures("every_package_is_there")
def test_a_hub_that_does_not_answer_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def no_network(name: str, source: object) -> Path:
        asked.append(name)
        raise UnreachableError("there is no network")

    monkeypatch.setattr("grga.preflight.locate", no_network)
    said: list[str] = []
    with pytest.raises(ModelError, match=r"^8 models .* and Hugging Face and ModelScope cannot be reached: "):
        require(settings("full"), say=said.append)
    assert asked == ["fsmn-vad"]  # on both hubs: the others could only wait for the same network
    assert said == ["fetching fsmn-vad"]
    asked.clear()
    with pytest.raises(ModelError, match=r"whisper-tiny are not .* and Hugging Face cannot be reached: "):
        require(settings(asr={"model": "tiny"}))
    assert asked == ["whisper-tiny"]


@pytest.mark.usefixtures("every_package_is_there")
def test_what_can_be_fetched_is_fetched_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []

    def hub(name: str, source: object) -> Path:
        if name == "eres2netv2":
            raise ModelError("the copy of eres2netv2 is not whole", fix="delete it")
        fetched.append(name)
        return Path(name)

    monkeypatch.setattr("grga.preflight.locate", hub)
    with pytest.raises(ModelError) as caught:
        require(settings("full"))
    assert str(caught.value) == "a model is missing; the copy of eres2netv2 is not whole: delete it"
    assert fetched == [name for name in FULL_SPEECH if name != "eres2netv2"]
    fetched.clear()
    require(settings("full", diarization={"backend": "ge2e"}))
    assert fetched == [name for name in FULL_SPEECH if name != "eres2netv2"]


@pytest.mark.usefixtures("every_package_is_there")
def test_a_copy_of_ones_own_with_a_file_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "own" / "fsmn-vad").mkdir(parents=True)
    own = {"folder": tmp_path / "own", "offline": True}
    with pytest.raises(
        ModelError, match=r"^a model is missing; the copy of fsmn-vad in .* no model\.pt, no am"
    ):
        require(settings(vad={"backend": "fsmn"}, models=own))


def test_a_transcript_needs_only_what_follows_recognition() -> None:
    assert models_of(settings("full"), recording=False) == ("emotion2vec", "sensevoice", "swift-f0", "use")


@pytest.mark.parametrize(
    ("chosen", "needed"),
    [
        ({"asr": {"model": "large-v3"}}, "whisper-large-v3"),
        ({"asr": {"model": "someone/whisper"}}, "someone/whisper"),
        ({"asr": {"backend": "paraformer"}}, "paraformer-zh"),
        ({"alignment": {"backend": "ctc"}, "asr": {"language": "zh"}}, "wav2vec2-zh"),
        ({"alignment": {"backend": "ctc", "model": "someone/letters"}}, "someone/letters"),
        ({"alignment": {"backend": "mfa"}}, "mfa"),
        ({"diarization": {"backend": "pyannote"}}, "pyannote"),
    ],
)
def test_a_setting_says_which_model_is_needed(chosen: dict[str, Any], needed: str) -> None:
    models = models_of(settings(**chosen))
    assert needed in models
    assert len(models) == len(models_of(settings())) + (1 if "alignment" in chosen else 0)


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ("vad", "backend"),
        ("asr", "backend"),
        ("alignment", "backend"),
        ("diarization", "backend"),
        ("diarization", "clustering"),
        ("emotion", "backend"),
        ("emotion", "events"),
        ("acoustics", "pitch"),
        ("embedding", "backend"),
    ],
)
def test_a_backend_that_does_not_exist_is_refused_before_the_first_stage(section: str, key: str) -> None:
    with pytest.raises(ConfigError, match=r"^unknown .* 'nosuch' \(known: .*\): choose one of these$"):
        check_names(settings(**{section: {key: "nosuch"}}))


def test_every_backend_has_a_card_and_every_card_with_a_backend_exists() -> None:
    """A new backend without a line in the catalogue would fail in the middle of the work."""
    tables = {
        "vad": vad.BACKENDS,
        "asr": asr.BACKENDS,
        "alignment": alignment.BACKENDS,
        "diarization": {**diarization.ENCODERS, **diarization.DIARIZERS},
        "emotion": {**emotion.RECOGNISERS, **emotion.TAGGERS},
        "acoustics": features.PITCH_BACKENDS,
        "embedding": embedding.ENCODERS,
    }
    for section, table in tables.items():
        assert table.keys() <= BACKENDS[section].keys(), section
        assert set(BACKENDS[section].values()) <= CARDS.keys(), section

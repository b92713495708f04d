"""Downloads from ModelScope with its own library, from a real server process on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grga.errors import ModelError
from grga.models import CARDS, ModelCard, ModelSource, here, locate
from grga.models.hub import UnreachableError

pytest.importorskip("modelscope_hub", reason="ModelScope's library comes with the extra 'full'")
Serve = Callable[..., Any]


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> ModelCard:
    card = ModelCard(
        "tiny-ms",
        "vad",
        "a tiny one",
        "Apache-2.0",
        modelscope="someone/tiny",
        revisions={"modelscope": "v1.0"},
        files=("config.json", "model.bin"),
    )
    monkeypatch.setitem(CARDS, "tiny-ms", card)
    return card


@pytest.mark.usefixtures("card")
def test_a_model_is_fetched_at_its_pinned_revision_once(hub: Serve, weights: bytes, tmp_path: Path) -> None:
    server = hub()
    folder = locate("tiny-ms", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == weights
    assert folder.name == "v1.0"
    assert "GET /api/v1/models/someone/tiny/repo/files" in server.asked()
    server.stop()
    assert locate("tiny-ms", ModelSource(offline=True), cache=tmp_path / "cache") == folder


@pytest.mark.usefixtures("card")
def test_a_download_that_was_cut_off_ends_whole(hub: Serve, weights: bytes, tmp_path: Path) -> None:
    hub(drop_after=100_000)
    folder = locate("tiny-ms", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == weights


@pytest.mark.usefixtures("card")
def test_a_file_that_the_hub_does_not_have_is_named(hub: Serve, tmp_path: Path) -> None:
    hub()
    (tmp_path / "hub" / "someone--tiny" / "model.bin").unlink()
    with pytest.raises(ModelError, match=r"the copy of tiny-ms in .* is not whole \(found no model\.bin\)"):
        locate("tiny-ms", cache=tmp_path / "cache")
    assert here("tiny-ms", cache=tmp_path / "cache") is None


def test_an_unknown_id_is_one_sentence(hub: Serve, tmp_path: Path) -> None:
    hub()
    with pytest.raises(ModelError) as caught:
        locate("no/body", ModelSource(hub="modelscope"), cache=tmp_path / "cache")
    assert str(caught.value) == (
        "the model no/body cannot be fetched from ModelScope: there is no such model, or only for those with a "
        "token: check the name and the network, or give a path to a local copy"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("card")
def test_a_hub_that_does_not_answer_is_said_so(hub: Serve, tmp_path: Path) -> None:
    hub().stop()
    with pytest.raises(UnreachableError, match=r"from ModelScope: the hub cannot be reached: check the name"):
        locate("tiny-ms", cache=tmp_path / "cache")


def test_a_model_of_the_other_hub_is_taken_there_when_the_first_has_none(
    hub: Serve, weights: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        CARDS, "both", ModelCard("both", "vad", "", "MIT", huggingface="no/body", modelscope="someone/tiny")
    )
    hub()
    folder = locate("both", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == weights
    with pytest.raises(
        ModelError, match=r"^the model no/body cannot be fetched from Hugging Face: there is no"
    ):
        locate("both", ModelSource(hub="huggingface"), cache=tmp_path / "other")

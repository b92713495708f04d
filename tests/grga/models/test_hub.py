"""Downloads over the Hugging Face Hub's own protocol, from a real server process on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grga.errors import ModelError
from grga.models import ModelCard, ModelSource, here, locate
from grga.models.hub import UnreachableError
from grga.models.integrity import damaged

Serve = Callable[..., Any]


def test_a_model_is_fetched_once_and_found_afterwards_without_the_hub(
    hub: Serve, tiny_card: ModelCard, weights: bytes, tmp_path: Path
) -> None:
    server = hub()
    assert here("tiny", cache=tmp_path / "cache") is None
    folder = locate("tiny", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == weights
    assert any(line.startswith("GET /someone/tiny/resolve/") for line in server.asked())
    server.stop()
    assert locate("tiny", ModelSource(offline=True), cache=tmp_path / "cache") == folder
    assert here("tiny", cache=tmp_path / "cache") == folder


def test_a_download_that_was_cut_off_ends_whole(
    hub: Serve, tiny_card: ModelCard, weights: bytes, tmp_path: Path
) -> None:
    hub(drop_after=100_000)
    # The library tries again by itself and goes on where it was cut.
    folder = locate("tiny", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == weights


@pytest.mark.slow
def test_a_hub_that_dies_in_the_middle_leaves_a_download_that_goes_on(
    hub: Serve, tiny_card: ModelCard, weights: bytes, tmp_path: Path
) -> None:
    dying = hub(drop_after=100_000, dies=True)
    with pytest.raises(
        UnreachableError, match=r"from Hugging Face: the hub cannot be reached: check the name"
    ):
        locate("tiny", cache=tmp_path / "cache")
    assert dying.process.wait(timeout=30) == 1
    assert here("tiny", cache=tmp_path / "cache") is None  # half a model is none
    hub()
    folder = locate("tiny", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == weights


@pytest.mark.slow
def test_two_processes_may_fetch_the_same_at_once(
    hub: Serve, tiny_card: ModelCard, weights: bytes, tmp_path: Path
) -> None:
    server = hub()
    environment = _environment(server.address, tmp_path)
    command = [sys.executable, "-m", "grga", "models", "fetch", "someone/tiny"]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    folders = {one.communicate(timeout=120)[0].strip().partition(": ")[2] for one in both}
    assert [one.returncode for one in both] == [0, 0]
    (folder,) = folders
    assert (Path(folder) / "model.bin").read_bytes() == weights
    assert damaged(Path(folder)) == []


def test_a_file_that_changed_after_the_download_is_noticed(
    hub: Serve, tiny_card: ModelCard, weights: bytes, tmp_path: Path
) -> None:
    hub()
    folder = locate("tiny", cache=tmp_path / "cache")
    assert damaged(folder) == []
    (folder / "model.bin").resolve().write_bytes(weights[:-1] + b"!")
    assert damaged(folder) == ["model.bin"]
    (folder / "config.json").resolve().write_text("{}")
    assert damaged(folder) == ["config.json", "model.bin"]


def test_formats_that_no_backend_reads_are_left_on_the_hub(hub: Serve, tmp_path: Path) -> None:
    (tmp_path / "hub" / "someone--tiny" / "model.onnx").write_bytes(b"the same once more")
    hub()
    folder = locate("someone/tiny", cache=tmp_path / "cache")
    assert sorted(file.name for file in folder.iterdir()) == ["config.json", "model.bin"]


def test_a_file_that_the_hub_does_not_have_is_named(hub: Serve, tiny_card: ModelCard, tmp_path: Path) -> None:
    hub()
    (tmp_path / "hub" / "someone--tiny" / "model.bin").unlink()
    with pytest.raises(
        ModelError, match=r"the copy of tiny in .* is not whole \(found no model\.bin\): delete it"
    ):
        locate("tiny", cache=tmp_path / "cache")


def test_an_unknown_id_is_one_sentence(hub: Serve, tmp_path: Path) -> None:
    hub()
    with pytest.raises(
        ModelError, match=r"^the model no/body cannot be fetched from Hugging Face: .*: check the name and"
    ) as caught:
        locate("no/body", cache=tmp_path / "cache")
    assert "\n" not in str(caught.value)


def test_without_the_network_the_sentence_says_how_to_get_it(tiny_card: ModelCard, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        locate("tiny", ModelSource(offline=True), cache=tmp_path / "cache")
    assert str(caught.value) == (
        "the model tiny is not on this machine (found offline): `python -m grga models fetch tiny`"
    )


@pytest.mark.parametrize("name", ["tiny", "someone/tiny"])
def test_a_copy_of_ones_own_comes_first_and_must_be_whole(
    tiny_card: ModelCard, tmp_path: Path, name: str
) -> None:
    own = tmp_path / "models" / name
    own.mkdir(parents=True)
    (own / "config.json").write_text("{}")
    source = ModelSource(folder=tmp_path / "models", offline=True)
    with pytest.raises(ModelError, match=r"is not whole \(found no model\.bin\)"):
        locate("tiny", source)
    (own / "model.bin").write_bytes(b"")  # a download that was stopped
    with pytest.raises(ModelError, match=r"no model\.bin"):
        locate("tiny", source)
    (own / "model.bin").write_bytes(b"weights")
    assert locate("tiny", source) == own


def test_the_command_fetches_and_checks(hub: Serve, weights: bytes, tmp_path: Path) -> None:
    server = hub()
    environment = _environment(server.address, tmp_path)
    command = [sys.executable, "-m", "grga", "models", "fetch", "someone/tiny"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    name, _, folder = done.stdout.strip().partition(": ")
    assert name == "someone/tiny"
    assert (Path(folder) / "model.bin").read_bytes() == weights
    missing = subprocess.run(
        [*command[:-1], "no/body"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert missing.returncode == 1
    assert "the model no/body cannot be fetched from Hugging Face" in missing.stderr
    assert "Traceback" not in missing.stderr


def _environment(address: str, folder: Path) -> dict[str, str]:
    """Return the environment of a process that takes the server for the Hugging Face Hub."""
    own = {"HF_ENDPOINT": address, "HF_HUB_CACHE": str(folder / "cache"), "HF_HUB_DISABLE_XET": "1"}
    return {**os.environ, **own}

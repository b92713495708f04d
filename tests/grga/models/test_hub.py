"""Downloads over the Hugging Face Hub's own protocol, from a real server process on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grga.errors import ModelError
from grga.models import CARDS, ModelCard, ModelSource, here, locate

SERVER = Path(__file__).parent / "hub_server.py"
LARGE = b"weights " * 40_000


@dataclass
class Hub:
    """A running server and the environment of a process that takes it for the hub."""

    address: str
    process: subprocess.Popen[str]
    environment: dict[str, str] = field(default_factory=dict)

    def asked(self) -> list[str]:
        with urllib.request.urlopen(f"{self.address}/asked", timeout=10) as reply:
            found: list[str] = json.load(reply)
        return [line for line in found if not line.endswith("/asked")]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(timeout=30)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Hub]]:
    """Start a hub with one model, someone/tiny; ``drop_after`` bytes of a file it hangs up, once."""
    repository = tmp_path / "hub" / "someone--tiny"
    repository.mkdir(parents=True)
    (repository / "config.json").write_text('{"layers": 1}')
    (repository / "model.bin").write_bytes(LARGE)
    running: list[Hub] = []

    def start(drop_after: int | None = None) -> Hub:
        command = [
            sys.executable,
            str(SERVER),
            str(tmp_path / "hub"),
            *([str(drop_after)] if drop_after else []),
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        word, port = process.stdout.readline().split()
        assert word == "ready"
        address = f"http://127.0.0.1:{port}"
        # The library reads its environment once, when it is imported.
        template = address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
        running.append(Hub(address, process))
        return running[-1]

    yield start
    for one in running:
        one.stop()
        if one.process.stdout:
            one.process.stdout.close()


@pytest.fixture
def tiny_card(monkeypatch: pytest.MonkeyPatch) -> ModelCard:
    card = ModelCard(
        "tiny", "asr", "a tiny one", "MIT", huggingface="someone/tiny", files=("config.json", "model.bin")
    )
    monkeypatch.setitem(CARDS, "tiny", card)
    return card


def test_a_model_is_fetched_once_and_found_afterwards_without_the_hub(
    hub: Callable[..., Hub], tiny_card: ModelCard, tmp_path: Path
) -> None:
    server = hub()
    assert here("tiny", cache=tmp_path / "cache") is None
    folder = locate("tiny", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == LARGE
    assert any(line.startswith("GET /someone/tiny/resolve/") for line in server.asked())
    server.stop()
    assert locate("tiny", ModelSource(offline=True), cache=tmp_path / "cache") == folder
    assert here("tiny", cache=tmp_path / "cache") == folder


def test_a_download_that_was_cut_off_ends_whole(
    hub: Callable[..., Hub], tiny_card: ModelCard, tmp_path: Path
) -> None:
    hub(drop_after=100_000)
    # The library tries again by itself and goes on where it was cut.
    folder = locate("tiny", cache=tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == LARGE


def test_a_file_that_the_hub_does_not_have_is_named(
    hub: Callable[..., Hub], tiny_card: ModelCard, tmp_path: Path
) -> None:
    hub()
    (tmp_path / "hub" / "someone--tiny" / "model.bin").unlink()
    with pytest.raises(
        ModelError, match=r"the copy of tiny in .* is not whole \(found no model\.bin\): delete it"
    ):
        locate("tiny", cache=tmp_path / "cache")


def test_an_unknown_id_is_one_sentence(hub: Callable[..., Hub], tmp_path: Path) -> None:
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


def test_the_command_fetches_and_checks(hub: Callable[..., Hub], tmp_path: Path) -> None:
    server = hub()
    environment = {**os.environ, "HF_ENDPOINT": server.address, "HF_HUB_CACHE": str(tmp_path / "cache")}
    environment |= {"HF_HUB_DISABLE_XET": "1"}
    command = [sys.executable, "-m", "grga", "models", "fetch", "someone/tiny"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    name, _, folder = done.stdout.strip().partition(": ")
    assert name == "someone/tiny"
    assert (Path(folder) / "model.bin").read_bytes() == LARGE
    missing = subprocess.run(
        [*command[:-1], "no/body"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert missing.returncode == 1
    assert "the model no/body cannot be fetched from Hugging Face" in missing.stderr
    assert "Traceback" not in missing.stderr

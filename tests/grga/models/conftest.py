"""A hub on this machine: a real server process that speaks the hubs' protocols."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from grga.models import CARDS, ModelCard

SERVER = Path(__file__).parent / "hub_server.py"
LARGE = b"weights " * 40_000


@dataclass
class Hub:
    """A running server."""

    address: str
    process: subprocess.Popen[str]

    def asked(self) -> list[str]:
        with urllib.request.urlopen(f"{self.address}/asked", timeout=10) as reply:
            found: list[str] = json.load(reply)
        return [line for line in found if not line.endswith("/asked")]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(timeout=30)


@pytest.fixture
def weights() -> bytes:
    """What lies in the hub's one large file."""
    return LARGE


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Hub]]:
    """Start a hub with one model, someone/tiny; ``drop_after`` bytes of a file it hangs up, once, or dies."""
    repository = tmp_path / "hub" / "someone--tiny"
    repository.mkdir(parents=True)
    (repository / "config.json").write_text('{"layers": 1}')
    (repository / "model.bin").write_bytes(LARGE)
    running: list[Hub] = []

    def start(drop_after: int | None = None, *, dies: bool = False) -> Hub:
        command = [
            sys.executable,
            str(SERVER),
            str(tmp_path / "hub"),
            *([str(drop_after)] if drop_after else []),
            *(["die"] if dies else []),
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        word, port = process.stdout.readline().split()
        assert word == "ready"
        address = f"http://127.0.0.1:{port}"
        monkeypatch.setenv("MODELSCOPE_ENDPOINT", address)
        if find_spec("modelscope_hub"):  # it reads its environment at the first call
            monkeypatch.setattr("modelscope_hub.config._default_config", None)
        # The other library reads its environment once, when it is imported.
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

"""A scripted model server for the tests of everything that talks to one."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).parent / "llm" / "scripted_server.py"


@dataclass
class ScriptedServer:
    """A running server: its address, what it was asked, and an end."""

    port: int
    process: subprocess.Popen[str]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def requests(self, kind: str | None = None) -> list[dict[str, Any]]:
        return [one for one in self._state()["requests"] if kind in (None, one["kind"])]

    def prompts(self, kind: str) -> list[str]:
        """Return what stood in the last message of each request of this kind."""
        return [str(one["body"]["messages"][-1]["content"]) for one in self.requests(kind)]

    def most_at_once(self) -> int:
        return int(self._state()["most"])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _state(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/requests", timeout=10) as reply:
            state: dict[str, Any] = json.load(reply)
        return state


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., ScriptedServer]]:
    """Return a function that starts a server with replies per kind of request, and options."""
    running: list[ScriptedServer] = []
    numbers = count()

    def start(replies: dict[str, list[Any]], **options: Any) -> ScriptedServer:
        script = tmp_path / f"script-{next(numbers)}.json"
        script.write_text(json.dumps({**options, "replies": replies}))
        process = subprocess.Popen(
            [sys.executable, str(SERVER), str(script)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        word, port = process.stdout.readline().split()
        assert word == "ready"
        running.append(ScriptedServer(int(port), process))
        return running[-1]

    yield start
    for server in running:
        server.kill()
        if server.process.stdout:
            server.process.stdout.close()

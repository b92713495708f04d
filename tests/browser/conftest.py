"""A running app and a real browser. Needs Chromium; skips by name without it.

Screenshots that tests take go to the git-ignored folder ``screenshots/`` beside the tests.
"""

from __future__ import annotations

import queue
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
READY = "GRGA is ready at "
STARTED = 120  # seconds
LEAVING = ("AbortError", "Unexpected error Connection errored out")
"""What Gradio's client says when a page is left while it still waits for something: no fault of the page."""
PATIENCE = 20_000  # milliseconds that an expectation may take on a small, busy machine
FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--autoplay-policy=no-user-gesture-required",
    "--enable-precise-memory-info",
)
HEAR = """
window.heard = [];
for (const name of ['playing', 'pause'])
  document.addEventListener(name, (event) => heard.push([name, event.target.currentTime]), true);
"""


@dataclass
class App:
    """An app process on a free port with a home of its own; ``said`` is what it printed until ready."""

    home: Path
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    address: str = ""
    port: int = 0
    process: subprocess.Popen[str] | None = None
    said: list[str] = field(default_factory=list)

    def start(self) -> App:
        """Start and wait until it says that it is ready; the port stays the same over restarts."""
        import os

        if not self.port:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "app.py", "--port", str(self.port), "--home", str(self.home), *self.arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **self.environment},
        )
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, lines), daemon=True).start()
        self.said = []
        while (line := lines.get(timeout=STARTED)) is not None:
            self.said.append(line)
            if line.startswith(READY):
                self.address = line.removeprefix(READY).strip().rstrip("/")
                return self
        raise AssertionError("the app ended before it was ready:\n" + "".join(self.said))

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
        """Hand on every line, and keep reading so that the app never waits for us."""
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def kill(self) -> None:
        """End it as a crash would (SIGKILL)."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(timeout=30)

    def stop(self) -> None:
        """End it politely."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on this machine: install it to test the app in a browser")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture(scope="module")
def running() -> Iterator[Callable[..., App]]:
    """Start an app for the tests of one file: ``running(home, **fields of App)`` → the app."""
    apps: list[App] = []

    def start(home: Path, **options: Any) -> App:
        apps.append(App(home, **options))
        return apps[-1].start()

    yield start
    for one in apps:
        one.stop()


@pytest.fixture(scope="module")
def app(running: Callable[..., App], tmp_path_factory: pytest.TempPathFactory) -> App:
    """A running app with a home of its own, shared by the tests of one file."""
    return running(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def address(app: App) -> str:
    return app.address


Visit = Callable[..., Any]


@pytest.fixture
def visit(browser: Any, app: App) -> Iterator[Visit]:
    """Open the app as a new visitor: ``visit(path="", **options of a browser context)`` → page.

    No visitor's page may log an error, open a dialog or ask another host for anything. A test that
    expects troubles clears ``page.troubles``.
    """
    contexts = []
    tabs = []

    def come(path: str = "", **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        tab = context.new_page()
        watch(tab, app.address)
        tabs.append(tab)
        tab.goto(app.address + "/" + path)
        return tab

    yield come
    for tab in tabs:
        assert tab.troubles == []
    for context in contexts:
        context.close()


@pytest.fixture
def page(visit: Visit) -> Any:
    """The tab of one visitor."""
    return visit()


def watch(tab: Any, address: str) -> None:
    """Note in ``tab.troubles`` what must not happen in a page."""
    troubles: list[str] = []
    tab.troubles = troubles
    tab.add_init_script(HEAR)

    def note(text: str) -> None:
        if not text.startswith(LEAVING):
            troubles.append(text)

    tab.on("console", lambda message: note(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: note(str(error)))
    tab.on("dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    ours = (address, "data:", "blob:")
    tab.on("request", lambda asked: None if asked.url.startswith(ours) else troubles.append(asked.url))


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute of a real meeting, or of the sample when the meetings are not there."""
    clips = sorted((ROOT.parent / "shared" / "data" / "audio" / "ami_clips").glob("*_0000_0030.flac"))
    source = clips[0] if clips else next((ROOT / "assets" / "samples").glob("*/audio.*"))
    target = tmp_path_factory.mktemp("clip") / "standup.flac"
    _cut(source, target, seconds=30)
    return target


def _cut(source: Path, target: Path, seconds: float) -> None:
    import soundfile

    from grga.audio import Waveform, decode
    from grga.types import TimeSpan

    decoded = target.with_suffix(".wav")
    decode(source, decoded, max_hours=1.0)
    waveform = Waveform.open(decoded)
    soundfile.write(target, waveform.samples(TimeSpan(0.0, min(seconds, waveform.duration))), 16_000)
    decoded.unlink()


@pytest.fixture
def picture() -> Callable[[Any, str], Path]:
    """Take a screenshot of a page: ``picture(page, "ask-1440-light")`` → the file, for people to look at."""
    folder = ROOT / "tests" / "browser" / "screenshots"
    folder.mkdir(exist_ok=True)

    def take(page: Any, name: str) -> Path:
        file = folder / f"{name}.png"
        page.screenshot(path=file, full_page=True)
        return file

    return take

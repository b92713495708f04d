"""The page of a generated three-hour meeting of 5,000 utterances, measured in Chromium.

    python -m benchmarks.long_meeting_page [--home FOLDER] [--lines 5000]

Prints the seconds until the page can be used, the longest frame while the transcript scrolls and the timeline
zooms and pans (from ``requestAnimationFrame``), and what the tab holds in memory. The limits: 3 s, no frame over
100 ms, 500 MB. With ``--home`` the meeting is kept there and made only once.

The recording is a minute of tones whose packets are repeated, and the loudness curve is drawn at random: the page
handles both as it does real ones, and three hours are made in seconds.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from grga.config import load_config
from grga.ingest import import_transcript
from grga.store import PLAYBACK, MeetingFolder, Store

ROOT = Path(__file__).resolve().parents[1]
HOURS = 3.0
SPEAKERS = ("Dana", "Imran", "Rosa", "Lee", "Noor", "Viktor")
SENTENCES = (
    "The budget for the spring comes first, then the two open questions about the hall.",
    "I would rather wait until the contract is signed.",
    "Yes.",
    "Could you say that again, the connection was poor and I only heard the second half of what you said about "
    "the delivery, the price and who carries the risk when it arrives late?",
    "We agreed on twelve chairs last week.",
    "Nobody has answered the letter about the heating yet.",
)
TALE = "And this is the sentence that stands alone near the end, about a heron."

# In the page: the longest of all frames until stopped; the page is asked to do one thing per frame.
FRAMES = """
async (act) => {
  const frame = () => new Promise(requestAnimationFrame);
  const work = eval(act);
  await frame();
  let before = performance.now(), longest = 0, number = 0;
  for (let step = 0; step < 120; step++) {
    work(step);
    await frame();
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
    number++;
  }
  return longest;
}
"""
SCROLL = "(step) => { document.querySelector('.g-lines').scrollTop += 700; }"
JUMP = """(step) => { const box = document.querySelector('.g-lines');
  box.scrollTop = (Math.sin(step) + 1) / 2 * box.scrollHeight; }"""
_TIMELINE = "document.querySelector('.g-meeting grga-timeline').shadowRoot"
ZOOM = f"""(step) => {{ if (step % 10) return;
  {_TIMELINE}.querySelectorAll('.tools button')[step < 60 ? 2 : 1].click(); }}"""
PAN = f"(step) => {{ {_TIMELINE}.querySelector('.scroll').scrollLeft += 400; }}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, help="folder to keep the meeting in")
    parser.add_argument("--lines", type=int, default=5000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = options.home or Path(scratch)
        begun = time.perf_counter()
        id = make_meeting(home, options.lines)
        print(f"meeting of {HOURS:g} h, {options.lines:,} lines made in {time.perf_counter() - begun:.0f} s")
        measure(home, id)
        print(f"load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def make_meeting(home: Path, number: int) -> str:
    """Return the id of the long meeting in ``home``, made there unless it is."""
    store, config = Store(home), load_config(overrides={"home": home})
    known = [one.id for one in store.meetings() if one.title == f"long {number}"]
    if known:
        return known[0]
    home.mkdir(parents=True, exist_ok=True)
    written = write_transcript(home / f"long {number}.srt", number)
    result = import_transcript(written, store, config, title=f"long {number}")
    folder = store.folder(result.meeting)
    add_recording(folder)
    return folder.id


def write_transcript(file: Path, number: int) -> Path:
    """Write ``number`` cues over three hours; the sixth from the end is :data:`TALE`, no other is like it."""
    draw, step = random.Random(7), HOURS * 3600 / number
    cues = []
    for place in range(number):
        start, name = place * step, draw.choice(SPEAKERS)
        text = TALE if place == number - 6 else draw.choice(SENTENCES)
        length = min(step * draw.choice((0.6, 0.9, 1.3)), HOURS * 3600 - start)
        cues.append(f"{place + 1}\n{_cue(start)} --> {_cue(start + length)}\n{name}: {text}\n")
    file.write_text("\n".join(cues), encoding="utf-8")
    return file


def _cue(seconds: float) -> str:
    whole, part = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d},{part:03d}"


def add_recording(folder: MeetingFolder) -> None:
    """Put a three-hour file to play and its loudness beside the meeting."""
    import av

    rate = 16_000
    with av.open(str(folder.path / PLAYBACK), "w", format="mp4") as target:
        stream = target.add_stream("aac", rate=rate)
        stream.layout = "mono"
        packets = []
        seconds = np.arange(60 * rate) / rate
        tone = (0.2 * np.sin(2 * math.pi * (180 + 40 * np.sin(seconds)) * seconds)).astype(np.float32)
        for begin in range(0, len(tone) - 1024, 1024):
            frame = av.AudioFrame.from_ndarray(tone[None, begin : begin + 1024], format="fltp", layout="mono")
            frame.sample_rate, frame.pts = rate, begin
            packets += stream.encode(frame)
        minute = [bytes(packet) for packet in packets if packet.size]
        place = 0
        for _ in range(round(HOURS * 60 * 60 * rate / (1024 * len(minute)))):
            for content in minute:
                packet = av.Packet(content)
                packet.stream, packet.time_base = stream, Fraction(1, rate)
                packet.pts = packet.dts = place
                packet.duration = 1024
                place += 1024
                target.mux(packet)
    draw = np.random.default_rng(7)
    folder.write_value("peaks.json", tuple[float, ...], tuple(draw.random(round(HOURS * 36_000)).tolist()))


def measure(home: Path, id: str) -> None:
    """Open the page in Chromium and print what it takes."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        sys.exit("no Chromium on this machine: nothing to measure")
    app, address = start_app(home)
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=program, args=["--no-sandbox", "--enable-precise-memory-info"]
            )
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(address)
            page.get_by_role("tab", name="Meetings", exact=True).click()
            row = page.locator(f"#library .g-row[data-id='{id}']")
            row.wait_for()
            begun = time.perf_counter()
            row.click()
            page.locator("grga-transcript[data-ready] li").first.wait_for()
            print(f"until the page can be used: {time.perf_counter() - begun:.2f} s (limit 3 s)")
            for name, act in (("scrolling", SCROLL), ("jumping", JUMP), ("zooming", ZOOM), ("panning", PAN)):
                if name == "panning":
                    for _ in range(5):
                        page.locator(".g-meeting grga-timeline .tools button").last.click()
                print(f"longest frame while {name}: {page.evaluate(FRAMES, act):.0f} ms (limit 100 ms)")
            nodes = page.evaluate("document.querySelectorAll('grga-transcript *').length")
            print(f"nodes in the transcript: {nodes}")
            _print_memory(page)
            browser.close()
    finally:
        app.terminate()
        app.wait(timeout=30)


def _print_memory(page: Any) -> None:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")
    print(f"JavaScript heap: {heap['usedSize'] / 1e6:.0f} MB")
    browser = page.context.browser.new_browser_cdp_session()
    renderers = [
        p["id"] for p in browser.send("SystemInfo.getProcessInfo")["processInfo"] if p["type"] == "renderer"
    ]
    largest = max(_resident(int(id)) for id in renderers)
    print(f"resident memory of the tab's process: {largest / 1e6:.0f} MB (limit 500 MB)")


def _resident(process: int) -> int:
    """Return a process' resident bytes, 0 where the system has no /proc."""
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def start_app(home: Path) -> tuple[subprocess.Popen[str], str]:
    """Start the app on a free port; return it with its address once it is ready."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "app.py", "--port", str(port), "--home", str(home)]
    app = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert app.stdout is not None
    for line in app.stdout:
        if line.startswith("GRGA is ready at "):
            return app, line.removeprefix("GRGA is ready at ").strip()
    raise SystemExit("the app did not start")


if __name__ == "__main__":
    main()

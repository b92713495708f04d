"""The server dies in the middle of a job (SIGKILL) and is started again: the job goes on by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

INDEXED = 170_000  # milliseconds

pytestmark = pytest.mark.slow


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """A minute and a half, so that recognition takes long enough to be caught in the middle."""
    import soundfile

    from grga.audio import Waveform, decode
    from grga.types import TimeSpan

    folder = tmp_path_factory.mktemp("recording")
    decode(next(samples.glob("lantern-players/audio.*")), folder / "all.wav", max_hours=1.0)
    target = folder / "rehearsal.flac"
    soundfile.write(target, Waveform.open(folder / "all.wav").samples(TimeSpan(0.0, 90.0)), 16_000)
    return target


def stages(home: Path) -> dict[str, Any]:
    [manifest] = home.glob("meetings/rehearsal-*/manifest.json")
    found: dict[str, Any] = json.loads(manifest.read_text("utf-8"))["stages"]
    return found


def test_a_job_goes_on_after_a_kill(app: Any, page: Any, recording: Path) -> None:
    page.get_by_role("tab", name="Meetings", exact=True).click()
    page.locator("#upload input[type=file]").set_input_files(str(recording))
    expect(page.locator("#upload")).to_contain_text("rehearsal")
    page.locator("#index").click()
    job = page.locator("#jobs .g-job").filter(has_text="rehearsal.flac")
    expect(job.locator(".g-steps .now")).to_contain_text("Recognising words", timeout=INDEXED)

    app.kill()
    before = stages(app.home)
    assert {"preprocess", "vad"} <= set(before)
    assert "index" not in before
    app.start()
    page.troubles.clear()  # the page lost its server
    page.goto(app.address)
    page.troubles.clear()

    page.get_by_role("tab", name="Meetings", exact=True).click()
    expect(job).to_be_visible()
    expect(job.get_by_role("button", name="Open")).to_be_visible(timeout=INDEXED)
    after = stages(app.home)
    assert after["preprocess"] == before["preprocess"]
    assert after["vad"] == before["vad"]
    job.get_by_role("button", name="Open").click()
    expect(page.locator("#meeting")).to_be_visible()
    page.troubles.clear()

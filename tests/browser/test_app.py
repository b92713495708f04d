"""The app in a real browser: upload, watch, ask, hear. Needs Chromium; skips by name without it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
INDEXED = 120_000  # milliseconds; a clip of half a minute takes a few seconds, the first model load more
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{7*7}}",
    "a lone \\ backslash",
    "</script><b>bold</b>",
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("same", ["port", "home"])
def test_a_second_app_in_the_same_place_ends_in_one_sentence(
    app: Any, address: str, tmp_path: Path, same: str
) -> None:
    port = address.rsplit(":", 1)[1]
    where = {"port": ["--port", port, "--home", str(tmp_path)], "home": ["--home", str(app.home)]}[same]
    second = subprocess.run(
        [sys.executable, "app.py", *where], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert second.returncode == 1
    assert second.stderr.startswith("grga: ")
    assert "Traceback" not in second.stderr
    assert ("cannot listen" if same == "port" else "an app is running") in second.stderr


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


def open_tab(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def upload(page: Any, *files: Path) -> None:
    open_tab(page, "Meetings")
    page.locator("#upload input[type=file]").set_input_files([str(file) for file in files])
    expect(page.locator("#upload")).to_contain_text(files[0].suffix)
    page.locator("#index").click()


def ask(page: Any, question: str) -> None:
    page.locator("#question textarea").fill(question)
    page.locator("#ask").click()


def heard(page: Any) -> list[tuple[str, float]]:
    return [(name, time) for name, time in page.evaluate("heard")]


def test_the_sample_is_ready_and_a_citation_can_be_heard(page: Any) -> None:
    expect(page.locator("#picker input")).not_to_have_value("")
    expect(page.locator("grga-timeline")).to_be_visible()
    page.locator("#examples .g-chip").first.click()
    expect(page.locator(".g-answer .g-badge")).to_be_visible(timeout=60_000)

    pill = page.locator(".g-answer button.g-pill").first
    start, end = float(pill.get_attribute("data-from")), float(pill.get_attribute("data-to"))
    number = pill.get_attribute("data-cite")
    pill.click()

    page.wait_for_function(
        "heard.length > 0 && heard.at(-1)[0] === 'pause'", timeout=1000 * (end - start) + 20_000
    )
    events = heard(page)
    assert events[0][0] == "playing"
    assert events[0][1] == pytest.approx(max(0, start - 0.8), abs=0.5)  # a little context before
    assert events[-1][1] == pytest.approx(end, abs=0.5)
    assert page.evaluate("document.querySelector('#grga-audio').paused")
    # Selected everywhere at once: answer, evidence, timeline.
    expect(pill).to_have_class(re.compile(r"\bselected\b"))
    expect(page.locator(f".g-evidence [data-cite='{number}']").first).to_have_class(
        re.compile(r"\bselected\b")
    )
    expect(page.locator(f"grga-timeline .cite[data-number='{number}']")).to_have_class(re.compile("selected"))


def test_an_uploaded_clip_becomes_a_meeting_that_answers(page: Any, address: str, clip: Path) -> None:
    upload(page, clip)
    job = page.locator("#jobs .g-job").filter(has_text="standup.flac")
    expect(job).to_be_visible()
    key = job.get_attribute("data-job")

    page.reload()
    open_tab(page, "Meetings")
    same = page.locator(f"#jobs [data-job='{key}']")
    expect(same).to_contain_text("standup.flac")
    second = page.context.new_page()
    second.goto(address)
    open_tab(second, "Meetings")
    expect(second.locator(f"#jobs [data-job='{key}']")).to_contain_text("standup.flac")
    second.close()

    expect(same.get_by_role("button", name="Open")).to_be_visible(timeout=INDEXED)
    same.get_by_role("button", name="Open").click()
    expect(page.locator("#meeting-header h2")).to_have_text("standup")
    line = page.locator(".g-transcript li").first
    expect(line).to_be_visible()
    line.locator(".g-line-time").click()
    page.wait_for_function("heard.length > 0")
    assert heard(page)[0] == ("playing", pytest.approx(float(line.get_attribute("data-start")), abs=0.5))

    page.get_by_role("button", name="Ask about it").click()
    expect(page.locator("#picker input")).to_have_value(re.compile("standup"))
    ask(page, "What is this about?")
    expect(page.locator(".g-answer .g-badge")).to_be_visible(timeout=60_000)


def test_hostile_text_is_shown_as_typed(page: Any, tmp_path: Path) -> None:
    cues = "\n\n".join(
        f"{number + 1}\n00:00:{10 * number:02d},000 --> 00:00:{10 * number + 5:02d},000\nEve: {text}"
        for number, text in enumerate(HOSTILE)
    )
    file = tmp_path / "notes of Eve.srt"
    file.write_text(cues + "\n", encoding="utf-8")
    upload(page, file)
    job = page.locator("#jobs .g-job").filter(has_text=file.name)
    expect(job.get_by_role("button", name="Open")).to_be_visible(timeout=INDEXED)
    job.get_by_role("button", name="Open").click()
    for text in HOSTILE[1:4]:
        expect(page.locator(".g-transcript")).to_contain_text(text)
    assert page.locator(".g-transcript img, .g-transcript b").count() == 0

    page.get_by_role("button", name="Ask about it").click()
    ask(page, HOSTILE[0])
    expect(page.locator(".g-answer")).to_be_visible(timeout=60_000)
    assert page.locator("#answer img").count() == 0


def test_a_useless_file_fails_in_one_sentence_and_can_be_removed(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "poem.mp3"
    file.write_text("roses are red " * 50)
    upload(page, file)
    job = page.locator("#jobs .g-job.failed").filter(has_text="poem.mp3")
    expect(job).to_be_visible(timeout=INDEXED)
    assert "Traceback" not in job.inner_text()
    job.get_by_role("button", name="Remove").click()
    expect(page.locator("#jobs .g-job").filter(has_text="poem.mp3")).to_have_count(0)


def test_a_speaker_can_be_named_and_a_meeting_deleted(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "short-lived.srt"
    file.write_text("1\n00:00:00,000 --> 00:00:02,000\nAnn: Soon gone.\n")
    upload(page, file)
    row = page.locator("#library .g-row").filter(has_text="short-lived")
    expect(row).to_be_visible(timeout=INDEXED)
    row.click()
    page.get_by_role("button", name="Rename Ann").click()
    page.keyboard.type("Anna <b>Quist</b>")
    page.keyboard.press("Enter")
    expect(page.locator(".g-transcript .g-speaker")).to_contain_text("Anna <b>Quist</b>")
    page.locator("#delete").click()
    page.locator("#delete-sure").click()
    expect(page.locator("#library")).to_be_visible()
    expect(row).to_have_count(0)


def test_an_empty_question_gets_a_sentence(page: Any) -> None:
    expect(page.locator("grga-timeline")).to_be_visible()
    ask(page, "   ")
    expect(page.locator("#said .g-notice")).to_contain_text("question is empty")
    expect(page.locator("#ask")).to_be_visible()


def test_the_timeline_obeys_the_keyboard(page: Any) -> None:
    head = page.locator("grga-timeline [role=slider]")
    head.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(head).to_have_attribute("aria-valuenow", "15")
    page.keyboard.press("Space")
    page.wait_for_function("heard.length > 0")
    page.keyboard.press("Space")
    page.wait_for_function("heard.at(-1)[0] === 'pause'")
    page.keyboard.press("Home")
    expect(head).to_have_attribute("aria-valuenow", "0")


def test_recordings_are_served_in_ranges_and_ids_are_checked(page: Any, address: str) -> None:
    expect(page.locator("grga-timeline")).to_be_visible()
    audio = page.evaluate("document.querySelector('grga-timeline').model.audio")
    part = page.request.get(f"{address}/{audio}", headers={"Range": "bytes=100-199"})
    assert (part.status, len(part.body())) == (206, 100)
    for wrong in ("nobody", "..%2f..%2fetc", ".hidden"):
        assert page.request.get(f"{address}/grga/audio/{wrong}").status == 404
    meeting = audio.rsplit("/", 1)[-1]
    subtitles = page.request.get(f"{address}/grga/export/{meeting}/srt")
    assert "-->" in subtitles.text()
    assert page.request.get(f"{address}/grga/export/{meeting}/exe").status == 404

"""The library as a visitor uses it: find, order, tag, choose, add, watch, run a stage again."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

INDEXED = 120_000  # milliseconds; a clip of half a minute takes a few seconds, the first model load more

pytestmark = pytest.mark.slow


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


def shown(page: Any) -> Any:
    return page.locator("#library li:not([hidden]) .g-row b")


@pytest.fixture
def library(page: Any) -> Any:
    """A new visitor's page with the library open; the two bundled samples are there."""
    return opened(page)


def opened(page: Any) -> Any:
    page.get_by_role("tab", name="Meetings", exact=True).click()
    expect(page.locator("#library li").nth(1)).to_be_visible()
    return page


def add(page: Any, *files: Path) -> None:
    page.locator("#upload input[type=file]").set_input_files([str(file) for file in files])
    for file in files:
        expect(page.locator("#upload")).to_contain_text(file.stem)
    page.locator("#index").click()


def row(page: Any, title: str) -> Any:
    return page.locator("#library li").filter(has=page.get_by_text(title, exact=True))


def job(page: Any, name: str) -> Any:
    return page.locator("#jobs .g-job").filter(has_text=name)


def test_a_search_filters_while_one_types(library: Any) -> None:
    search = library.get_by_role("searchbox")
    search.press_sequentially("lantern")
    expect(shown(library)).to_have_text(["The Lantern Players choose a play"])
    expect(library.locator(".g-shown")).to_have_text(re.compile(r"^1 of \d+$"))
    search.fill("小红")  # who spoke
    expect(shown(library)).to_have_count(1)
    search.fill("nobody ${alert(1)}")
    expect(library.locator(".g-unfit p")).to_have_text("No meeting fits “nobody ${alert(1)}”.")
    library.get_by_role("button", name="Show all meetings").click()
    expect(search).to_have_value("")
    expect(shown(library).nth(1)).to_be_visible()


def test_the_list_can_be_walked_without_a_mouse(library: Any) -> None:
    search = library.get_by_role("searchbox")
    search.fill("a")
    search.press("Escape")
    expect(search).to_have_value("")
    search.press("ArrowDown")
    rows = library.locator("#library li:not([hidden]) .g-row")
    expect(rows.first).to_be_focused()
    library.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    library.keyboard.press("ArrowUp")
    library.keyboard.press("ArrowUp")
    expect(search).to_be_focused()
    library.keyboard.press("ArrowDown")
    library.keyboard.press("Enter")
    expect(library.locator("#meeting")).to_be_visible()


def test_the_longest_comes_first_when_asked_for(library: Any) -> None:
    library.get_by_role("combobox", name="Order").select_option("longest")
    expect(shown(library).first).to_have_text("The Lantern Players choose a play")
    lengths = [
        int(one)
        for one in library.locator("#library li").evaluate_all("all => all.map(li => li.dataset.duration)")
    ]
    assert lengths == sorted(lengths, reverse=True)


def test_a_tag_is_given_found_and_taken_away(library: Any, visit: Callable[..., Any]) -> None:
    lantern = row(library, "The Lantern Players choose a play")
    lantern.hover()
    lantern.get_by_role("button", name="+ tag").click()
    library.keyboard.type("<b>stage</b>")
    library.keyboard.press("Enter")
    expect(lantern.locator("span.g-tag")).to_contain_text("<b>stage</b>")

    other = opened(visit())
    other.locator(".g-tags .g-chip").filter(has_text="<b>stage</b>").click()
    expect(shown(other)).to_have_text(["The Lantern Players choose a play"])
    other.get_by_role("button", name=re.compile("Remove the tag")).click()
    expect(other.locator("span.g-tag")).to_have_count(0)
    expect(shown(other).nth(1)).to_be_visible()  # the filter has gone with its tag
    expect(lantern.locator("span.g-tag")).to_have_count(0)


def test_several_meetings_are_chosen_and_asked_together(library: Any) -> None:
    for box in library.locator("#library input[type=checkbox]").all()[:2]:
        box.check()
    expect(library.locator(".g-number")).to_have_text("2 chosen")
    for _ in range(2):  # the same choice works again after coming back
        library.get_by_role("button", name="Ask about these").click()
        expect(library.get_by_role("tab", name="Ask", exact=True)).to_have_attribute("aria-selected", "true")
        expect(library.locator("#picker input")).to_have_value(re.compile("Several"))
        library.get_by_role("tab", name="Meetings", exact=True).click()
    library.get_by_role("button", name="Choose none").click()
    expect(library.locator(".g-chosen")).to_be_hidden()


def test_without_a_file_one_is_told_what_to_do(library: Any) -> None:
    library.locator("#index").click()
    expect(library.locator("#upload-notice")).to_have_text(
        "No file was chosen: drop a recording or a transcript above"
    )


def test_a_recording_shows_its_stages_and_the_same_one_again_is_noticed(
    library: Any, clip: Path, visit: Callable[..., Any]
) -> None:
    add(library, clip)
    mine = job(library, clip.name)
    steps = mine.locator(".g-steps li")
    expect(steps).to_have_count(12, timeout=INDEXED)
    expect(steps.locator("visible=true").first).to_contain_text("Reading the recording")
    expect(mine.locator(".g-steps [aria-current=step]")).to_have_count(1)
    other = opened(visit())
    expect(other.locator("#jobs .g-job")).to_have_count(0)  # a job belongs to its visitor
    expect(mine.get_by_role("button", name="Open")).to_be_visible(timeout=INDEXED)
    expect(row(library, clip.stem)).to_be_visible()

    again = clip.with_name("copy of it.flac")
    shutil.copyfile(clip, again)
    add(library, again)
    expect(library.locator("#meeting")).to_be_visible()  # that is what one came for
    library.locator("#back").click()
    expect(job(library, again.name)).to_contain_text(f"Already here as “{clip.stem}”")
    expect(row(library, again.stem)).to_have_count(0)

    row(library, clip.stem).hover()
    row(library, clip.stem).get_by_role("button", name="Run a stage again").click()
    form = library.locator("#rerun")
    expect(form).to_contain_text(f"Run a stage of “{clip.stem}” again")
    form.get_by_label("Number of speakers").first.click()
    library.get_by_role("option", name="1", exact=True).click()
    form.locator("#rerun-start").click()
    rerun = job(library, "one stage again")
    expect(rerun.get_by_role("button", name="Open")).to_be_visible(timeout=INDEXED)
    expect(row(library, clip.stem).locator(".g-speaker")).to_have_count(1)


def test_what_holds_no_sound_fails_in_one_sentence_and_can_be_removed(library: Any, tmp_path: Path) -> None:
    file = tmp_path / "notes.pdf"
    file.write_bytes(b"%PDF-1.4 no sound")
    add(library, file)
    mine = job(library, "notes.pdf")
    expect(mine.locator(".g-state")).to_have_text("Failed", timeout=INDEXED)
    expect(mine).not_to_contain_text("Traceback")
    mine.get_by_role("button", name="Remove").click()
    expect(mine).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 768, 390])
def test_the_library_on_every_screen(
    visit: Callable[..., Any], picture: Callable[[Any, str], Path], width: int, scheme: str
) -> None:
    page = opened(visit(viewport={"width": width, "height": 900}, color_scheme=scheme))
    page.locator("#library input[type=checkbox]").first.check()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert picture(page, f"library-{width}-{scheme}").is_file()


def test_the_library_speaks_chinese(visit: Callable[..., Any]) -> None:
    page = visit(locale="zh-CN")
    page.get_by_role("tab", name="会议", exact=True).click()
    expect(page.get_by_role("searchbox", name="按标题、发言人或标签搜索")).to_be_visible()
    expect(page.locator("#index")).to_have_text("加入会议库")

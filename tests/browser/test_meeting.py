"""The page of one meeting in a real browser: read, hear, find, correct, and see what is connected."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.long_meeting_page import TALE, add_recording, write_transcript
from grga.config import load_config
from grga.edits import EditText, Rename
from grga.ingest import import_transcript
from grga.store import MeetingFolder, Store

pytestmark = pytest.mark.slow

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{7*7}}",
    "a lone \\ backslash",
    "</script><b>bold</b>",
)
TALK = (
    ("Ann", "The boiler in the chapel is broken again."),
    ("Bea", "Then we need a plumber before Sunday."),
    ("Ann", "The last plumber charged ninety pounds."),
    ("Cy", "I know a plumber in the village."),
    ("Bea", "Ask him about the boiler tomorrow."),
    ("Cy", "I will, and I will ask about the roof."),
)

Importer = Callable[..., MeetingFolder]


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing, "the page of the meeting")


@pytest.fixture
def imported(app: Any, tmp_path: Path) -> Importer:
    """Put a meeting of lines ``(name, text)``, three seconds each, into the running app's home."""

    def make(title: str, lines: Any, *, recording: bool = False) -> MeetingFolder:
        cues = (
            f"{n + 1}\n00:00:{3 * n:02d},000 --> 00:00:{3 * n + 3:02d},000\n{name}: {text}\n"
            for n, (name, text) in enumerate(lines)
        )
        file = tmp_path / f"{title}.srt"
        file.write_text("\n".join(cues), encoding="utf-8")
        store, config = Store(app.home), load_config(overrides={"home": app.home})
        folder = store.folder(import_transcript(file, store, config, title=title).meeting)
        if recording:
            add_recording(folder)
        return folder

    return make


@pytest.fixture(scope="module")
def long_meeting(app: Any, tmp_path_factory: pytest.TempPathFactory) -> MeetingFolder:
    """A meeting of 5,000 lines over three hours."""
    store, config = Store(app.home), load_config(overrides={"home": app.home})
    file = write_transcript(tmp_path_factory.mktemp("long") / "long.srt", 5000)
    return store.folder(import_transcript(file, store, config, title="Three hours").meeting)


def open_meeting(page: Any, folder: MeetingFolder) -> Any:
    page.get_by_role("tab", name="Meetings", exact=True).click()
    page.locator(f"#library .g-row[data-id='{folder.id}']").click()
    expect(page.locator("grga-transcript[data-ready]")).to_be_visible()
    return page


def line(page: Any, number: int) -> Any:
    return page.locator(f".g-transcript li[data-line='{number}']")


def use(page: Any, number: int, tool: str) -> None:
    line(page, number).hover()
    line(page, number).locator(f"[data-tool={tool}]").click()


def saved(page: Any) -> None:
    expect(page.locator(".g-saved")).to_have_text("Saved")


def test_a_click_plays_from_the_word(page: Any) -> None:
    page.get_by_role("tab", name="Meetings", exact=True).click()
    page.locator("#library .g-row").filter(has_text="Lantern").click()
    first = line(page, 0)
    box = first.locator("p").bounding_box()
    page.mouse.click(box["x"] + 4, box["y"] + 12)
    page.wait_for_function("heard.length > 0")
    start = float(first.get_attribute("data-start"))
    assert page.evaluate("heard[0]") == ["playing", pytest.approx(start, abs=0.3)]

    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + 12)
    page.wait_for_function(f"document.querySelector('#grga-audio').currentTime > {start + 1}")
    expect(page.locator(".g-transcript li.now")).to_have_attribute("data-line", "0")
    line(page, 3).locator(".g-line-time").click()
    expect(page.locator(".g-transcript li.now")).to_have_attribute("data-line", "3")


def test_follow_stops_when_the_reader_scrolls_away(page: Any, imported: Importer) -> None:
    folder = imported(
        "Follow", [(f"N{n % 3}", f"Line number {n} of this talk.") for n in range(20)], recording=True
    )
    page.set_viewport_size({"width": 1280, "height": 500})
    open_meeting(page, folder)
    line(page, 0).locator(".g-line-time").click()
    page.locator(".g-lines").hover()
    page.mouse.wheel(0, 3000)
    back = page.get_by_role("button", name="Back to the voice")
    expect(back).to_be_visible()
    back.click()
    expect(back).to_be_hidden()
    expect(page.locator(".g-transcript li.now")).to_be_in_viewport()


def test_a_renamed_speaker_is_renamed_everywhere_and_at_once(
    visit: Any, app: Any, imported: Importer
) -> None:
    folder = imported("Chapel", TALK)
    page, second = visit(), visit()
    for one in (page, second):
        open_meeting(one, folder)
    page.get_by_role("button", name="Rename Bea").click()
    page.keyboard.type("Beatrix")
    page.keyboard.press("Enter")
    expect(line(page, 1).locator(".g-speaker")).to_contain_text("Beatrix")
    expect(page.locator(".g-meeting grga-timeline .name").nth(1)).to_have_text("BBeatrix")
    expect(page.locator("grga-speakers")).to_contain_text("Beatrix")
    expect(line(second, 1).locator(".g-speaker")).to_contain_text("Beatrix")
    exported = page.request.get(f"{app.address}/grga/export/{folder.id}/srt").text()
    assert "Beatrix: Then we need a plumber" in exported

    page.get_by_role("button", name="Rename Ann").click()
    page.keyboard.type("Beatrix")
    page.keyboard.press("Enter")
    expect(page.locator(".g-inplace-said")).to_contain_text("the name 'Beatrix' is taken")
    page.keyboard.press("Escape")
    page.troubles.clear()  # the browser logs the refusal


def test_an_edited_line_is_saved_found_and_undone(page: Any, imported: Importer) -> None:
    folder = imported("Boiler", TALK)
    open_meeting(page, folder)
    use(page, 3, "edit")
    page.keyboard.type(" He is called Thaddeus.")
    saved(page)
    assert folder.read_meeting().utterances[3].text.endswith("Thaddeus.")
    page.locator("input.g-find").click()  # a click elsewhere loses nothing
    expect(line(page, 3)).to_contain_text("called Thaddeus.")
    expect(line(page, 3)).to_contain_text("edited")

    page.reload()
    open_meeting(page, folder)
    expect(line(page, 3)).to_contain_text("called Thaddeus.")

    page.locator("#ask-about").click()
    page.locator("#question textarea").fill("Who is called Thaddeus?")
    page.locator("#ask").click()
    expect(page.locator("#answer")).to_contain_text("Thaddeus", timeout=60_000)
    expect(page.locator("#evidence")).to_contain_text("called Thaddeus", timeout=60_000)

    page.get_by_role("tab", name="Meetings", exact=True).click()
    page.locator("grga-history summary").click()
    expect(page.locator("grga-history li").first).to_contain_text("Thaddeus")
    expect(page.locator("grga-history li").first).to_contain_text("you")
    page.locator("grga-transcript").get_by_role("button", name="Undo").click()
    expect(line(page, 3)).not_to_contain_text("Thaddeus")
    expect(page.locator("grga-history li").first).to_contain_text("undone")
    page.locator("grga-transcript").get_by_role("button", name="Redo").click()
    expect(line(page, 3)).to_contain_text("Thaddeus")


def test_escape_restores_what_was_saved_meanwhile(page: Any, imported: Importer) -> None:
    folder = imported("Escape", TALK)
    open_meeting(page, folder)
    line(page, 1).focus()
    page.keyboard.press("e")
    page.keyboard.type(" Or after it.")
    saved(page)
    page.keyboard.press("Escape")
    expect(line(page, 1)).not_to_contain_text("Or after it.")
    saved(page)
    assert folder.read_meeting().utterances[1].text == TALK[1][1]


def test_a_lost_connection_keeps_the_text_and_tries_again(page: Any, imported: Importer) -> None:
    folder = imported("Offline", TALK)
    open_meeting(page, folder)
    page.route("**/edits", lambda route: route.abort())
    use(page, 0, "edit")
    page.keyboard.type(" And cold.")
    expect(page.locator(".g-saved")).to_have_text("Not saved: trying again")
    page.keyboard.press("Enter")
    expect(line(page, 0)).to_contain_text("not saved yet")
    assert folder.read_meeting().utterances[0].text == TALK[0][1]
    page.reload()
    open_meeting(page, folder)
    expect(line(page, 0)).to_contain_text("And cold.")
    page.unroute("**/edits")
    saved(page)
    assert folder.read_meeting().utterances[0].text.endswith("And cold.")
    page.troubles.clear()


def test_lines_are_given_to_another_speaker_and_speakers_merged(page: Any, imported: Importer) -> None:
    folder = imported("Voices", TALK)
    open_meeting(page, folder)
    use(page, 0, "who")
    page.get_by_role("menuitem", name="Somebody new").click()
    expect(page.locator("grga-speakers li")).to_have_count(4)
    use(page, 1, "who")
    page.get_by_role("menuitemradio", name=re.compile("all that follow")).click()
    page.get_by_role("menuitemradio", name="Cy").click()
    expect(page.locator("grga-speakers li")).to_have_count(3)
    expect(page.locator("#meeting-header")).to_contain_text("3 speakers")
    assert {folder.read_meeting().name_of(one) for one in folder.read_meeting().utterances[1:]} == {
        "Ann",
        "Cy",
    }

    page.get_by_role("button", name="Merge Ann into another speaker").click()
    page.get_by_role("menuitem", name="Cy").click()
    expect(page.locator("grga-speakers li")).to_have_count(2)
    expect(page.locator(".g-meeting grga-timeline .name")).to_have_count(2)
    for _ in range(3):
        page.locator(".g-lines").focus()
        page.keyboard.press("Control+z")
        expect(page.locator(".g-saved")).to_contain_text("Undone")
    expect(page.locator("grga-speakers li")).to_have_count(3)


def test_the_keyboard_reads_and_asks(page: Any, imported: Importer) -> None:
    folder = imported("Keys", TALK)
    open_meeting(page, folder)
    line(page, 0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(line(page, 2)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".g-meeting grga-timeline [role=slider]")).to_have_attribute("aria-valuenow", "6")
    page.keyboard.press("s")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_be_hidden()
    page.keyboard.press("End")
    expect(line(page, 5)).to_be_focused()
    expect(line(page, 5)).to_have_attribute("aria-posinset", "6")
    expect(line(page, 5)).to_have_attribute("aria-setsize", "6")
    page.keyboard.press("Control+f")
    expect(page.locator("input.g-find")).to_be_focused()


def test_five_thousand_lines_keep_few_in_the_page(page: Any, long_meeting: MeetingFolder) -> None:
    open_meeting(page, long_meeting)

    def shown() -> int:
        return int(page.locator(".g-transcript li").count())

    assert 5 < shown() < 80
    line(page, 0).focus()
    page.keyboard.press("End")
    expect(line(page, 4999)).to_be_focused()
    expect(line(page, 4999)).to_be_in_viewport()
    assert shown() < 80
    page.keyboard.press("Home")
    expect(line(page, 0)).to_be_in_viewport()

    page.locator("input.g-find").fill("about a HERON")
    expect(page.locator(".g-found")).to_have_text("1/1")
    found = line(page, 4994)
    expect(found).to_contain_text(TALE)
    expect(found).to_be_in_viewport()
    expect(found.locator("mark.current")).to_have_text("about a heron")
    page.locator("input.g-find").fill("contract")
    expect(page.locator(".g-found")).to_have_text(re.compile(r"^\d+/\d{3}$"))
    before = page.locator(".g-found").inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".g-found")).not_to_have_text(before)
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".g-found")).to_have_text(before)


def test_the_timeline_draws_only_what_is_in_sight(page: Any, long_meeting: MeetingFolder) -> None:
    open_meeting(page, long_meeting)
    timeline = page.locator(".g-meeting grga-timeline")
    room = timeline.locator(".scroll").evaluate("(node) => node.clientWidth")
    for _ in range(8):
        timeline.get_by_role("button", name="Zoom in (+)").click()
    assert timeline.locator(".stage").evaluate("(node) => node.clientWidth") > 50 * room
    assert timeline.locator("svg.map").evaluate("(node) => node.getBoundingClientRect().width") == room
    assert timeline.locator("svg.map *").count() < 400
    expect(timeline.locator("svg.map .inside").first).to_be_visible()  # letters, for whom colours do not help
    before = timeline.locator(".scroll").evaluate("(node) => node.scrollLeft")
    box = timeline.locator(".scroll").bounding_box()
    page.mouse.move(box["x"] + 600, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 60, steps=5)
    page.mouse.up()
    assert timeline.locator(".scroll").evaluate("(node) => node.scrollLeft") == pytest.approx(
        before + 300, abs=3
    )
    assert timeline.locator("[role=slider]").get_attribute("aria-valuenow") in (None, "0")


def test_the_graph_shows_what_is_connected(page: Any, imported: Importer) -> None:
    folder = imported("Graph", TALK)
    open_meeting(page, folder)
    use(page, 2, "graph")
    graph = page.locator(".g-meeting grga-graph")
    expect(graph.locator(".node.centre")).to_have_attribute("data-id", "2")
    many = graph.locator(".edge").count()
    assert many > 2
    graph.get_by_role("button", name="next in time").click()
    expect(graph.locator(".edge[data-type=temporal]")).to_have_count(0)
    graph.locator("summary").click()
    expect(graph.locator("li").first).to_be_visible()
    assert graph.locator("li").count() == graph.locator(".edge").count() < many

    other = graph.locator(".node:not(.centre)").first
    number = other.get_attribute("data-id")
    other.focus()
    expect(graph.locator(".g-graph-said")).to_contain_text(TALK[int(number)][1])
    page.keyboard.press("Enter")
    expect(graph.locator(".node.centre")).to_have_attribute("data-id", number)
    graph.locator(".node.centre").click()
    expect(page.locator(".g-meeting grga-timeline [role=slider]")).to_have_attribute(
        "aria-valuenow", str(3 * int(number))
    )
    graph.get_by_role("button", name="Close").click()
    expect(graph).to_be_hidden()


def test_hostile_names_lines_and_titles_are_shown_as_typed(page: Any, imported: Importer) -> None:
    folder = imported("Eve", [(f"N{n}", text) for n, text in enumerate(HOSTILE)])
    meeting = folder.read_meeting()
    for number, text in enumerate(HOSTILE):
        folder.edit(EditText(utterance=number, text=text))
        folder.edit(Rename(speaker=meeting.utterances[number].speaker, name=text))
    open_meeting(page, folder)
    page.get_by_role("button", name="Rename the meeting").click()
    page.keyboard.type(HOSTILE[0])
    page.keyboard.press("Enter")
    expect(page.locator("#meeting-header h2")).to_have_text(HOSTILE[0])
    page.locator("grga-history summary").click()
    use(page, 0, "graph")
    expect(page.locator("grga-graph .node").first).to_be_visible()
    page.locator("grga-graph summary").click()
    for number, text in enumerate(HOSTILE):
        expect(line(page, number).locator("p")).to_have_text(text)
        expect(line(page, number).locator(".g-speaker")).to_contain_text(text)
        expect(page.locator("grga-speakers")).to_contain_text(text)
        expect(page.locator("grga-history")).to_contain_text(text)
        expect(page.locator(".g-meeting grga-timeline .name").nth(number)).to_contain_text(text)
    drawn = page.locator("grga-graph .node").evaluate_all(
        "(nodes) => nodes.map((node) => [node.dataset.id, node.getAttribute('aria-label')])"
    )
    assert len(drawn) > 1
    assert all(told.endswith(HOSTILE[int(id)]) for id, told in drawn)
    assert page.locator(".g-meeting img, .g-meeting script").count() == 0
    assert page.evaluate("document.querySelectorAll('.g-meeting b').length") == 0
    page.reload()
    open_meeting(page, folder)
    expect(page.locator("#meeting-header h2")).to_have_text(HOSTILE[0])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 768, 390])
def test_the_page_fits_every_width(visit: Any, picture: Any, width: int, scheme: str) -> None:
    page = visit(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.get_by_role("tab", name="Meetings", exact=True).click()
    page.locator("#library .g-row").filter(has_text="Lantern").click()
    expect(line(page, 4)).to_be_visible()
    line(page, 4).locator(".g-line-time").click()
    line(page, 4).focus()
    page.keyboard.press("c")
    expect(page.locator("grga-graph .node.centre")).to_be_visible()
    picture(page, f"meeting-{width}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_opened_meeting_has_no_serious_accessibility_finding(visit: Any, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    page = visit(viewport={"width": 1440, "height": 1000}, color_scheme=scheme)
    page.get_by_role("tab", name="Meetings", exact=True).click()
    page.locator("#library .g-row").filter(has_text="Lantern").click()
    line(page, 4).focus()
    page.keyboard.press("c")
    expect(page.locator("grga-graph .node.centre")).to_be_visible()
    page.locator("grga-graph summary").click()
    page.locator("grga-history summary").click()
    line(page, 4).focus()
    page.keyboard.press("e")
    expect(page.locator(".g-line-field")).to_be_focused()
    found = axe.Axe().run(page).response["violations"]
    grave = [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    assert grave == []

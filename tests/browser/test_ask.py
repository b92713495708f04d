"""Asking as a visitor does it: steps, citations that sound, limits, comparisons, history, links, exports."""

from __future__ import annotations

import io
import re
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ANSWERED = 60_000  # milliseconds
LEAD_IN = 0.8  # seconds of context before a cited moment, see grga/ui/ask.js
HOSTILE = "<img src=x onerror=alert(1)> ${alert(1)} {{7*7}} \\ </script>"
BUDGETS = {
    "North budget": "Nora: The roof repair costs nine thousand pounds.\nLiam: We pay it from the reserve fund.",
    "South budget": "Sara: The bridge costs forty thousand pounds.\nOmar: The council pays half of the bridge.",
    "Picnic": "Ada: We meet at noon by the lake.\nBen: I bring sandwiches and lemonade.",
}

pytestmark = pytest.mark.slow


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


@dataclass
class SilentModel:
    """A model server that takes every request and answers none until it is let go."""

    address: str
    asked: threading.Event
    go: threading.Event


@pytest.fixture(scope="module")
def silent_model() -> Iterator[SilentModel]:
    asked, go = threading.Event(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.set()
            go.wait(timeout=120)
            self.send_error(503)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield SilentModel(f"http://127.0.0.1:{server.server_port}/v1", asked, go)
    go.set()
    server.shutdown()


@pytest.fixture(scope="module")
def app(running: Any, silent_model: SilentModel, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An app with the samples and three small transcripts; a model is offered that never answers."""
    from grga.config import Config
    from grga.store import Store
    from grga.ui.indexing import index_job

    home = tmp_path_factory.mktemp("home")
    folder = tmp_path_factory.mktemp("transcripts")
    index = index_job(Store(home), Config())
    for title, lines in BUDGETS.items():
        index([_subtitles(folder / f"{title}.srt", lines)], {"title": title}, lambda *_: None, lambda: False)
    model = {"GRGA_LLM__BASE_URL": silent_model.address, "GRGA_LLM__MODEL": "silent"}
    return running(home, environment=model)


def _subtitles(file: Path, lines: str) -> Path:
    cues = [
        f"{number}\n00:00:{10 * number:02d},000 --> 00:00:{10 * number + 6:02d},000\n{line}\n"
        for number, line in enumerate(lines.splitlines(), 1)
    ]
    file.write_text("\n".join(cues), encoding="utf-8")
    return file


def ask(page: Any, question: str) -> None:
    expect(page.locator("grga-show")).to_have_count(1)  # the page has read its address
    page.locator("#question textarea").fill(question)
    page.locator("#ask").click()
    answered(page)


def answered(page: Any) -> None:
    expect(page.locator("#answer .g-acts")).to_be_visible(timeout=ANSWERED)
    expect(page.locator("#ask")).to_be_visible()


def ready(page: Any) -> Any:
    """Wait until the page has read its address."""
    expect(page.locator("#picker input")).not_to_have_value("")
    expect(page.locator("grga-show")).to_have_count(1)
    return page


def choose(page: Any, title: str) -> None:
    before = ready(page).locator("grga-show").get_attribute("data-turn")
    page.locator("#picker input").click()
    page.get_by_role("option", name=re.compile(rf"^{re.escape(title)}")).click()
    expect(page.locator("grga-show")).not_to_have_attribute("data-turn", before)


def limit(page: Any, start: str, end: str = "") -> None:
    page.locator("#limits > button").click()
    page.locator("#limit-from input").fill(start)
    page.locator("#limit-to input").fill(end)
    page.keyboard.press("Tab")


def token_of(page: Any) -> str:
    page.wait_for_url(re.compile(r"[?&]answer="))
    return str(re.search(r"answer=([\w-]+)", page.url)[1])


def questions(page: Any) -> Any:
    return page.locator("#history li .g-asked b")


def test_steps_are_told_and_a_citation_is_heard_with_a_little_before_it(page: Any) -> None:
    page.locator("#examples .g-chip").first.click()
    answered(page)
    steps = page.locator("#trace details")
    expect(steps.first).to_contain_text("Understand")
    expect(steps.last).to_contain_text("Round")
    expect(steps.last).to_contain_text("Checked")

    pill = page.locator("#answer button.g-pill").first
    number = pill.get_attribute("data-cite")
    start, end = float(pill.get_attribute("data-from")), float(pill.get_attribute("data-to"))
    pill.focus()
    quote = page.locator(f".g-evidence [data-cite='{number}'] blockquote").inner_text()
    expect(page.get_by_role("tooltip")).to_contain_text(quote)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "heard.length > 1 && heard.at(-1)[0] === 'pause'", timeout=1000 * (end - start) + 20_000
    )
    (begun, at), (stopped, until) = page.evaluate("[heard[0], heard.at(-1)]")
    assert (begun, stopped) == ("playing", "pause")
    assert at == pytest.approx(max(0, start - LEAD_IN), abs=0.5)
    assert until == pytest.approx(end, abs=0.5)
    selected = re.compile(r"\bselected\b")
    expect(pill).to_have_class(selected)
    expect(page.locator(f".g-evidence [data-cite='{number}']")).to_have_class(selected)
    expect(page.locator(f"grga-timeline .cite[data-number='{number}']")).to_have_class(selected)


def test_a_second_click_stops_what_the_first_began(page: Any) -> None:
    page.locator("#examples .g-chip").first.click()
    answered(page)
    moment = page.locator("#evidence .g-moment").first
    moment.locator(".g-play").click()
    expect(moment).to_have_class(re.compile(r"\bsounding\b"))
    moment.locator(".g-play").click()
    page.wait_for_function("heard.at(-1)[0] === 'pause'")
    end = float(moment.get_attribute("data-to"))
    assert page.evaluate("document.querySelector('#grga-audio').currentTime") < end
    expect(moment).not_to_have_class(re.compile(r"\bsounding\b"))


def test_limits_by_speaker_and_time_hold_and_can_be_taken_away(page: Any) -> None:
    limit(ready(page), "2:00", "3:20")
    page.locator("#limit-speakers input").click()
    page.get_by_role("option", name="Henry", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.locator(".g-limit")).to_have_text([re.compile("^Henry"), re.compile("2:00–3:20")])
    ask(page, "What does it cost?")
    moments = page.locator("#evidence .g-moment")
    for place in range(moments.count()):
        moment = moments.nth(place)
        assert float(moment.get_attribute("data-to")) >= 120
        assert float(moment.get_attribute("data-from")) <= 200
        expect(moment).to_contain_text("Henry")
    page.reload()
    answered(page)
    expect(page.locator(".g-limit")).to_have_text([re.compile("^Henry"), re.compile("2:00–3:20")])
    page.locator(".g-limit").nth(1).click()
    expect(page.locator(".g-limit")).to_have_text([re.compile("^Henry")])


def test_a_time_that_is_none_is_said_in_a_sentence(page: Any) -> None:
    limit(ready(page), "noon")
    expect(page.locator("#limited .g-notice")).to_contain_text("is not a time")
    page.locator("#question textarea").fill("What does it cost?")
    page.locator("#question textarea").press("Control+Enter")
    expect(page.locator("#said .g-notice")).to_contain_text("is not a time")
    expect(page.locator("#ask")).to_be_visible()


def test_what_was_asked_survives_reload_and_restart_for_its_visitor_alone(
    page: Any, visit: Any, app: Any
) -> None:
    choose(page, "North budget")
    ask(page, "What does the roof repair cost?")
    text = page.locator("#answer p, #answer h2").first.inner_text()
    token = token_of(page)
    page.goto(app.address)
    expect(questions(page)).to_have_text(["What does the roof repair cost?"])
    app.stop()
    app.start()
    page.goto(app.address)
    page.troubles.clear()  # the page noticed that its server was away
    expect(questions(page)).to_have_text(["What does the roof repair cost?"])
    questions(page).first.click()
    answered(page)
    assert page.locator("#answer p, #answer h2").first.inner_text() == text
    assert token_of(page) == token

    other = visit(f"?answer={token}")
    answered(other)
    expect(other.locator("#question textarea")).to_have_value("What does the roof repair cost?")
    expect(other.locator("#picker input")).to_have_value(re.compile("North budget"))
    expect(other.locator(".g-thumb")).to_have_count(0)
    expect(questions(other)).to_have_count(0)

    page.locator("#history summary").first.click()
    page.get_by_role("button", name="Delete “What does the roof repair cost?”").click()
    expect(questions(page)).to_have_count(0)
    other.reload()
    expect(other.locator("#said .g-notice")).to_contain_text("this answer is not kept", ignore_case=True)


def test_a_link_to_a_meeting_opens_it_and_one_to_nothing_says_so(visit: Any, app: Any) -> None:
    from grga.store import Store

    picnic = next(one.id for one in Store(app.home).meetings() if one.title == "Picnic")
    page = visit(f"?meeting={picnic}")
    expect(page.locator("#picker input")).to_have_value(re.compile("^Picnic"))
    lost = visit("?meeting=nobody")
    expect(lost.locator("#said .g-notice")).to_contain_text("not here any more")
    expect(lost.locator("grga-timeline")).to_be_visible()


def test_a_copied_link_opens_the_answer(page: Any, app: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, "Picnic")
    ask(page, "Where do we meet?")
    button = page.get_by_role("button", name="Copy link")
    button.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{app.address}/?answer={token_of(page)}"


def test_a_renamed_speaker_is_followed_by_the_kept_answer_and_its_export(page: Any, app: Any) -> None:
    choose(page, "North budget")
    ask(page, "Who said what the roof repair costs?")
    expect(page.locator("#evidence")).to_contain_text("Nora")
    token, meeting = token_of(page), page.locator("#evidence .g-moment").first.get_attribute("data-meeting")
    page.evaluate(RENAME, meeting)
    page.get_by_role("tab", name="Meetings", exact=True).click()
    page.get_by_role("tab", name="Ask", exact=True).click()
    expect(page.locator("#evidence")).to_contain_text("Nora Quist")
    page.reload()
    answered(page)
    expect(page.locator("#evidence")).to_contain_text("Nora Quist")
    expect(page.locator("#answer")).not_to_contain_text(re.compile(r"Nora(?! Quist)"))
    sheet = page.request.get(f"{app.address}/grga/answers/{token}/export/md").text()
    assert "Nora Quist" in sheet


RENAME = """async (meeting) => {
    const reply = await fetch(`grga/meetings/${meeting}/edits`, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ kind: "rename", speaker: "S1", name: "Nora Quist" }),
    });
    if (!reply.ok) throw new Error(await reply.text());
}"""


def test_the_same_question_side_by_side(page: Any) -> None:
    ask(page, "What price did Henry first name for the hall?")
    page.get_by_role("button", name="Compare").first.click()
    rivals = page.locator("#rivals")
    rivals.get_by_label("GRGA without the planner").check()
    page.locator("#compare").click()
    columns = page.locator(".g-compare article")
    expect(columns).to_have_count(3)
    expect(columns.locator(".g-badge")).to_have_count(3, timeout=ANSWERED)
    expect(columns.nth(2)).to_contain_text("GRGA without the planner")
    # One numbering: the same number is the same moment in every column, in the list and on the timeline.
    moments = page.locator(".g-compare .g-moment")
    numbers = [moments.nth(place).get_attribute("data-cite") for place in range(moments.count())]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    expect(page.locator("grga-timeline .cite")).to_have_count(len(numbers))
    columns.nth(1).locator("button.g-pill").last.click()
    page.wait_for_function("heard.length > 0 && heard[0][0] === 'playing'")
    page.get_by_role("button", name="Back to the answer").click()
    answered(page)
    expect(page.locator(".g-compare")).to_have_count(0)


def test_a_comparison_needs_two(page: Any) -> None:
    choose(page, "Picnic")
    ask(page, "Where do we meet?")
    page.get_by_role("button", name="Compare").first.click()
    page.locator("#rivals").get_by_label("Text RAG · offline").uncheck()
    page.locator("#compare").click()
    expect(page.locator("#said .g-notice")).to_contain_text("two to four")


def test_a_question_to_all_meetings_cites_each_by_name_and_plays_from_its_timeline(page: Any) -> None:
    choose(page, "All meetings")
    ask(page, "How many pounds does it cost?")
    parts = page.locator("#answer .g-part h3 button")
    titles = [parts.nth(place).inner_text() for place in range(parts.count())]
    assert {"North budget", "South budget"} <= set(titles)
    expect(page.locator("#answer .g-silent")).to_contain_text("Picnic")
    moments = page.locator("#evidence .g-moment")
    numbers = [int(moments.nth(place).get_attribute("data-cite")) for place in range(moments.count())]
    assert numbers == list(range(1, len(numbers) + 1))
    south = moments.filter(has_text="forty thousand").first
    south.click()
    expect(page.locator(".g-timeline")).to_have_attribute("data-meeting", south.get_attribute("data-meeting"))
    expect(
        page.locator(f"grga-timeline .cite[data-number='{south.get_attribute('data-cite')}']")
    ).to_be_visible()
    page.reload()
    answered(page)
    expect(page.locator("#picker input")).to_have_value("All meetings")
    assert parts.count() == len(titles)


def test_several_meetings_are_chosen_by_hand(page: Any) -> None:
    choose(page, "North budget")
    page.locator("#picker input").click()
    page.get_by_role("option", name="Several meetings…").click()
    expect(page.locator(".g-when").first).to_contain_text("Which meetings?")
    field = page.locator("#several input")
    for title in ("North budget", "Picnic"):
        field.click()
        page.get_by_role("option", name=title, exact=True).click()
    page.keyboard.press("Escape")
    expect(page.locator("#examples .g-chip").last).to_contain_text("Ada")
    ask(page, "How many pounds does it cost?")
    expect(page.locator("#answer .g-part h3 button")).to_have_text(["North budget"])
    expect(page.locator("#answer .g-silent")).to_contain_text("Picnic")


def test_stop_keeps_what_was_found(page: Any, silent_model: SilentModel) -> None:
    choose(page, "Picnic")
    page.locator("#system input").click()
    page.get_by_role("option", name="GRGA · silent").click()
    page.locator("#question textarea").fill("Where do we meet?")
    page.locator("#ask").click()
    assert silent_model.asked.wait(timeout=60)
    expect(page.locator("#answer .g-progress")).to_be_visible()
    page.locator("#stop").click()
    expect(page.locator("#said .g-notice")).to_contain_text("Stopped")
    expect(page.locator("#ask")).to_be_visible()
    expect(page.locator("#answer")).to_contain_text("Where do we meet?")


def test_a_thumb_with_a_reason_is_kept(page: Any) -> None:
    choose(page, "Picnic")
    ask(page, "Who brings lemonade?")
    down = page.get_by_role("button", name="Bad answer")
    down.click()
    expect(down).to_have_attribute("aria-pressed", "true")
    page.get_by_label("It is too long").check()
    page.get_by_label("Comment (optional)").fill(HOSTILE)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#feedback")).to_contain_text("Thank you")
    page.reload()
    answered(page)
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("It is too long")).to_be_checked()
    expect(page.get_by_label("Comment (optional)")).to_have_value(HOSTILE)
    down.click()
    expect(page.locator("#feedback form")).to_have_count(0)
    page.reload()
    answered(page)
    expect(down).to_have_attribute("aria-pressed", "false")


def test_the_archive_holds_the_answer_and_a_clip_per_citation(page: Any, app: Any) -> None:
    ask(page, "What price did Henry first name for the hall?")
    cited = page.locator("#evidence .g-moment").count()
    page.locator(".g-menu summary").click()
    link = page.get_by_role("link", name="ZIP with clips").get_attribute("href")
    archive = zipfile.ZipFile(io.BytesIO(page.request.get(f"{app.address}/{link}").body()))
    names = archive.namelist()
    sheet = next(name for name in names if name.endswith(".md"))
    assert "What price did Henry first name for the hall?" in archive.read(sheet).decode()
    clips = [name for name in names if not name.endswith(".md")]
    assert len(clips) == cited
    assert all(len(archive.read(name)) > 1000 for name in clips)


def test_a_hostile_question_is_shown_as_typed(page: Any) -> None:
    choose(page, "Picnic")
    ask(page, HOSTILE)
    expect(questions(page).first).to_have_text(HOSTILE)
    page.reload()
    answered(page)
    expect(page.locator("#question textarea")).to_have_value(HOSTILE)
    assert page.locator("#answer img, #history img").count() == 0


def test_an_empty_question_gets_a_sentence(page: Any) -> None:
    expect(page.locator("grga-timeline")).to_be_visible()
    page.locator("#question textarea").fill("   ")
    page.locator("#ask").click()
    expect(page.locator("#said .g-notice")).to_contain_text("question is empty")
    expect(page.locator("#ask")).to_be_visible()


def test_the_tab_speaks_chinese(visit: Any) -> None:
    page = visit(locale="zh-CN")
    expect(page.locator("#answer")).to_contain_text("还没有提问")
    expect(page.locator("#ask")).to_have_text("提问")
    page.locator("#examples .g-chip").first.click()
    answered(page)
    expect(page.locator("#trace")).to_contain_text("理解问题")
    expect(page.get_by_role("button", name="复制链接")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 768, 390])
def test_an_answer_fits_the_width(visit: Any, picture: Any, width: int, scheme: str) -> None:
    page = visit(viewport={"width": width, "height": 1000}, color_scheme=scheme)
    page.locator("#examples .g-chip").nth(1).click()
    answered(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture(page, f"ask-{width}-{scheme}")
    order = (
        ["#question", "#answer", "grga-timeline", "#evidence"] if width < 760 else ["#question", "#answer"]
    )
    tops = [page.locator(place).first.bounding_box()["y"] for place in order]
    assert tops == sorted(tops)

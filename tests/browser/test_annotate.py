"""Annotate as people use it: questions are made, verified blind by two, settled by a third, measured, taken out."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MADE = 90_000  # milliseconds for ten questions, the first model load included
PER_TYPE = 2
pytestmark = pytest.mark.slow


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


def open_page(page: Any, name: str) -> None:
    page.get_by_role("tab", name="Annotate", exact=True).click()
    page.get_by_role("tab", name=name, exact=True).click()


def begin(page: Any, place: str, name: str) -> Any:
    """Open Verify or Adjudicate as ``name`` and return its bench."""
    open_page(page, place)
    bench = page.locator("grga-verify" if place == "Verify" else "grga-settle")
    bench.get_by_label("Your name").fill(name)
    bench.get_by_label("Your name").press("Enter")
    return bench


def generate(page: Any) -> None:
    """Have ten questions made by the offline generator and wait until they are there."""
    open_page(page, "Generate")
    for kind in ("factual", "inferential", "temporal", "summarization", "acoustic"):
        page.locator(f"#quota-{kind} input").fill(str(PER_TYPE))
    page.locator("#generate-meeting input").click()
    page.get_by_role("option", name="The Lantern Players choose a play").click()
    page.locator("#generate-start").click()
    batch = page.locator("#batches .g-batch").first
    expect(batch).to_contain_text("10 questions", timeout=MADE)
    expect(batch.locator(".g-state")).to_have_text("made", timeout=MADE)


def items(page: Any, address: str, query: str = "") -> list[dict[str, Any]]:
    return list(page.request.get(f"{address}/grga/annotate/items.json?{query}").json()["items"])


def opened(page: Any, address: str, key: str) -> dict[str, Any]:
    return dict(page.request.get(f"{address}/grga/annotate/items/{key}").json())


def shown(bench: Any) -> str:
    return str(bench.locator(".g-item").get_attribute("data-key"))


def press(page: Any, bench: Any, key: str) -> None:
    """Give a verdict by one key and wait for the next item, or for the end."""
    before = shown(bench)
    page.keyboard.press(key)
    expect(bench.locator(f".g-item[data-key='{before}']")).to_have_count(0, timeout=20_000)
    expect(bench.locator(".g-item, .g-bench-none").first).to_be_visible()


def cohen(first: list[str], second: list[str]) -> float:
    """Cohen's kappa from its definition: agreement beyond what the two's habits give by chance."""
    n, kinds = len(first), set(first) | set(second)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    expected = sum(first.count(kind) * second.count(kind) for kind in kinds) / n**2
    return (observed - expected) / (1 - expected)


Visit = Callable[..., Any]


@pytest.fixture
def said_to() -> Callable[[Any], list[str]]:
    """Return a function that collects everything the server tells a page about items."""

    def listen(page: Any) -> list[str]:
        told: list[str] = []
        page.on(
            "response",
            lambda reply: told.append(reply.text()) if "/grga/annotate/next" in reply.url else None,
        )
        return told

    return listen


def test_two_verify_blind_a_third_settles_and_the_agreement_is_right(
    app: Any, visit: Visit, said_to: Any, tmp_path: Path, picture: Any
) -> None:
    ana, ben, cleo = visit(), visit(), visit()
    generate(ana)
    made = items(ana, app.address)
    assert len(made) == 5 * PER_TYPE
    details = {one["key"]: opened(ana, app.address, one["key"]) for one in made}
    lengths = {
        key: one["evidence"][0]["end"] - one["evidence"][0]["start"]
        for key, one in details.items()
        if len(one["evidence"]) == 1
    }
    moved = max(lengths, key=lambda key: lengths[key])  # Ben cuts its evidence
    others = [one["key"] for one in made if one["key"] != moved]
    rejected_by_one, edited, rejected = others[:3]
    steps = math.ceil(0.3 * lengths[moved])  # of a second each

    # Ana accepts all but one that she corrects and one that she rejects.
    bench = begin(ana, "Verify", "Ana Quist")
    verdicts: dict[str, dict[str, str]] = {"ana": {}, "ben": {}}
    for number in range(10):
        expect(bench.locator(".g-count")).to_have_text(f"{number} of 10")
        key = shown(bench)
        if key == edited:
            ana.keyboard.press("e")
            bench.get_by_label("Answer").fill(
                "a better answer, sadly rare"
            )  # letters that are keys elsewhere
            assert shown(bench) == key
            ana.keyboard.press("Escape")
            expect(bench.locator(".g-item-answer")).to_have_text("a better answer, sadly rare")
            press(ana, bench, "a")
            verdicts["ana"][key] = "edit"
        elif key == rejected:
            ana.keyboard.press("r")
            press(ana, bench, "3")
            verdicts["ana"][key] = "reject"
        else:
            press(ana, bench, "a")
            verdicts["ana"][key] = "accept"
    expect(bench.locator(".g-bench-none")).to_contain_text("You are done")

    # Ben, who is told nothing of Ana, rejects one more and moves the evidence of another.
    told = said_to(ben)
    bench = begin(ben, "Verify", "Ben")
    for _ in range(10):
        expect(bench.locator(".g-item")).to_be_visible()
        key = shown(bench)
        if key in (rejected_by_one, rejected):
            ben.keyboard.press("r")
            press(ben, bench, "2")
            verdicts["ben"][key] = "reject"
        elif key == moved:
            expect(bench.locator(".g-meter b")).to_have_text("1.00")
            for _ in range(steps):
                ben.keyboard.press("Shift+ArrowRight")
            iou = (lengths[moved] - steps) / lengths[moved]
            expect(bench.locator(".g-meter b")).to_have_text(f"{iou:.2f}")
            expect(bench.locator(".g-meter")).to_have_class(re.compile("warn"))
            press(ben, bench, "a")
            verdicts["ben"][key] = "accept"
        else:
            press(ben, bench, "a")
            verdicts["ben"][key] = "accept"
    expect(bench.locator(".g-bench-none")).to_contain_text("You are done")
    assert len(told) >= 10
    assert not [one for one in told if "Ana" in one or "better answer" in one]

    # Ana has judged all of them and cannot settle any.
    open_page(ana, "Adjudicate")
    expect(ana.locator("grga-settle .g-bench-none")).to_contain_text("Nothing for you to settle")

    # Cleo settles the three; she sees versions, not names.
    bench = begin(cleo, "Adjudicate", "Cleo")
    settled = []
    for left in (3, 2, 1):
        expect(bench.locator(".g-version")).to_have_count(2)
        expect(bench.locator(".g-count")).to_have_text(f"{3 - left} of 3")
        assert "Ana" not in bench.inner_text()
        key = shown(bench)
        settled.append(key)
        if key == moved:
            picture(cleo, "annotate-adjudicate")
            drag_start(cleo, bench, 0.5)
            start = float(bench.locator("[data-handle='0-start']").get_attribute("aria-valuenow"))
            press(cleo, bench, "a")
        elif key == edited:
            mine = bench.locator(".g-version").filter(has_text="edits")
            mine.get_by_role("button", name=re.compile("Take")).click()
            expect(bench.locator(".g-item-answer")).to_have_text("a better answer, sadly rare")
            press(cleo, bench, "a")
        else:
            press(cleo, bench, "a")
    expect(bench.locator(".g-bench-none")).to_contain_text("No disputes")
    assert sorted(settled) == sorted([moved, edited, rejected_by_one])

    after = {one["key"]: opened(cleo, app.address, one["key"]) for one in made}
    assert {key for key, one in after.items() if one["status"] == "rejected"} == {rejected}
    assert sum(one["status"] == "accepted" for one in after.values()) == 9
    assert {after[key]["verifier"] for key in settled} == {"Cleo"}
    assert after[edited]["answer"] == "a better answer, sadly rare"
    assert after[moved]["evidence"][0]["start"] == pytest.approx(start, abs=0.01)
    assert after[moved]["evidence"][0]["start"] > details[moved]["evidence"][0]["start"] + 0.3

    # The numbers on the page are those of the definitions.
    open_page(cleo, "Agreement")
    agreement = cleo.locator(".g-measures")
    kappa = cohen(*([verdicts[who][one["key"]] for one in made] for who in ("ana", "ben")))
    between = (7 + iou) / 8  # one item has one acceptance, one none
    expect(measure(agreement, "Cohen's kappa of Ana Quist and Ben")).to_have_text(f"{kappa:.3f}")
    expect(measure(agreement, "mean IoU of two annotators")).to_have_text(f"{between:.3f}")
    expect(cleo.locator(".g-report").first).to_contain_text("offline generator")
    picture(cleo, "annotate-agreement")

    take_out_and_in(app, visit, cleo, tmp_path)


def measure(agreement: Any, name: str) -> Any:
    return agreement.locator("li").filter(has_text=name).locator("b.g-num")


def drag_start(page: Any, bench: Any, share: float) -> None:
    """Drag the start of the first piece of evidence towards its end, by a share of the way."""
    knob = bench.locator("[data-handle='0-start'] .g-knob")
    knob.hover()  # waits until it stands still and nothing lies over it
    first = knob.bounding_box()
    last = bench.locator("[data-handle='0-end'] .g-knob").bounding_box()
    x, y = first["x"] + first["width"] / 2, first["y"] + first["height"] / 2
    page.mouse.down()
    page.mouse.move(x + share * (last["x"] - first["x"]), y, steps=8)
    page.mouse.up()


def take_out_and_in(app: Any, visit: Visit, page: Any, folder: Path) -> None:
    """Export, import into a fresh home, export again: the same bytes."""
    open_page(page, "Items")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSONL").click()
    file = folder / "out.jsonl"
    download.value.save_as(file)
    assert len(file.read_bytes().splitlines()) == 10
    assert {json.loads(line)["status"] for line in file.read_bytes().splitlines()} == {"accepted", "rejected"}

    fresh = type(app)(folder / "home").start()
    try:
        other = page.context.browser.new_page()
        other.goto(fresh.address)
        open_page(other, "Items")
        other.locator("#g-import").set_input_files(str(file))
        expect(other.locator(".g-item-said")).to_contain_text("10 added, 0 replaced, 0 here already.")
        expect(other.locator(".g-item-list > li")).to_have_count(10)
        again = other.request.get(f"{fresh.address}/grga/annotate/export/jsonl").body()
        other.close()
    finally:
        fresh.stop()
    assert again == file.read_bytes()


def test_a_verdict_survives_a_kill_of_the_server(app: Any, visit: Visit) -> None:
    page = visit()
    generate_if_needed(page, app.address)
    bench = begin(page, "Verify", "Dora")
    expect(bench.locator(".g-item")).to_be_visible()
    first = shown(bench)
    press(page, bench, "a")
    second = shown(bench)

    app.kill()
    page.keyboard.press("a")
    expect(bench.locator(".g-saved")).to_contain_text("not saved yet")
    app.start()
    expect(bench.locator(f".g-item[data-key='{second}']")).to_have_count(0, timeout=60_000)
    page.troubles.clear()  # the page lost its server
    page.goto(app.address)
    page.troubles.clear()
    open_page(page, "Verify")
    expect(bench.locator(".g-count")).to_have_text(re.compile("^2 of"))
    assert shown(bench) not in (first, second)
    page.keyboard.press("u")
    expect(bench.locator(f".g-item[data-key='{second}']")).to_be_visible()
    page.troubles.clear()


def generate_if_needed(page: Any, address: str) -> None:
    if not items(page, address, "status=proposed"):
        generate(page)


def test_the_evidence_plays_on_arrival_and_keys_do_everything(app: Any, visit: Visit) -> None:
    page = visit()
    generate_if_needed(page, app.address)
    bench = begin(page, "Verify", "Kay")
    start, end = (bench.locator(f"[data-handle='0-{edge}']") for edge in ("start", "end"))
    expect(start).to_be_visible()
    page.wait_for_function("heard.some(([name]) => name === 'playing')")
    assert page.evaluate("heard.find(([name]) => name === 'playing')[1]") == pytest.approx(
        value(start), abs=0.5
    )
    page.keyboard.press("Space")
    page.wait_for_function("heard.at(-1)[0] === 'pause'")

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("a")  # no verdict while the dialog is open
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard")).to_have_count(0)

    before = value(start)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert value(start) == pytest.approx(before + 0.3, abs=0.011)
    page.keyboard.press("[")  # at the playhead, which is near where the evidence begins
    assert value(start) == pytest.approx(
        page.evaluate("document.querySelector('#grga-audio').currentTime"), abs=0.011
    )
    end.focus()
    before = value(end)
    page.keyboard.press("ArrowLeft")
    assert value(end) == pytest.approx(before - 0.1, abs=0.011)
    field = bench.locator(".g-time-field").nth(1)
    field.focus()
    page.keyboard.type("aer")  # letters in a field are letters
    field.fill(f"{before + 0.2:.1f}")
    field.press("Enter")
    assert value(end) == pytest.approx(before + 0.2, abs=0.06)

    key = shown(bench)
    page.keyboard.press("e")
    bench.get_by_label("Question", exact=True).fill("Is this kept?")
    page.reload()
    open_page(page, "Verify")
    expect(bench.locator(".g-bench-notice")).to_contain_text("Your changes to this question are still here")
    expect(bench.locator(".g-item-question")).to_have_text("Is this kept?")
    assert shown(bench) == key
    page.keyboard.press("r")
    expect(bench.locator(".g-verdicts.reasons button")).to_have_count(7)
    page.keyboard.press("Escape")
    expect(bench.get_by_role("button", name="Accept with changes")).to_be_visible()
    press(page, bench, "s")


def value(handle: Any) -> float:
    return float(handle.get_attribute("aria-valuenow"))


def test_a_question_that_is_settled_meanwhile_leaves_a_way_on(app: Any, visit: Visit) -> None:
    page = visit()
    generate_if_needed(page, app.address)
    bench = begin(page, "Verify", "Late")
    expect(bench.locator(".g-item")).to_be_visible()
    key = shown(bench)
    for name in ("Early 1", "Early 2"):
        posted = {
            "name": name,
            "key": key,
            "verdict": {"kind": "reject", "reason": "trivial", "seconds": 1.5},
        }
        page.request.post(f"{app.address}/grga/annotate/release", data={"name": "Late"})
        page.request.post(f"{app.address}/grga/annotate/verdict", data=posted)
    page.keyboard.press("a")
    expect(bench.get_by_role("alert")).to_contain_text("no longer open")
    bench.get_by_role("button", name="Next question").click()
    expect(bench.locator(f".g-item[data-key='{key}']")).to_have_count(0)
    page.troubles.clear()  # the browser notes the refusal


def test_an_answer_of_ask_is_waiting_in_annotate(visit: Visit) -> None:
    page = visit()
    example = page.locator("#examples .g-chip").first
    question = example.inner_text()
    example.click()
    send = page.get_by_role("button", name="To Annotate")
    expect(send).to_be_visible(timeout=60_000)
    send.click()
    expect(page.get_by_text("It is in Annotate now, waiting to be verified.")).to_be_visible(timeout=30_000)
    open_page(page, "Items")
    row = page.locator(".g-item-row").filter(has_text=question).filter(has_text="ask")
    expect(row).to_be_visible()


def test_hostile_words_are_shown_as_typed(app: Any, visit: Visit) -> None:
    hostile = "<img src=x onerror=alert(1)> ${alert(1)} {{7*7}} \\ </script><b>bold</b>"
    page = visit()
    meeting = page.request.get(f"{app.address}/grga/annotate/setup.json").json()["meetings"][0]["id"]
    lines = page.request.get(f"{app.address}/grga/meetings/{meeting}/transcript.json").json()["lines"]
    mark = {"utt_id": 0, "start": lines[0][0], "end": lines[0][1]}
    reply = page.request.post(
        f"{app.address}/grga/annotate/items",
        data={
            "name": hostile[:28],
            "meeting": meeting,
            "type": "factual",
            "subtask": "keyword locating",
            "question": hostile,
            "answer": hostile,
            "marks": [mark],
            "batch": "hostile",
        },
    )
    assert reply.ok, reply.text()
    open_page(page, "Items")
    row = page.locator(".g-item-row").filter(has_text="{{7*7}}")
    expect(row.locator("b")).to_have_text(hostile)
    row.click()
    expect(page.locator(".g-item-more .g-item-answer")).to_have_text(hostile)
    assert page.locator("grga-items img").count() == 0


PARTS = {
    "Verify": "grga-verify .g-checks i",
    "Generate": "#batches .g-batch",
    "Adjudicate": "grga-settle .g-item, grga-settle .g-bench-none",
    "Agreement": "#agreement-shown section",
    "Items": ".g-item-list .g-item-row",
    "Guide": "grga-guidelines h2",
}
"""What is there once a page has been filled."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_annotate_has_a_serious_finding(app: Any, visit: Visit, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    page = visit(color_scheme=scheme, viewport={"width": 1440, "height": 1000})
    generate_if_needed(page, app.address)
    bench = begin(page, "Verify", "Axel")
    expect(bench.locator(".g-checks i").first).to_be_visible(timeout=60_000)
    found: dict[str, list[str]] = {}
    for name, part in PARTS.items():
        open_page(page, name)
        expect(page.locator(part).first).to_be_visible()
        for one in axe.Axe().run(page).response["violations"]:
            if one["impact"] in ("serious", "critical"):
                found.setdefault(name, []).extend(
                    f"{one['id']}: {node['html'][:160]}" for node in one["nodes"]
                )
    assert found == {}


@pytest.mark.parametrize("width", [1440, 768, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_verify_page_fits_every_width(
    app: Any, visit: Visit, picture: Any, width: int, scheme: str
) -> None:
    page = visit(viewport={"width": width, "height": 900}, color_scheme=scheme)
    generate_if_needed(page, app.address)
    open_page_narrow(page)
    bench = page.locator("grga-verify")
    bench.get_by_label("Your name").fill("Wide")
    bench.get_by_label("Your name").press("Enter")
    expect(bench.locator(".g-checks i").first).to_be_visible(timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture(page, f"annotate-verify-{width}-{scheme}")


def open_page_narrow(page: Any) -> None:
    page.get_by_role("tab", name="Annotate", exact=True).click()
    page.get_by_role("tab", name="Verify", exact=True).click()

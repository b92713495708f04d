"""A blind study as people live it: raters on phones, a crash in the middle, and what comes out at the end.

The study is made on the bundled sample meeting, so that its clips really sound.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from eval.human.desk import Desk
from grga.errors import StudyError

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
NAMES = ("Ada", "Ben", "Cleo")
QUESTIONS = 6
ANSWERS = 2 * QUESTIONS  # two systems
SYSTEMS = ("GRGA", "Text RAG")
CRITERIA = ("Correctness", "Groundedness", "Coherence")
# Known by its words: the only thing that a rater can go by.
SCORES = {"Speaking plainly": (5, 4, 4), "In short": (2, 3, 4)}

pytestmark = pytest.mark.slow


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


class Study:
    """A study in the app's home: the links of its raters and what must stay secret."""

    def __init__(self, home: Path, key: str, questions: int, names: tuple[str, ...]) -> None:
        from eval.human.study import Candidate, Exclusion, StudyItem
        from eval.human.study import Study as Content
        from eval.records import Clip
        from grga import samples
        from grga.store import Store

        store = Store(home)
        samples.install(store)
        self.meeting = next(one.id for one in store.meetings() if "Lantern" in one.id)
        lines = [
            one for one in store.folder(self.meeting).read_meeting().utterances if 2 < one.span.duration < 4
        ]
        self.items = [f"{key}-secret-item-{number}" for number in range(questions)]
        items = tuple(
            StudyItem(
                key=item,
                question=f"What is said in part {number + 1}?",
                meeting=self.meeting,
                candidates=tuple(
                    Candidate(
                        system=system,
                        text=f"{words}, part {number + 1} is about this [1].",
                        clips=(Clip(start=line.span.start, end=line.span.end, text=line.text),),
                    )
                    for system, words in zip(SYSTEMS, SCORES, strict=True)
                ),
            )
            for (number, item), line in zip(enumerate(self.items), lines, strict=False)
        )
        rules = Exclusion(least_seconds=0, least_share=0.5)
        desk = Desk.open(home)
        title = f"Study {key}"
        desk.make(Content(key=key, title=title, items=items, seed=7, exclusion=rules))
        desk.open_study(key, "Olga", cleared=True)
        self.key, self.title = key, title
        self.tokens = {name: desk.invite(key, name) for name in names}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("human")


@pytest.fixture(scope="module")
def study(home: Path) -> Study:
    return Study(home, "blind", QUESTIONS, NAMES)


@pytest.fixture(scope="module")
def other(home: Path) -> Study:
    return Study(home, "crash", 3, ("Dora", "Eve"))


@pytest.fixture(scope="module")
def looks(home: Path) -> Study:
    return Study(home, "looks", 2, ("Finn",))


@pytest.fixture(scope="module")
def app(running: Any, home: Path, study: Study, other: Study, looks: Study) -> Any:
    return running(home)


@pytest.fixture
def traffic(browser: Any) -> Iterator[Any]:
    """Open a context whose every response is kept: ``traffic(**options)`` → (context, bodies)."""
    contexts = []

    def start(**options: Any) -> tuple[Any, list[tuple[str, bytes]]]:
        context = browser.new_context(**options)
        contexts.append(context)
        bodies: list[tuple[str, bytes]] = []

        def keep(route: Any) -> None:
            answer = route.fetch(max_redirects=0)
            bodies.append((f"{answer.url} {json.dumps(answer.headers)}", answer.body()))
            route.fulfill(response=answer)

        context.route("**/*", keep)
        return context, bodies

    yield start
    for context in contexts:
        context.close()


def rate_here(page: Any) -> None:
    """Listen, then give the scores that this answer's words call for, and wait until they are saved."""
    words = page.locator(".words").inner_text()
    given = next(scores for start, scores in SCORES.items() if words.startswith(start))
    page.locator(".play").first.click()
    expect(page.locator(".heard").first).to_contain_text("heard", timeout=15_000)
    for place, score in enumerate(given):
        page.locator(".criterion").nth(place).locator(".score").nth(score - 1).click()
    expect(page.locator(".saved", has_text="✓ saved")).to_have_count(3)


def rate_on(page: Any, number: int) -> None:
    """Rate this answer and the following ones, ``number`` in all."""
    for _ in range(number):
        at = page.locator(".count").inner_text()
        rate_here(page)
        page.locator(".foot .main").click()
        if page.locator(".count").count():
            expect(page.locator(".count")).not_to_have_text(at)


def rate_over_http(address: str, token: str) -> None:
    with httpx.Client(base_url=f"{address}/rate/{token}", timeout=60) as client:
        view = client.post("/consent", json={}).raise_for_status().json()
        while (task := view["task"]) is not None:
            [clip] = task["clips"]
            heard = {"task": task["id"], "clip": clip["id"], "seconds": clip["seconds"]}
            client.post("/heard", json=heard).raise_for_status()
            given = next(scores for start, scores in SCORES.items() if task["text"].startswith(start))
            for name, score in zip(CRITERIA, given, strict=True):
                click = {"task": task["id"], "criterion": name, "score": score}
                client.post("/score", json=click).raise_for_status()
            view = client.get("/view").raise_for_status().json()


def dashboard(visit: Any, study: Study, **options: Any) -> Any:
    page = visit(**{"viewport": {"width": 1440, "height": 1000}, **options})
    page.get_by_role("tab", name="Evaluate", exact=True).click()
    page.locator(".g-study").filter(has_text=study.title).click()
    expect(page.locator("#study-head h2")).to_have_text(study.title)
    return page


def test_three_raters_rate_blindly_and_the_table_says_what_they_gave(
    app: Any, study: Study, traffic: Any, visit: Any, picture: Any
) -> None:
    seen: list[tuple[str, bytes]] = []
    first, bodies = traffic(**PHONE)
    page = first.new_page()
    page.goto(f"{app.address}/?rate={study.tokens['Ada']}")
    page.get_by_role("button", name="I agree and begin").click()

    # Groundedness waits for the ear: neither a click nor a key gives a score.
    grounded = page.locator(".criterion").nth(1)
    expect(grounded).to_contain_text("Listen to a cited moment first.")
    grounded.locator(".score").nth(3).click(force=True)
    expect(grounded.locator("[aria-checked=true]")).to_have_count(0)
    picture(page, "rater-390-light")
    rate_on(page, 2)

    # A reload in the middle of an answer; then another browser altogether.
    page.locator(".criterion").first.locator(".score").nth(1).click()
    expect(page.locator(".saved", has_text="✓ saved")).to_have_count(1)
    page.reload()
    expect(page.locator(".count")).to_have_text(f"3 of {ANSWERS}")
    expect(page.locator(".criterion").first.locator(".score").nth(1)).to_have_attribute(
        "aria-checked", "true"
    )
    seen += bodies
    second, bodies = traffic(**PHONE, color_scheme="dark")
    page = second.new_page()
    page.goto(f"{app.address}/?rate={study.tokens['Ada']}")
    expect(page.locator(".count")).to_have_text(f"3 of {ANSWERS}")
    picture(page, "rater-390-dark")
    rate_on(page, 1)

    # Back to an earlier answer, changed and changed again by keyboard.
    page.get_by_role("button", name="Back").click()
    expect(page.locator(".count")).to_have_text(f"3 of {ANSWERS}")
    chosen = page.locator(".criterion").nth(2).locator("[aria-checked=true]")
    before = chosen.inner_text()
    chosen.focus()
    page.keyboard.press("1")
    expect(page.locator(".criterion").nth(2).locator(".score").first).to_have_attribute(
        "aria-checked", "true"
    )
    page.keyboard.press(before[0])
    expect(chosen).to_contain_text(before[2:].strip())
    expect(page.locator(".status")).to_contain_text("Everything is saved")
    page.get_by_role("button", name="Next").click()

    watching = dashboard(visit, study)
    ada = watching.locator(".g-rater").filter(has_text="Ada")
    expect(ada.locator(".g-rater-done")).to_have_text(f"3 of {ANSWERS}")
    rate_on(page, 1)
    # By itself, while we look.
    expect(ada.locator(".g-rater-done")).to_have_text(f"4 of {ANSWERS}", timeout=15_000)
    picture(watching, "dashboard-1440-light")
    for system in SYSTEMS:
        assert system not in watching.locator(".g-study-page").inner_text()

    for name in NAMES:
        rate_over_http(app.address, study.tokens[name])
    page.reload()
    expect(page.get_by_role("heading")).to_have_text("Thank you. That was everything.")
    with page.expect_download() as loading:
        page.get_by_role("link", name="Download my scores").click()
    export = Path(loading.value.path()).read_text("utf-8")
    assert len(list(csv.DictReader(io.StringIO(export)))) == ANSWERS * len(CRITERIA)
    seen += [*bodies, ("export", export.encode()), ("page", page.content().encode())]
    assert len(seen) > 20
    for address, body in seen:
        for secret in (*SYSTEMS, "grga", study.meeting, *study.items, "secret-item"):
            assert secret.encode() not in body, (secret, address)
            assert secret not in address

    # Closed and unblinded, each asked for twice; then the figures, and the same by hand.
    expect(watching.locator(".g-rater .g-state", has_text="finished")).to_have_count(3, timeout=15_000)
    for step in ("Close the study…", "Unblind and analyse…"):
        watching.locator(".g-sure summary", has_text=step).click()
        watching.locator(".g-danger").click()
    expect(watching.locator(".g-result").first).to_be_visible(timeout=60_000)
    rows = {
        row.locator("th").inner_text(): [cell.inner_text() for cell in row.locator("td").all()]
        for row in watching.locator(".g-result").first.locator("tbody tr:not(.paper)").all()
    }
    for system, given in zip(SYSTEMS, SCORES.values(), strict=True):
        means = [float(cell.split()[0]) for cell in rows[f"meetings, {system}"]]
        assert means[:4] == [*given, round(sum(given) / 3, 2)]
    paper = watching.locator(".g-result tr.paper th").all_inner_texts()
    assert paper
    assert all("reported by the paper" in name for name in paper)
    picture(watching, "results-1440-light")
    raw = httpx.get(f"{app.address}/grga/evaluate/{study.key}/scores.csv").raise_for_status().text
    scores = list(csv.DictReader(io.StringIO(raw)))
    assert len(scores) == len(NAMES) * ANSWERS * len(CRITERIA)
    for row in scores:
        system = SYSTEMS.index(row["system"])
        assert int(row["score"]) == list(SCORES.values())[system][CRITERIA.index(row["criterion"])]


def test_every_acknowledged_click_outlives_a_crash_and_a_lost_database(
    app: Any, other: Study, visit: Any
) -> None:
    page = visit(f"?rate={other.tokens['Dora']}", **PHONE)
    page.get_by_role("button", name="I agree and begin").click()
    rate_on(page, 1)
    page.locator(".criterion").first.locator(".score").nth(3).click()
    expect(page.locator(".saved", has_text="✓ saved")).to_have_count(1)

    app.kill()
    # The click without a server stays in the browser, and the page says so.
    page.locator(".criterion").nth(2).locator(".score").nth(2).click()
    expect(page.locator(".status")).to_have_text("Not saved yet: trying again")
    for file in app.home.glob("grga.db*"):
        os.remove(file)
    app.start()
    expect(page.locator(".saved", has_text="✓ saved")).to_have_count(2, timeout=60_000)
    page.reload()
    expect(page.locator(".count")).to_have_text("2 of 6")
    expect(page.locator(".criterion").first.locator(".score").nth(3)).to_have_attribute(
        "aria-checked", "true"
    )
    expect(page.locator(".criterion").nth(2).locator(".score").nth(2)).to_have_attribute(
        "aria-checked", "true"
    )
    page.troubles.clear()  # the page lost its server
    mine = httpx.get(f"{app.address}/rate/{other.tokens['Dora']}/my-ratings.csv").raise_for_status().text
    assert len(list(csv.DictReader(io.StringIO(mine)))) == 5


def test_what_is_not_allowed_is_refused_in_a_sentence_and_kept(app: Any, other: Study, visit: Any) -> None:
    dora, eve = (f"{app.address}/rate/{other.tokens[name]}" for name in ("Dora", "Eve"))
    task = httpx.post(f"{dora}/consent", json={}).json()["task"]["id"]
    own = httpx.post(f"{eve}/consent", json={}).json()["task"]["id"]
    click = {"task": task, "criterion": "Correctness", "score": 3}
    forged = httpx.get(f"{eve[:-4]}AAAA/view")
    assert forged.status_code == 403
    assert "this link is not valid" in forged.json()["error"]
    others = httpx.post(f"{eve}/score", json=click)
    assert others.status_code == 409
    assert "not one of your answers" in others.json()["error"]
    nine = httpx.post(f"{eve}/score", json={**click, "task": own, "score": 9})
    assert nine.status_code == 409
    assert "the score 9 cannot be given" in nine.json()["error"]
    deaf = httpx.post(f"{eve}/score", json={**click, "task": own, "criterion": "Groundedness"})
    assert "listen to a cited moment first" in deaf.json()["error"]

    page = dashboard(visit, other)
    page.locator(".g-sure summary").click()
    page.locator(".g-danger").click()
    expect(page.locator("#study-head .g-badge")).to_have_text("closed")
    late = httpx.post(f"{eve}/score", json={**click, "task": own})
    assert "this study is closed" in late.json()["error"]

    refused = page.locator(".g-refusals")
    expect(refused.locator("summary")).to_contain_text("4 attempts were refused")
    refused.locator("summary").click()
    for reason in (
        "not one of your answers",
        "the score 9",
        "listen to a cited moment",
        "this study is closed",
    ):
        expect(refused).to_contain_text(reason)
    journal = (app.home / "human" / "journal.jsonl").read_text("utf-8")
    assert "this link is not valid" in journal


def grave(page: Any) -> list[tuple[str, str]]:
    """Return what axe-core calls serious or critical: rule and where."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    found = axe.Axe().run(page).response["violations"]
    return [
        (one["id"], node["html"][:200])
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_have_no_serious_finding(
    home: Path, study: Study, looks: Study, visit: Any, picture: Any, scheme: str
) -> None:
    desk = Desk.open(home)
    with suppress(StudyError):  # done already when the story above was told first
        desk.close(study.key, "Olga")
        desk.unblind(study.key, "Olga")
    rater = visit(f"?rate={looks.tokens['Finn']}", **PHONE, color_scheme=scheme)
    expect(rater.get_by_role("heading", level=1)).to_be_visible()
    begin = rater.get_by_role("button", name="I agree and begin")
    if begin.count():
        assert grave(rater) == []
        begin.click()
    expect(rater.locator(".words")).to_be_visible()
    assert grave(rater) == []
    for width in (1440, 768, 390):
        page = dashboard(visit, study, viewport={"width": width, "height": 900}, color_scheme=scheme)
        expect(page.locator(".g-result").first).to_be_visible(timeout=60_000)
        assert grave(page) == []
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) <= 0
        picture(page, f"results-{width}-{scheme}")
    page = dashboard(visit, looks, viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    assert grave(page) == []
    page.get_by_role("tab", name="New study", exact=True).click()
    expect(page.locator("#study-make")).to_be_visible()
    for title in ("Criteria", "Options", "When a rater does not count"):
        page.locator("#study-form").get_by_role("button", name=title, exact=False).first.click()
    assert grave(page) == []
    picture(page, f"new-study-1440-{scheme}")


def test_a_study_is_made_cleared_opened_and_shared_in_the_tab(
    visit: Any, study: Study, tmp_path: Path
) -> None:
    answers = tmp_path / "answers.jsonl"
    rows = [
        {"item": f"n{number}", "question": f"What, number {number}?", "system": system, "text": text}
        for number in range(3)
        for system, text in (("blue", "It was settled."), ("green", "As an AI, I think it was settled."))
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    page = visit(viewport={"width": 1440, "height": 1000})
    page.get_by_role("tab", name="Evaluate", exact=True).click()
    page.get_by_role("tab", name="New study", exact=True).click()
    page.locator("#study-make").click()
    expect(page.locator("#study-form-said [role=alert]")).to_contain_text("There are no answers yet")
    page.locator("#study-title textarea, #study-title input").fill("Made by hand")
    page.locator("#study-files input[type=file]").set_input_files(str(answers))
    expect(page.locator("#study-preview")).to_contain_text("3 questions, each answered by blue, green")
    page.locator("#study-make").click()

    expect(page.locator("#study-head h2")).to_have_text("Made by hand")
    expect(page.locator(".g-findings li").first).to_contain_text("speaks of itself")
    page.locator("#study-open").click()
    expect(page.locator("#study-said [role=alert]")).to_contain_text("may tell raters")
    page.locator("#study-cleared input").check()
    page.locator("#study-open").click()
    expect(page.locator("#study-head .g-badge")).to_have_text("open")
    page.locator("#study-names textarea").fill("Gwen\nHugo")
    page.locator("#study-invite").click()
    expect(page.locator(".g-rater")).to_have_count(2)
    link = page.get_by_role("textbox", name="Link of Gwen").input_value()
    page.get_by_role("button", name="Revoke the link of Hugo").click()
    expect(page.locator(".g-rater").nth(1)).to_contain_text("revoked")
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("Made by hand")

"""Several visitors at once: nobody sees another's questions, and nobody's answer is lost or mixed up."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

ANSWERED = 120_000  # milliseconds, for the last of twenty on a small machine
ASKERS = 20

pytestmark = pytest.mark.slow


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


def begin(page: Any, question: str) -> None:
    expect(page.locator("grga-timeline")).to_be_visible()
    page.locator("#question textarea").fill(question)
    page.locator("#ask").click()


def answered(page: Any) -> None:
    expect(page.locator("#answer .g-acts")).to_be_visible(timeout=ANSWERED)


def listed(page: Any) -> list[str]:
    return list(page.locator("#history .g-asked b").all_text_contents())


def test_two_visitors_never_see_each_others_questions(visit: Any) -> None:
    rosa, imran = visit(), visit()
    begin(rosa, "What price did Henry first name for the hall?")
    begin(imran, "What is the name of the donkey?")
    for page in (rosa, imran):
        answered(page)
    assert listed(rosa) == ["What price did Henry first name for the hall?"]
    assert listed(imran) == ["What is the name of the donkey?"]
    for page, mine, other in ((rosa, "pounds", "donkey"), (imran, "biscuit", "hall")):
        page.reload()
        answered(page)
        expect(page.locator("#evidence")).to_contain_text(mine, ignore_case=True)
        expect(page.locator("#history")).not_to_contain_text(other)
    # Rating, forgetting and the list are by visitor; a link alone gives the answer and nothing else.
    token = str(re.search(r"answer=([\w-]+)", rosa.url)[1])
    imran.goto(rosa.url)
    answered(imran)
    expect(imran.locator(".g-thumb")).to_have_count(0)
    expect(imran.locator(f"#history [data-id='{token}']")).to_have_count(0)
    imran.locator("#history .g-clear summary").evaluate("node => { node.parentElement.open = true; }")
    imran.locator("#history").evaluate("node => { node.querySelector('details').open = true; }")
    imran.get_by_role("button", name="Delete all 1 for good").click()
    expect(imran.locator("#history .g-asked")).to_have_count(0)
    rosa.reload()
    answered(rosa)
    assert listed(rosa) == ["What price did Henry first name for the hall?"]


def test_twenty_askers_at_once_each_get_their_own_answer(app: Any) -> None:
    """Twenty sessions without a browser each, so that the test measures the app and not twenty Chromiums."""
    from gradio_client import Client

    meeting = next(one.name for one in (app.home / "meetings").iterdir() if "Lantern" in one.name)
    clients = [Client(app.address, verbose=False, httpx_kwargs={"timeout": 120}) for _ in range(ASKERS)]
    together = Barrier(ASKERS)

    def ask(place: int) -> dict[str, Any]:
        together.wait()
        question = f"What is said at {60 + 8 * place} seconds?"
        answer = clients[place].predict(question, meeting=meeting, api_name="/ask_meeting")
        assert answer["question"] == question
        return dict(answer)

    with ThreadPoolExecutor(ASKERS) as pool:
        answers = list(pool.map(ask, range(ASKERS)))
    assert len({answer["answer"] for answer in answers}) > ASKERS // 2
    assert all(answer["citations"] for answer in answers)

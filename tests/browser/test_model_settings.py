"""A visitor sets up a model server in the page, tests it, asks with it, and leaves it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SERVER = Path(__file__).resolve().parents[1] / "grga" / "llm" / "scripted_server.py"
DECOMPOSITION = {
    "entities": ["donkey"],
    "concepts": [],
    "times": [],
    "speakers": [],
    "question_type": "factual",
    "subtask": "keyword locating",
    "form": "what",
    "acoustic": [],
    "language": "en",
}
SEARCH = {"tool": "keyword_search", "arguments": {"query": "donkey"}, "result": "r1"}
SCRIPT = {
    "models": ["large", "scripted"],
    "audio": False,
    "audio_url": False,
    "replies": {
        "probe": [{"ready": True}],
        "decompose": [DECOMPOSITION],
        "plan": [{"goal": "find the donkey", "calls": [SEARCH]}],
        "answer": [{"found": True, "sentences": ["A model wrote about the donkey [utt 2]."]}],
        "reflection": [{"score": 5, "critique": "It is there.", "missing": [], "weak": []}],
        "*": ["Yes."],
    },
}


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


@pytest.fixture
def model_server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that plays a script."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    process = subprocess.Popen([sys.executable, str(SERVER), str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield f"http://127.0.0.1:{process.stdout.readline().split()[1]}/v1"
    process.kill()
    process.wait(timeout=30)
    process.stdout.close()


def settings(page: Any) -> Any:
    """Open the panel and return what says how things are."""
    page.locator("#model-settings > button").click()
    expect(page.locator("#model-now")).to_contain_text("Fixed rules answer")
    return page.locator("#model-said .g-notice")


def test_a_visitor_tests_and_uses_a_model(
    page: Any, model_server: str, picture: Callable[[Any, str], Path]
) -> None:
    lines = settings(page)
    page.locator("#model-address input, #model-address textarea").fill(model_server)
    page.locator("#model-test").click()
    expect(lines).to_have_text("The server offers several models (large, scripted): choose one above.")
    page.locator("#model-name input").click()
    page.get_by_role("option", name="scripted").click()
    page.locator("#model-key input").fill("visitor-secret")
    page.locator("#model-test").click()
    expect(lines).to_have_count(4, timeout=20_000)
    for line, said in enumerate(
        ["The server answers and offers", "It replies:", "(json_schema)", "It does not hear"]
    ):
        expect(lines.nth(line)).to_contain_text(said)
    picture(page, "model-settings")
    page.locator("#model-use").click()
    expect(page.locator("#model-now")).to_contain_text(f"Answers come from scripted at {model_server}")
    page.locator("#question textarea").fill("What about the donkey?")
    page.locator("#ask").click()
    expect(page.locator("#answer")).to_contain_text("A model wrote about the donkey", timeout=30_000)
    page.locator("#model-leave").click()
    expect(page.locator("#model-now")).to_contain_text("Fixed rules answer")


def test_what_is_wrong_is_said_calmly(page: Any) -> None:
    lines = settings(page)
    page.locator("#model-address input, #model-address textarea").fill("http://127.0.0.1:9/v1")
    page.locator("#model-test").click()
    expect(lines).to_contain_text("Nothing answers at http://127.0.0.1:9/v1: check the address")
    page.locator("#model-use").click()
    expect(lines).to_contain_text("Nothing answers at http://127.0.0.1:9/v1")
    expect(page.locator("#model-now")).to_contain_text("Fixed rules answer")


def test_a_preset_fills_in_the_address(page: Any) -> None:
    settings(page)
    page.locator("#model-preset").get_by_text("Ollama").click()
    address = page.locator("#model-address input, #model-address textarea")
    expect(address).to_have_value("http://127.0.0.1:11434/v1")


def test_a_host_may_switch_it_off(app: Any, browser: Any, tmp_path: Path) -> None:
    closed = type(app)(tmp_path / "home", environment={"GRGA_UI__VISITOR_MODELS": "off"}).start()
    tab = browser.new_page()
    try:
        tab.goto(closed.address)
        tab.locator("#model-settings > button").click()
        expect(tab.locator("#model-settings")).to_contain_text("takes no model servers from visitors")
        expect(tab.locator("#model-test")).to_be_hidden()
    finally:
        tab.close()
        closed.stop()

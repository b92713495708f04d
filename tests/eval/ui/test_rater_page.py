"""The rater's page by itself: what is served to whom, and what it never says."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from eval.ui import rater_page
from eval.ui.rater_page import RaterLink
from grga.ui.texts import FOLDER


@pytest.fixture
def client() -> TestClient:
    async def tabs(request: object) -> PlainTextResponse:
        return PlainTextResponse("the four tabs")

    app = Starlette(routes=[*rater_page.routes(), Route("/", tabs)], middleware=[Middleware(RaterLink)])
    return TestClient(app)


def test_a_link_to_the_app_leads_to_the_raters_page(client: TestClient) -> None:
    answer = client.get("/?rate=abc.def", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "rate/abc.def")
    assert "the four tabs" not in client.get("/?rate=abc.def").text


def test_a_token_cannot_lead_anywhere_else(client: TestClient) -> None:
    answer = client.get("/?rate=//evil.example/x", follow_redirects=False)
    assert answer.headers["location"] == "rate/%2F%2Fevil.example%2Fx"


@pytest.mark.parametrize("path", ["/", "/?rate=", "/?celebrate=yes"])
def test_everybody_else_gets_the_tabs(client: TestClient, path: str) -> None:
    assert client.get(path).text == "the four tabs"


@pytest.mark.parametrize(
    "path", ["/rate/abc", "/rate/rater.js", "/rate/style/rate.css", "/rate/style/tokens.css"]
)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_nothing_that_is_served_names_the_app_or_a_system(
    client: TestClient, path: str, language: str
) -> None:
    answer = client.get(path, headers={"Accept-Language": language}).raise_for_status()
    for name in ("grga", "text rag", "text_rag", "qwen"):
        assert name not in answer.text.casefold()


def test_the_page_speaks_the_raters_language(client: TestClient) -> None:
    chinese = {"Accept-Language": "zh-CN,zh;q=0.9"}
    assert '<html lang="zh-CN">' in client.get("/rate/abc", headers=chinese).text
    assert "我同意，开始" in client.get("/rate/rater.js", headers=chinese).text
    assert "我同意，开始" not in client.get("/rate/rater.js", headers={"Accept-Language": "en"}).text


def test_its_sentences_are_in_its_own_catalogue() -> None:
    import json
    import re

    lines = json.loads((FOLDER / "rate.json").read_text("utf-8"))
    for file in Path(rater_page.__file__).parent.glob("*.js"):
        script = file.read_text("utf-8")
        said = re.findall(r'\btext\("([^"]+)"', script) + re.findall(r'\? "([^"]+)" : "', script)
        missing = [line for line in said if " " in line and line not in lines]
        assert missing == [], file.name


def test_a_page_may_run_its_own_script_only(client: TestClient) -> None:
    policy = client.get("/rate/abc").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy

"""With users configured, our own addresses ask for the login that Gradio's ask for."""

from __future__ import annotations

from collections.abc import Iterator

import gradio as gr
import pytest
from gradio.routes import App
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from grga.config import load_config
from grga.errors import ConfigError
from grga.ui.guard import Guard, pairs

PRIVATE = ("/grga/audio/standup", "/grga/export/standup/txt", "/gradio_api/mcp/", "/gradio_api/mcp/schema")
FOR_THE_LOGIN_PAGE = ("/grga/style/app.css", "/grga/style/fonts/inter.woff2", "/grga/timeline.js")


def client(auth: list[tuple[str, str]] | None) -> Iterator[TestClient]:
    async def here(request: Request) -> PlainTextResponse:
        return PlainTextResponse("here")

    with gr.Blocks() as page:
        gr.HTML("The page")
    page.auth = auth
    routes = [Route(path, here) for path in (*PRIVATE, *FOR_THE_LOGIN_PAGE)]
    made = App.create_app(page, app_kwargs={"routes": routes, "middleware": [Middleware(Guard)]})
    with TestClient(made, base_url="https://testserver") as running:
        yield running


@pytest.fixture
def closed() -> Iterator[TestClient]:
    yield from client([("rosa", "s3cret"), ("ben", "with:colon")])


@pytest.fixture
def opened() -> Iterator[TestClient]:
    yield from client(None)


@pytest.mark.parametrize("path", PRIVATE)
def test_nobody_known_gets_401(closed: TestClient, path: str) -> None:
    refused = closed.get(path)
    assert (refused.status_code, refused.text) == (401, "Log in first.")
    assert closed.get(path, headers={"Cookie": "access-token-x=guess"}).status_code == 401


@pytest.mark.parametrize("path", PRIVATE)
def test_whoever_logs_in_at_the_page_gets_all_of_it(closed: TestClient, path: str) -> None:
    wrong = closed.post("/login", data={"username": "rosa", "password": "guess"})
    assert wrong.status_code == 400
    assert closed.get(path).status_code == 401
    assert closed.post("/login", data={"username": "rosa", "password": "s3cret"}).status_code == 200
    assert closed.get(path).status_code == 200
    closed.get("/logout", follow_redirects=False)
    assert closed.get(path).status_code == 401


@pytest.mark.parametrize(
    ("user", "password", "status"),
    [("rosa", "s3cret", 200), ("ben", "with:colon", 200), ("rosa", "guess", 401), ("eve", "s3cret", 401)],
)
def test_a_program_may_send_its_password_each_time(
    closed: TestClient, user: str, password: str, status: int
) -> None:
    assert closed.get(PRIVATE[0], auth=(user, password)).status_code == status


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic /w==", "Bearer cm9zYTpzM2NyZXQ="])
def test_a_broken_header_is_nobody(closed: TestClient, header: str) -> None:
    assert closed.get(PRIVATE[0], headers={"Authorization": header}).status_code == 401


@pytest.mark.parametrize("path", FOR_THE_LOGIN_PAGE)
def test_the_login_page_gets_its_looks(closed: TestClient, path: str) -> None:
    assert closed.get(path).status_code == 200


def test_without_users_nobody_is_asked(opened: TestClient) -> None:
    assert [opened.get(path).status_code for path in PRIVATE] == [200] * len(PRIVATE)


def test_users_come_from_the_settings() -> None:
    users = load_config(environment={"GRGA_UI__AUTH": "rosa:s3cret, ben:with:colon"}).ui.auth
    assert pairs(users) == [("rosa", "s3cret"), ("ben", "with:colon")]
    assert pairs([]) is None
    assert "s3cret" not in repr(users)


@pytest.mark.parametrize("wrong", ["rosa", "rosa:", ":s3cret"])
def test_half_a_pair_is_refused_without_repeating_it(wrong: str) -> None:
    with pytest.raises(ConfigError, match="user:password") as raised:
        load_config(environment={"GRGA_UI__AUTH": f"ben:pass123, {wrong}"})
    assert "pass123" not in str(raised.value)

"""A visitor's own model server: who may name one, what it is told, and what the test says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grga.config import Config
from grga.errors import ConfigError
from grga.ui.model_server import Clients, ModelServer, is_public
from grga.ui.model_settings import try_out
from grga.ui.services import Services

Serve = Callable[..., Any]
REPLIES = {"*": ["Yes.", "A tone."], "probe": [{"ready": True}]}


def config(home: Path, **groups: Any) -> Config:
    return Config.model_validate({"home": home, **groups})


def lines(services: Services, server: ModelServer, page: Any) -> list[str]:
    """What a reader sees in the end, a line each."""
    *_, (html, _) = try_out(services, server)
    return page(html.replace("</div>", "\n</div>")).text.strip().splitlines()


@pytest.mark.parametrize(
    ("host", "space", "public"),
    [
        (None, "", False),
        ("127.0.0.1", "", False),
        ("localhost", "", False),
        ("::1", "", False),
        ("0.0.0.0", "", True),
        ("192.168.1.7", "", True),
        ("meetings.example.org", "", True),
        (None, "somebody/space", True),
    ],
)
def test_who_can_reach_the_app(host: str | None, space: str, public: bool) -> None:
    assert is_public(host, {"SPACE_ID": space}) is public


def test_the_environment_may_open_the_app_too() -> None:
    assert is_public(None, {"GRADIO_SERVER_NAME": "0.0.0.0"})


@pytest.mark.parametrize(
    ("setting", "public", "allowed"),
    [("auto", False, True), ("auto", True, False), ("on", True, True), ("off", False, False)],
)
def test_visitors_name_servers_only_where_the_host_allows_it(
    tmp_path: Path, setting: str, public: bool, allowed: bool
) -> None:
    clients = Clients(config(tmp_path, ui={"visitor_models": setting}), public=public)
    assert clients.allowed is allowed
    if not allowed:
        with pytest.raises(ConfigError, match="takes no model servers from visitors"):
            clients.of(ModelServer("http://127.0.0.1:9/v1"))


def test_a_client_is_made_once_per_server_and_key(tmp_path: Path) -> None:
    clients = Clients(config(tmp_path), public=False)
    first = clients.of(ModelServer("http://127.0.0.1:9/v1", "m", "k"))
    assert clients.of(ModelServer("http://127.0.0.1:9/v1", "m", "k")) is first
    assert clients.of(ModelServer("http://127.0.0.1:9/v1", "m", "other")) is not first


@pytest.mark.parametrize("address", ["", "127.0.0.1:8000", "file:///etc/passwd", "h" * 501])
def test_only_addresses_are_called(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigError):
        Clients(config(tmp_path), public=False).of(ModelServer(address))


def test_the_hosts_key_goes_to_nobody_else(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": ["Yes."]})
    host = config(tmp_path, llm={"base_url": "http://127.0.0.1:9/v1", "api_key": "host-secret"})
    client = Clients(host, public=False).of(ModelServer(server.address, "scripted"))
    client.complete([{"role": "user", "content": "Hello"}], max_tokens=5)
    assert server.requests()[0]["key"] == "Bearer none"


def test_a_visitors_key_is_never_written_down(
    serve: Serve, tmp_path: Path, page: Any, capfd: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server = serve(REPLIES)
    mine = ModelServer(server.address, "scripted", "visitor-secret")
    services = Services.open(config(tmp_path))
    with caplog.at_level("DEBUG"):
        assert lines(services, mine, page)[0] == "The server answers and offers scripted."
    assert server.requests()[0]["key"] == "Bearer visitor-secret"
    said = capfd.readouterr()
    told = [repr(mine), said.out, said.err, *(record.getMessage() for record in caplog.records)]
    assert not any("visitor-secret" in text for text in told)
    assert not any(b"visitor-secret" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_the_test_reports_line_by_line(serve: Serve, tmp_path: Path, page: Any) -> None:
    server = serve(REPLIES, json_schema=False, audio=False, audio_url=False)
    services = Services.open(config(tmp_path))
    seen = list(try_out(services, ModelServer(server.address)))
    assert [html.count("g-notice") for html, _ in seen] == [1, 1, 2, 3, 4]
    assert [offered for _, offered in seen if offered] == [("scripted",)]
    found = lines(services, ModelServer(server.address), page)
    assert found[1].startswith("It replies: ")
    assert found[2].startswith("The form of replies is asked for in words")
    assert found[3].startswith("It does not hear")


@pytest.mark.parametrize(
    ("replies", "model", "sentence"),
    [
        ([{"fault": "status", "code": 401}], "", "The server refuses the key: paste the right one"),
        (
            [{"fault": "status", "code": 404}],
            "gpt",
            "The server does not know the model gpt: choose one that it offers.",
        ),
        ([{"fault": "status", "code": 500, "message": "no memory"}], "", "failed (500: no memory)"),
        ([{"fault": "page"}], "", "is not an OpenAI-compatible model server"),
    ],
)
def test_each_failure_has_its_sentence(
    serve: Serve, tmp_path: Path, page: Any, replies: list[Any], model: str, sentence: str
) -> None:
    server = serve({"*": replies})
    services = Services.open(config(tmp_path))
    assert sentence in lines(services, ModelServer(server.address, model), page)[-1]


def test_a_wrong_address_has_its_sentence(serve: Serve, tmp_path: Path, page: Any) -> None:
    server = serve(REPLIES)
    server.kill()
    services = Services.open(config(tmp_path))
    said = f"Nothing answers at {server.address}: check the address, and that the server runs."
    assert lines(services, ModelServer(server.address), page) == [said]
    assert "is not an address" in lines(services, ModelServer("localhost"), page)[0]


def test_model_names_are_text(serve: Serve, tmp_path: Path, page: Any, hostile: tuple[str, ...]) -> None:
    server = serve(REPLIES, models=list(hostile))
    *_, (html, offered) = try_out(Services.open(config(tmp_path)), ModelServer(server.address))
    assert offered == hostile
    assert hostile[0] in page(html).text
    assert [tag for tag, _ in page(html).tags] == ["div"]


def test_replies_of_one_server_never_answer_for_another(tmp_path: Path) -> None:
    clients = Clients(config(tmp_path), public=False)
    caches = [clients.of(ModelServer(f"http://127.0.0.1:{port}/v1", "m")).cache for port in (8, 9)]
    folders = {cache.folder for cache in caches if cache}
    assert len(folders | {tmp_path / "llm_cache"}) == 3

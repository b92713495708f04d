"""Trying a model out: what is found, and which error says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grga.config import LlmConfig
from grga.llm import connect
from grga.llm.failures import KeyRefusedError, NoServerError, RefusedRequestError
from grga.llm.probe import Finding, probe

Serve = Callable[..., Any]


def try_out(address: str, home: Path, **settings: Any) -> list[Finding]:
    return list(probe(connect(LlmConfig.model_validate({"base_url": address, **settings}), home)))


REPLIES = {"*": ["Yes.", "A tone."], "probe": [{"ready": True}]}


def test_a_model_that_can_all_of_it(serve: Serve, tmp_path: Path) -> None:
    server = serve(REPLIES)
    found = try_out(server.address, tmp_path)
    assert [(one.about, one.ok, one.way) for one in found] == [
        ("models", True, ""),
        ("reply", True, ""),
        ("schema", True, "json_schema"),
        ("audio", True, "input_audio"),
    ]
    assert found[0].models == ("scripted",)
    assert all(one.seconds > 0 for one in found[1:])
    assert server.requests()[0]["body"]["max_tokens"] == 1
    assert not (tmp_path / "llm_cache").exists()


def test_what_a_server_cannot_do_is_found_out_each_time(serve: Serve, tmp_path: Path) -> None:
    able = serve(REPLIES)
    assert try_out(able.address, tmp_path)[2].way == "json_schema"
    unable = serve(REPLIES, json_schema=False, audio=False, audio_url=False)
    found = try_out(unable.address, tmp_path)
    assert [(one.about, one.ok, one.way) for one in found[2:]] == [
        ("schema", True, "prompt"),
        ("audio", False, ""),
    ]


def test_one_of_several_models_must_be_named(serve: Serve, tmp_path: Path) -> None:
    server = serve(REPLIES, models=["small", "large"])
    assert try_out(server.address, tmp_path) == [Finding("models", False, models=("small", "large"))]
    assert [one.ok for one in try_out(server.address, tmp_path, model="large")] == [True] * 4


def test_a_model_that_is_not_there(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": [{"fault": "status", "code": 404, "message": "no such model"}]})
    listed, reply = try_out(server.address, tmp_path, model="other")
    assert (listed.ok, listed.models) == (False, ("scripted",))
    assert isinstance(reply.error, RefusedRequestError)
    assert reply.error.status == 404


def test_a_key_that_is_refused(serve: Serve, tmp_path: Path) -> None:
    server = serve({"*": [{"fault": "status", "code": 401}]})
    found = try_out(server.address, tmp_path, api_key="wrong")
    assert [one.about for one in found] == ["models", "reply"]
    assert isinstance(found[-1].error, KeyRefusedError)
    assert len(server.requests()) == 1


def test_nobody_at_the_address(serve: Serve, tmp_path: Path) -> None:
    server = serve(REPLIES)
    server.kill()
    [found] = try_out(server.address, tmp_path)
    assert isinstance(found.error, NoServerError)


@pytest.mark.parametrize("model", [None, "scripted"])
def test_an_address_without_a_list_needs_a_name(serve: Serve, tmp_path: Path, model: str | None) -> None:
    server = serve(REPLIES)
    found = try_out(server.address.removesuffix("/v1") + "/v2", tmp_path, model=model)
    assert isinstance(found[0].error, RefusedRequestError)
    assert (found[0].ok, len(found)) == ((True, 4) if model else (False, 1))


def test_useless_typed_replies_are_an_error_of_their_own(serve: Serve, tmp_path: Path) -> None:
    server = serve({**REPLIES, "probe": ["I would rather not."]})
    found = try_out(server.address, tmp_path)
    assert [(one.about, one.ok) for one in found[2:]] == [("schema", False), ("audio", True)]
    assert "no usable probe twice" in str(found[2].error)

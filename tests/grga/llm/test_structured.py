"""Typed replies: the server's own schema, the schema in words, repair, one retry, the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from grga.config import LlmConfig
from grga.errors import ModelServerError
from grga.llm import connect
from grga.llm.client import ChatClient
from grga.llm.failures import PromptTooLongError
from grga.llm.structured import Request, ask, bounded

Serve = Callable[..., Any]


class Fee(BaseModel):
    who: str
    pounds: Annotated[int, Field(ge=1)]


GOOD = {"who": "Imran", "pounds": 50}


def client_of(server: Any, home: Path, **settings: Any) -> ChatClient:
    return connect(LlmConfig.model_validate({"base_url": server.address, "model": "m", **settings}), home)


def request(text: str = "Which fee?") -> Request[Fee]:
    return Request(Fee, "fee", "Report the fee.", text, "v1")


def test_a_server_with_json_schema_is_given_the_schema(serve: Serve, tmp_path: Path) -> None:
    server = serve({"fee": [GOOD]})
    value, usage = ask(client_of(server, tmp_path), request())
    assert value == Fee(who="Imran", pounds=50)
    assert usage.calls == 1
    [sent] = server.requests()
    schema = sent["body"]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["who"] == {"type": "string", "maxLength": 300}
    assert sent["body"]["messages"][0]["content"] == "Report the fee."


def test_a_server_without_it_gets_the_schema_in_words_from_then_on(serve: Serve, tmp_path: Path) -> None:
    server = serve({"fee": [GOOD]}, json_schema=False)
    client = client_of(server, tmp_path)
    for question in ("Which fee?", "And the other one?"):
        assert ask(client, request(question))[0] == Fee(who="Imran", pounds=50)
    sent = server.requests()
    assert ["response_format" in one["body"] for one in sent] == [True, False, False]
    assert 'JSON schema of "fee"' in sent[1]["body"]["messages"][0]["content"]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"who": "Imran", "pounds": 50,}\n```',
        "Here it is: {'who': 'Imran', 'pounds': 50}",
        '<think>Is it {"who": "Rosa"}?</think> {"who": "Imran", "pounds": "50"}',
    ],
)
def test_broken_json_is_repaired_without_asking_again(serve: Serve, tmp_path: Path, text: str) -> None:
    server = serve({"fee": [text]})
    value, usage = ask(client_of(server, tmp_path, structured="prompt"), request())
    assert (value, usage.calls) == (Fee(who="Imran", pounds=50), 1)


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ("I do not know.", "it was not a JSON object"),
        ("", "it was empty"),
        ({"who": "Imran", "pounds": 0}, "pounds: input should be greater than or equal to 1"),
        ({"fault": "cut", "text": '{"who": "Imr'}, "it was cut at 2048 tokens"),
    ],
)
def test_an_unusable_reply_is_asked_for_once_more_with_its_fault(
    serve: Serve, tmp_path: Path, bad: Any, named: str
) -> None:
    server = serve({"fee": [bad, GOOD]})
    value, usage = ask(client_of(server, tmp_path), request())
    assert (value, usage.calls) == (Fee(who="Imran", pounds=50), 2)
    assert f"This fee cannot be used: {named}" in server.prompts("fee")[1]
    assert 'JSON schema of "fee"' in server.prompts("fee")[1]


def test_a_cut_reply_is_never_asked_for_unchanged(serve: Serve, tmp_path: Path) -> None:
    server = serve({"fee": [{"fault": "cut", "text": '{"who": "Imr'}]})
    with pytest.raises(ModelServerError, match=r"no usable fee twice \(found it was cut at 4096 tokens"):
        ask(client_of(server, tmp_path), request())
    first, second = (one["body"] for one in server.requests())
    assert first["messages"] != second["messages"]
    assert (first["max_tokens"], second["max_tokens"]) == (2048, 4096)


@pytest.mark.parametrize(
    ("replies", "error"),
    [
        (["nonsense"], "gave no usable fee twice"),
        ([{"fault": "status", "code": 500}], "failed"),
    ],
)
def test_failures_are_never_kept(serve: Serve, tmp_path: Path, replies: list[Any], error: str) -> None:
    server = serve({"fee": [*replies * 2, GOOD]})
    client = client_of(server, tmp_path, retries=0, structured="json_schema")
    with pytest.raises(ModelServerError, match=error):
        ask(client, request())
    assert not list(tmp_path.glob("llm_cache/**/*.json"))
    if replies == ["nonsense"]:
        assert ask(client, request())[0].pounds == 50


def test_the_same_request_is_paid_for_once(serve: Serve, tmp_path: Path) -> None:
    server = serve({"fee": ["nonsense", GOOD, {"who": "Rosa", "pounds": 7}]})
    first, paid = ask(client_of(server, tmp_path), request())
    again, free = ask(client_of(server, tmp_path), request())
    assert first == again == Fee(who="Imran", pounds=50)
    assert (paid.calls, paid.cached) == (2, 0)
    assert (free.calls, free.prompt, free.completion, free.cached) == (0, 0, 0, 1)
    assert len(server.requests()) == 2
    other, _ = ask(client_of(server, tmp_path), request("Which other fee?"))
    newer = Request(Fee, "fee", "Report the fee.", "Which fee?", "v2")
    assert other == ask(client_of(server, tmp_path), newer)[0] == Fee(who="Rosa", pounds=7)


def test_a_damaged_file_of_the_cache_is_as_good_as_none(serve: Serve, tmp_path: Path) -> None:
    server = serve({"fee": [GOOD]})
    ask(client_of(server, tmp_path), request())
    [file] = tmp_path.glob("llm_cache/**/*.json")
    file.write_text("{")
    assert ask(client_of(server, tmp_path), request())[1].calls == 1


def test_a_prompt_that_is_too_long_is_told_apart(serve: Serve, tmp_path: Path) -> None:
    fault = {"fault": "status", "code": 400, "message": "request exceeds the available context size"}
    server = serve({"fee": [fault]})
    with pytest.raises(PromptTooLongError):
        ask(client_of(server, tmp_path), request())
    assert len(server.requests()) == 1


def test_every_text_and_list_of_a_schema_gets_a_limit() -> None:
    schema = {
        "type": "object",
        "properties": {
            "free": {"type": "string"},
            "short": {"type": "string", "maxLength": 5},
            "choice": {"type": "string", "enum": ["a", "b"]},
            "many": {"type": "array", "items": {"type": "string"}},
        },
    }
    assert bounded(schema)["additionalProperties"] is False
    assert bounded(schema)["properties"] == {
        "free": {"type": "string", "maxLength": 300},
        "short": {"type": "string", "maxLength": 5},
        "choice": {"type": "string", "enum": ["a", "b"]},
        "many": {"type": "array", "maxItems": 40, "items": {"type": "string", "maxLength": 300}},
    }

"""The client against a real HTTP server: replies, back-off, time-outs, streaming, and one sentence per failure."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from grga.config import LlmConfig
from grga.errors import ConfigError, ModelServerError
from grga.llm.client import ChatClient

Serve = Callable[..., Any]
HELLO = [{"role": "user", "content": "Say hello."}]


def client_of(address: str, **settings: Any) -> ChatClient:
    return ChatClient(LlmConfig.model_validate({"base_url": address, "model": "scripted", **settings}))


def test_a_reply_brings_its_text_and_what_it_cost(serve: Serve) -> None:
    server = serve({"*": ["Hello there."]})
    client = client_of(server.address, price_in=0.5, price_out=2.0, api_key="secret")
    reply = client.complete(HELLO, max_tokens=50)
    assert (reply.text, reply.finish) == ("Hello there.", "stop")
    assert (reply.usage.calls, reply.usage.prompt, reply.usage.completion) == (1, 2, 3)
    assert reply.usage.price == pytest.approx((2 * 0.5 + 3 * 2.0) / 1000)
    [request] = server.requests()
    assert request["key"] == "Bearer secret"
    assert (request["body"]["temperature"], request["body"]["max_tokens"]) == (0, 50)


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_or_failing_server_is_tried_again_and_counted(serve: Serve, code: int) -> None:
    server = serve({"*": [{"fault": "status", "code": code}, "Here I am."]})
    reply = client_of(server.address).complete(HELLO, max_tokens=50)
    assert reply.text == "Here I am."
    assert (reply.usage.calls, reply.usage.retries) == (1, 1)
    assert [one["try"] for one in server.requests()] == [0, 1]


@pytest.mark.parametrize(
    ("fault", "sentence", "tries"),
    [
        ({"fault": "status", "code": 500, "message": "out of memory"}, "failed (500: out of memory)", 2),
        ({"fault": "status", "code": 429, "message": "slow down"}, "too busy, or its quota is used up", 2),
        ({"fault": "status", "code": 400, "message": "bad seed"}, "refuses the request (400: bad seed)", 1),
        ({"fault": "status", "code": 401}, "refuses the key (401): give the right one: --api-key", 1),
        ({"fault": "status", "code": 404}, "does not know the model 'scripted'", 1),
        (
            {"fault": "status", "code": 400, "message": "maximum context length is 2048 tokens"},
            "cannot read this much at once",
            1,
        ),
        ({"fault": "stall"}, "did not answer within 0.5 s", 2),
        ({"fault": "page"}, "is not an OpenAI-compatible model server", 1),
        ({"fault": "garbage"}, "is not an OpenAI-compatible model server", 1),
        ({"fault": "hangup", "text": ""}, "broke off in the middle of a reply", 2),
        ({"fault": "die"}, "no server answers at http://127.0.0.1", None),
    ],
)
def test_each_failure_is_one_sentence(
    serve: Serve, fault: dict[str, Any], sentence: str, tries: int | None
) -> None:
    server = serve({"*": [fault]})
    with pytest.raises(ModelServerError) as caught:
        client_of(server.address, timeout=0.5, retries=1).complete(HELLO, max_tokens=50)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    if tries is not None:
        assert len(server.requests()) == tries


def test_nobody_at_the_address_says_how_to_start_a_server(serve: Serve) -> None:
    server = serve({"*": [""]})
    server.kill()
    with pytest.raises(ModelServerError) as caught:
        client_of(server.address, retries=0).complete(HELLO, max_tokens=50)
    assert str(caught.value) == (
        f"no server answers at {server.address}: start it with `vllm serve scripted`, or correct --base-url"
    )


@pytest.mark.parametrize("address", [None, "", "localhost:8000"])
def test_an_address_is_needed(address: str | None) -> None:
    with pytest.raises(ConfigError, match=r"no model server is set|is not an address"):
        ChatClient(LlmConfig(base_url=address))


def test_without_a_name_the_only_model_is_taken(serve: Serve) -> None:
    assert client_of(serve({"*": [""]}).address, model=None).model == "scripted"
    several = serve({"*": [""]}, models=["small", "large"])
    with pytest.raises(ModelServerError, match=r"offers 2 models \(found small, large\): choose one"):
        _ = client_of(several.address, model=None).model


def test_no_more_requests_at_once_than_allowed(serve: Serve) -> None:
    server = serve({"*": [{"fault": "pause", "seconds": 0.1, "reply": "done"}]})
    clients = [
        client_of(server.address, max_concurrency=2) for _ in range(2)
    ]  # the server counts, not the client
    with ThreadPoolExecutor(8) as pool:
        replies = pool.map(lambda n: clients[n % 2].complete(HELLO, max_tokens=9).text, range(8))
        assert list(replies) == ["done"] * 8
    assert server.most_at_once() == 2


def test_a_server_that_knows_the_limit_by_another_name(serve: Serve) -> None:
    refusal = {"fault": "status", "code": 400, "message": "use 'max_completion_tokens' instead"}
    server = serve({"*": [refusal, "one", "two"]})
    client = client_of(server.address)
    assert [client.complete(HELLO, max_tokens=9).text for _ in range(2)] == ["one", "two"]
    assert ["max_tokens" in one["body"] for one in server.requests()] == [True, False, False]


def test_streaming_yields_pieces(serve: Serve) -> None:
    server = serve({"*": ["One two three."]})
    assert list(client_of(server.address).stream(HELLO, max_tokens=50)) == ["One ", "two ", "three."]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"fault": "cut", "text": "One two"}, "was cut at 50 tokens"),
        ({"fault": "hangup", "text": "One two"}, "broke off in the middle of a reply"),
    ],
)
def test_a_stream_that_breaks_off_keeps_what_came_and_says_so(
    serve: Serve, fault: dict[str, Any], sentence: str
) -> None:
    pieces: list[str] = []
    with pytest.raises(ModelServerError, match=sentence):
        pieces.extend(client_of(serve({"*": [fault]}).address).stream(HELLO, max_tokens=50))
    assert pieces == ["One ", "two"]

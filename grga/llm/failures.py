"""Whatever goes wrong between us and a model server, as one sentence that a person can act on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grga.errors import ModelServerError
from grga.llm.usage import Usage

if TYPE_CHECKING:
    import httpx2
    import openai

_TOO_LONG = re.compile(
    r"context.{0,40}(length|size|window|exceed)|exceed.{0,40}context|too many tokens", re.I
)
# llama.cpp answers 500 to a kind of input that its model does not take.
_NOT_ABLE = re.compile(r"not supported|unsupported|does not support", re.I)
_LONGEST_QUOTE = 200


class NoServerError(ModelServerError):
    """Nothing listens at the address."""


class KeyRefusedError(ModelServerError):
    """The server does not accept the key, or wants one."""


class PromptTooLongError(ModelServerError):
    """The request has more tokens than the model can read; send less, never the same again."""


class UnusableReplyError(ModelServerError):
    """Two replies in a row did not have the wanted form; ``reply`` is the last one, ``usage`` the cost of both."""

    def __init__(self, what: str, *, reply: str, usage: Usage, found: str, fix: str) -> None:
        super().__init__(what, found=found, fix=fix)
        self.reply, self.usage = reply, usage


class ReplyCutError(UnusableReplyError):
    """The model did not finish within its token limit, nor within twice as much; ask for less."""


class RefusedRequestError(ModelServerError):
    """The server refuses a part of the request (status 4xx), for example a schema or audio.

    ``status`` is the HTTP status, ``message`` what the server said.
    """

    def __init__(self, what: str, *, status: int, message: str, fix: str) -> None:
        super().__init__(what, fix=fix)
        self.status, self.message = status, message


def explain(
    error: openai.OpenAIError | httpx2.HTTPError, address: str, model: str, seconds: float
) -> ModelServerError:
    """Return what the library's ``error`` means for somebody who runs a server at ``address``."""
    import httpx2
    import openai

    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return NoServerError(
            f"no server answers at {address}",
            fix=f"start it with `vllm serve {model or 'MODEL'}`, or correct --base-url",
        )
    if isinstance(cause, httpx2.TimeoutException):
        return ModelServerError(
            f"the model server at {address} did not answer within {seconds:g} s",
            fix="raise llm.timeout, or use a smaller model",
        )
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
        return ModelServerError(
            f"the model server at {address} broke off in the middle of a reply", fix="see its log"
        )
    if isinstance(error, openai.APIStatusError):
        return _status(error, address, model)
    return not_a_chat_server(address)


def not_a_chat_server(address: str) -> ModelServerError:
    """Return the error for a reply that is no chat completion at all."""
    return ModelServerError(
        f"what answers at {address} is not an OpenAI-compatible model server",
        fix="the address of one usually ends in /v1",
    )


def _status(error: openai.APIStatusError, address: str, model: str) -> ModelServerError:
    status, said = error.status_code, _said(error)
    if status in (401, 403):
        return KeyRefusedError(
            f"the model server at {address} refuses the key ({status})", fix="give the right one: --api-key"
        )
    if status == 404:
        return RefusedRequestError(
            f"the model server at {address} does not know the model {model!r} (404: {said})",
            status=status,
            message=said,
            fix="choose one that it lists under /models, and check that the address ends in /v1",
        )
    if status == 429:
        return ModelServerError(
            f"the model server at {address} is too busy, or its quota is used up (429: {said})",
            fix="ask again later",
        )
    if status < 500 and (_TOO_LONG.search(said) or getattr(error, "code", None) == "context_length_exceeded"):
        return PromptTooLongError(
            f"the model {model!r} cannot read this much at once ({status}: {said})",
            fix="set llm.context_tokens to what the server was started with",
        )
    if status < 500 or _NOT_ABLE.search(said):
        return RefusedRequestError(
            f"the model server at {address} refuses the request ({status}: {said})",
            status=status,
            message=said,
            fix="see its log",
        )
    return ModelServerError(f"the model server at {address} failed ({status}: {said})", fix="see its log")


def _said(error: openai.APIStatusError) -> str:
    """The server's own words, on one line and bounded."""
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    message = inner.get("message", inner) if isinstance(inner, dict) else inner
    text = " ".join(str(message or error.message).split())
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"

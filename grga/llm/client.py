"""One client for every OpenAI-compatible server: vLLM, llama.cpp, Ollama, hosted ones.

The ``openai`` package speaks the protocol and backs off with jitter (429, 5xx, lost connections, time-outs;
``Retry-After`` is honoured). Here is what it leaves out: bounded concurrency per server, sentences for
people, what the server turned out to be able to do, accounting.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import BoundedSemaphore, Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from grga.errors import ConfigError, ModelServerError
from grga.llm.failures import explain, not_a_chat_server
from grga.llm.usage import Usage, estimate_tokens

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

    from grga.config import LlmConfig
    from grga.llm.cache import ReplyCache

Message = Mapping[str, Any]
"""A chat message: ``role`` and ``content`` (text, or a list of parts)."""

CONNECT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's answer; ``finish`` is "stop", "length" (cut at the token limit), …"""

    text: str
    finish: str
    usage: Usage


@dataclass
class Abilities:
    """What a model on a server turned out to take; None = not tried yet. Found out once per process."""

    json_schema: bool | None = None
    audio: bool | None = None
    audio_url: bool = False
    limit_name: str = "max_tokens"


_gates: dict[str, BoundedSemaphore] = {}
_abilities: dict[tuple[str, str], Abilities] = {}
_lock = Lock()


@dataclass
class ChatClient:
    """A model at an address. Threads may share it.

    Args:
        settings: Address, model, limits and prices.
        cache: Where accepted replies are kept; None keeps none.

    Raises:
        ConfigError: no address is set, or it is not one.
    """

    settings: LlmConfig
    cache: ReplyCache | None = None
    _client: openai.OpenAI = field(init=False, repr=False)

    def __post_init__(self) -> None:
        import httpx2
        import openai

        key = self.settings.api_key.get_secret_value() if self.settings.api_key else ""
        self._client = openai.OpenAI(
            base_url=self.address,
            api_key=key or "none",
            timeout=httpx2.Timeout(self.settings.timeout, connect=CONNECT_SECONDS),
            max_retries=self.settings.retries,
        )

    @cached_property
    def address(self) -> str:
        """The server's address, for example ``http://127.0.0.1:8000/v1``."""
        address = (self.settings.base_url or "").strip().rstrip("/")
        if not address:
            raise ConfigError(
                "no model server is set",
                fix="give its address, for example --base-url http://127.0.0.1:8000/v1",
            )
        if not address.startswith(("http://", "https://")):
            raise ConfigError(f"{address!r} is not an address", expected="http://… or https://…")
        return address

    @cached_property
    def model(self) -> str:
        """The model's name: the configured one, otherwise the only one that the server offers.

        Raises:
            ModelServerError: the server offers none or several, or does not answer.
        """
        if self.settings.model:
            return self.settings.model
        offered = self.offered()
        if len(offered) != 1:
            raise ModelServerError(
                f"the server at {self.address} offers {len(offered)} models",
                found=", ".join(offered[:8]) or None,
                fix="choose one with --model",
            )
        return offered[0]

    def offered(self) -> list[str]:
        """Return the names of the models that the server offers.

        Raises:
            ModelServerError: it does not answer, refuses the key, or has no such list.
        """
        with self._translated(self.settings.model or ""):
            listed = self._client.models.list()
        if not hasattr(listed, "data"):  # a web page, which the library hands on as text
            raise not_a_chat_server(self.address)
        return [model.id for model in listed.data or ()]

    @property
    def abilities(self) -> Abilities:
        """What is known of this model on this server, shared by all clients of the process."""
        key = self.address, self.model
        with _lock:
            return _abilities.setdefault(key, Abilities())

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        response_format: Mapping[str, Any] | None = None,
        retries: int | None = None,
    ) -> Reply:
        """Return the model's reply at temperature 0.

        Args:
            messages: The conversation.
            max_tokens: Most tokens to write; a longer reply comes back with ``finish == "length"``.
            response_format: The protocol's own description of the wanted form.
            retries: Instead of the configured number.

        Raises:
            ModelServerError: no server, a refusal, a failure after all tries, or no chat completion.
        """
        began = perf_counter()
        with self._translated(), self._gate:
            raw = self._send(messages, max_tokens, response_format, retries)
            completion: ChatCompletion = raw.parse()
        choices = getattr(completion, "choices", None)
        if not choices:
            raise not_a_chat_server(self.address)
        text = choices[0].message.content or ""
        usage = self._usage(completion, messages, text)
        usage += Usage(calls=1, retries=raw.retries_taken, seconds=perf_counter() - began)
        return Reply(text, choices[0].finish_reason or "stop", usage)

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """Yield the reply in pieces as they are written; closing the iterator ends the request.

        Raises:
            ModelServerError: as :meth:`complete`, also in the middle; or the reply was cut.
        """
        finish = None
        with self._translated(), self._gate:
            chunks: Any = self._client.chat.completions.create(
                model=self.model,
                messages=cast(Any, list(messages)),
                temperature=0,
                stream=True,
                extra_body={self.abilities.limit_name: max_tokens},
            )
            with chunks:
                for chunk in chunks:
                    for choice in chunk.choices[:1]:
                        finish = choice.finish_reason or finish
                        if choice.delta.content:
                            yield choice.delta.content
        if finish is None:
            raise ModelServerError(
                f"the model server at {self.address} broke off in the middle of a reply", fix="see its log"
            )
        if finish == "length":
            raise ModelServerError(
                f"the reply of {self.model} was cut at {max_tokens} tokens", fix="raise llm.max_tokens"
            )

    def _send(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        response_format: Mapping[str, Any] | None,
        retries: int | None,
    ) -> Any:
        import openai

        client = self._client if retries is None else self._client.with_options(max_retries=retries)
        body: dict[str, Any] = {} if response_format is None else {"response_format": response_format}

        def create() -> Any:
            return client.chat.completions.with_raw_response.create(
                model=self.model,
                messages=cast(Any, list(messages)),
                temperature=0,
                extra_body={**body, self.abilities.limit_name: max_tokens},
            )

        try:
            return create()
        except openai.BadRequestError as error:
            # Newer hosted models know the limit by another name only, and say so.
            if self.abilities.limit_name != "max_tokens" or "max_completion_tokens" not in str(error):
                raise
            self.abilities.limit_name = "max_completion_tokens"
            return create()

    def _usage(self, completion: ChatCompletion, messages: Sequence[Message], text: str) -> Usage:
        counted = completion.usage
        prompt = counted.prompt_tokens if counted else sum(estimate_tokens(_text_of(m)) for m in messages)
        written = counted.completion_tokens if counted else estimate_tokens(text)
        price_in, price_out = self.settings.price_in, self.settings.price_out
        price = None
        if price_in is not None or price_out is not None:
            price = (prompt * (price_in or 0.0) + written * (price_out or 0.0)) / 1000
        return Usage(prompt=prompt, completion=written, price=price)

    @property
    def _gate(self) -> BoundedSemaphore:
        """Lets at most ``max_concurrency`` requests of this process to one server at a time."""
        with _lock:
            return _gates.setdefault(self.address, BoundedSemaphore(self.settings.max_concurrency))

    @contextmanager
    def _translated(self, model: str | None = None) -> Iterator[None]:
        """Turn the library's errors into ours; they name ``model``, by default the client's."""
        import httpx2
        import openai

        # httpx2's own errors come up in the middle of a stream.
        try:
            yield
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            asked = self.model if model is None else model
            raise explain(error, self.address, asked, self.settings.timeout) from error
        except json.JSONDecodeError as error:
            raise not_a_chat_server(self.address) from error


def _text_of(message: Message) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content)

"""Typed replies: a pydantic type goes out as a JSON schema and comes back as a value.

Where the server takes ``json_schema`` it constrains the writing itself; elsewhere the schema stands in the
prompt and the reply is repaired (json-repair). Either way the value is validated, and a reply that does
not fit is asked for once more with its fault named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import json_repair
from pydantic import BaseModel, BeforeValidator, ValidationError

from grga.llm.cache import ReplyCache
from grga.llm.client import ChatClient, Message, Reply
from grga.llm.failures import PromptTooLongError, RefusedRequestError, ReplyCutError, UnusableReplyError
from grga.llm.usage import Usage

T = TypeVar("T", bound=BaseModel)

LONGEST_TEXT = 300
MOST_ITEMS = 40
_THOUGHTS = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)
_KEPT_OF_A_BAD_REPLY = 2_000


@dataclass(frozen=True)
class Request(Generic[T]):
    """A question to a model whose answer has a type.

    Attributes:
        kind: The type of the reply.
        name: What the reply is, one word ("plan"); the schema's name.
        system: Instructions; nothing from a recording may stand here.
        user: The input.
        version: Of the prompt; part of the cache's key.
        schema: A narrower schema than the type's own, if there is one.
    """

    kind: type[T]
    name: str
    system: str
    user: str
    version: str
    schema: Mapping[str, Any] | None = None


def ask(client: ChatClient, request: Request[T], max_tokens: int | None = None) -> tuple[T, Usage]:
    """Return the model's reply as a value, and what it cost (nothing when it comes from the cache).

    A reply cut at the token limit is never asked for again unchanged: the second try gets twice the tokens
    and is told to be shorter.

    Raises:
        PromptTooLongError: the model cannot read this much; send less.
        ReplyCutError: the second reply was cut as well; ask for less.
        UnusableReplyError: two replies in a row had another form.
        ModelServerError: the server failed.
    """
    schema = bounded(request.schema or request.kind.model_json_schema())
    key = ReplyCache.key(
        model=client.model,
        version=request.version,
        name=request.name,
        system=request.system,
        user=request.user,
        schema=schema,
    )
    kept = client.cache.get(key) if client.cache else None
    if kept is not None:
        value, fault = parse(kept, request.kind)
        if value is not None:
            return value, Usage(cached=1)
    limit = max_tokens or client.settings.max_tokens
    usage, fault = Usage(), ""
    messages: list[Message] = [
        {"role": "system", "content": request.system},
        {"role": "user", "content": request.user},
    ]
    for _ in range(2):
        reply = _constrained(client, messages, request.name, schema, limit)
        usage += reply.usage
        if reply.finish == "length":
            fault = f"it was cut at {limit} tokens; write much less"
            limit *= 2
        else:
            value, fault = parse(reply.text, request.kind)
            if value is not None:
                if client.cache:
                    client.cache.put(key, reply.text, model=client.model, name=request.name)
                return value, usage
        messages = [
            *messages[:2],
            {"role": "assistant", "content": reply.text[:_KEPT_OF_A_BAD_REPLY] or "(nothing)"},
            {"role": "user", "content": _again(request.name, fault, schema)},
        ]
    unusable = ReplyCutError if reply.finish == "length" else UnusableReplyError
    raise unusable(
        f"the model {client.model} gave no usable {request.name} twice",
        reply=reply.text,
        usage=usage,
        found=fault,
        fix="use a larger model, or a server that supports json_schema",
    )


def parse(text: str, kind: type[T]) -> tuple[T | None, str]:
    """Return the value that ``text`` holds, or None and what is wrong with it, as one clause."""
    text = _THOUGHTS.sub("", text).strip()
    if not text:
        return None, "it was empty"
    value = json_repair.loads(text)
    if not isinstance(value, dict):
        return None, "it was not a JSON object"
    try:
        return kind.model_validate(value), ""
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        return None, f"{place}: {problem['msg'].lower()}" if place else problem["msg"].lower()


def at_most(limit: int) -> BeforeValidator:
    """Cut a text or list to ``limit`` before it is validated: too much is no reason to ask again."""
    return BeforeValidator(lambda value: value[:limit] if isinstance(value, str | list) else value)


def bounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema closed, with a limit on every text and list; small models otherwise never stop."""
    limits: dict[str, dict[str, Any]] = {
        "string": {"maxLength": LONGEST_TEXT},
        "array": {"maxItems": MOST_ITEMS},
        "object": {"additionalProperties": False},
    }

    def walk(node: Any) -> Any:
        if isinstance(node, Mapping):
            plain = {key: walk(value) for key, value in node.items() if key not in ("title", "default")}
            fixed = "enum" in node or "const" in node
            kind = node.get("type")
            return plain if fixed or not isinstance(kind, str) else {**limits.get(kind, {}), **plain}
        return [walk(item) for item in node] if isinstance(node, list | tuple) else node

    walked: dict[str, Any] = walk(schema)
    return walked


def _constrained(
    client: ChatClient, messages: list[Message], name: str, schema: dict[str, Any], limit: int
) -> Reply:
    """Send with the server's own ``json_schema`` if it has that, otherwise with the schema in words.

    A server that refuses the one and takes the other has shown what it can do; that is remembered.
    """
    mode, abilities = client.settings.structured, client.abilities
    in_words = mode == "prompt" or (mode == "auto" and abilities.json_schema is False)
    if not in_words:
        form = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
        try:
            reply = client.complete(messages, max_tokens=limit, response_format=form)
        except PromptTooLongError:
            raise
        except RefusedRequestError as error:
            if mode != "auto" or abilities.json_schema or error.status == 404:
                raise
        else:
            abilities.json_schema = True
            return reply
    system, *rest = messages
    described = (
        f"{system['content']}\n\nReply with one JSON object and nothing else. {in_prompt(name, schema)}"
    )
    reply = client.complete([{**system, "content": described}, *rest], max_tokens=limit)
    if mode == "auto":
        abilities.json_schema = False
    return reply


def _again(name: str, fault: str, schema: Mapping[str, Any]) -> str:
    # The schema stands here too, because some servers accept json_schema and then ignore it.
    return f"This {name} cannot be used: {fault}. Write it again. {in_prompt(name, schema)}"


def in_prompt(name: str, schema: Mapping[str, Any]) -> str:
    """Return the schema as a line of a prompt."""
    return f'JSON schema of "{name}": {json.dumps(schema, ensure_ascii=False, separators=(",", ":"))}'

"""Try a model out before anybody relies on it: is it there, does it answer, what can it do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel

from grga.audio import SAMPLE_RATE
from grga.errors import ModelServerError
from grga.llm.audio import hear
from grga.llm.client import ChatClient
from grga.llm.failures import RefusedRequestError
from grga.llm.structured import Request, ask

Subject = Literal["models", "reply", "schema", "audio"]
VERSION = "1"
SHORT = 256
"""Tokens for a tiny object or one sentence; models that think first need more than a few."""
TONE_SECONDS = 1.0
PATIENCE = 60.0
"""Seconds to wait at most for one reply; a server that loads its model first takes a while."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one try showed.

    Attributes:
        about: "models" (the list), "reply" (one token), "schema" (typed replies) or "audio" (hearing).
        ok: Whether it works. Schema and audio may fail and the model is still of use.
        error: What went wrong, if that was an error.
        seconds: How long the server took (0 for what needs no reply).
        models: The names on offer, for "models".
        way: How typed replies are made ("json_schema" or "prompt"), how sound is sent ("input_audio" or
            "audio_url"); empty when neither works.
    """

    about: Subject
    ok: bool
    error: ModelServerError | None = None
    seconds: float = 0.0
    models: tuple[str, ...] = ()
    way: str = ""


class _Token(BaseModel):
    ready: bool


def probe(client: ChatClient) -> Iterator[Finding]:
    """Yield findings as they come in; without a model that replies there is nothing more to try.

    Nothing is read from the cache or kept in it, and what was found out about the model earlier is
    forgotten: a server may have been restarted with another model under the same name.
    """
    settings = client.settings
    once = {"retries": 0, "timeout": min(settings.timeout, PATIENCE), "structured": "auto", "audio": "auto"}
    client = ChatClient(settings.model_copy(update=once))
    try:
        offered = tuple(client.offered())
    except RefusedRequestError as error:
        # Some hosts list nothing; whoever names the model needs no list.
        yield Finding("models", bool(settings.model), error)
        if not settings.model:
            return
    except ModelServerError as error:
        yield Finding("models", False, error)
        return
    else:
        named = settings.model
        yield Finding("models", named in offered if named else len(offered) == 1, models=offered)
        if not named and len(offered) != 1:
            return
        # A name that is not listed is tried all the same: some servers answer to any.
    abilities = client.abilities
    abilities.json_schema, abilities.audio, abilities.audio_url = None, None, False
    try:
        usage = client.complete([{"role": "user", "content": "Say yes."}], max_tokens=1).usage
    except ModelServerError as error:
        yield Finding("reply", False, error)
        return
    yield Finding("reply", True, seconds=usage.seconds)
    yield _schema(client)
    yield _audio(client)


def _schema(client: ChatClient) -> Finding:
    request = Request(
        _Token, "probe", "You answer in JSON.", 'Write {"ready": true} and nothing else.', VERSION
    )
    try:
        _, usage = ask(client, request, SHORT)
    except ModelServerError as error:
        return Finding("schema", False, error)
    way = "json_schema" if client.abilities.json_schema else "prompt"
    return Finding("schema", True, seconds=usage.seconds, way=way)


def _audio(client: ChatClient) -> Finding:
    time = np.arange(int(TONE_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    tone = (0.2 * np.sin(2 * np.pi * 440 * time)).astype(np.float32)
    try:
        heard, usage = hear(
            client,
            tone,
            system="You listen to a recording.",
            user="What is heard? One short sentence.",
            version=VERSION,
            max_tokens=SHORT,
        )
    except ModelServerError as error:
        return Finding("audio", False, error)
    if heard is None:
        return Finding("audio", False)
    way = "audio_url" if client.abilities.audio_url else "input_audio"
    return Finding("audio", True, seconds=usage.seconds, way=way)

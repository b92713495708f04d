"""Sound for models that hear: a piece of recording as a part of a chat message.

Servers differ: some take ``input_audio`` (base64 WAV), some ``audio_url`` (a data address), some nothing.
What a model on a server takes is found out with the first piece and remembered for the process.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, wav_bytes
from grga.errors import ModelServerError
from grga.llm.cache import ReplyCache
from grga.llm.client import ChatClient, Message, Reply
from grga.llm.failures import RefusedRequestError
from grga.llm.usage import Usage

Samples = npt.NDArray[np.float32]


Clip = tuple[str, Samples]
"""What stands before a piece of sound (empty for nothing), and the piece: mono, 16 kHz, -1..1."""


def hear(
    client: ChatClient,
    clips: Samples | Sequence[Clip],
    *,
    system: str,
    user: str,
    version: str,
    max_tokens: int,
    seconds: float | None = None,
) -> tuple[str | None, Usage]:
    """Return what the model says about the sound, or None when it cannot hear; and the cost.

    Args:
        client: The model.
        clips: One piece of sound (mono, 16 kHz, -1..1), or several with what stands before each.
        system: Instructions.
        user: What to listen for.
        version: Of the prompt.
        max_tokens: Most tokens to write.
        seconds: Longest piece to send, from its beginning; None takes ``audio_seconds`` of the settings.

    Raises:
        ModelServerError: the server failed, or ``audio`` is "on" and it refuses the sound.
    """
    settings, abilities = client.settings, client.abilities
    if settings.audio == "off" or (settings.audio == "auto" and abilities.audio is False):
        return None, Usage()
    most = int((seconds or settings.audio_seconds) * SAMPLE_RATE)
    pieces: Sequence[Clip] = [("", clips)] if isinstance(clips, np.ndarray) else clips
    sounds = [(label, wav(samples[:most])) for label, samples in pieces]
    key = ReplyCache.key(model=client.model, version=version, system=system, user=user, audio=sounds)
    kept = client.cache.get(key) if client.cache else None
    if kept is not None:
        return kept, Usage(cached=1)
    try:
        reply = _send(client, sounds, system, user, max_tokens)
    except RefusedRequestError as error:
        if settings.audio == "on" or abilities.audio or error.status == 404:
            raise
        abilities.audio = False
        return None, Usage()
    abilities.audio = True
    text = reply.text.strip()
    if not text:
        raise ModelServerError(
            f"the model {client.model} wrote nothing about the sound", fix="set llm.audio to off"
        )
    if client.cache and reply.finish != "length":
        client.cache.put(key, text, model=client.model, name="hear")
    return text, reply.usage


def wav(samples: Samples) -> str:
    """Return mono 16 kHz samples as a base64 16-bit WAV file."""
    return base64.b64encode(wav_bytes(samples)).decode()


def _send(
    client: ChatClient, sounds: Sequence[tuple[str, str]], system: str, user: str, max_tokens: int
) -> Reply:
    """Send as ``input_audio``; a server that refuses it gets ``audio_url`` once."""
    abilities = client.abilities
    if not abilities.audio_url:
        try:
            return client.complete(_messages(_input_audio, sounds, system, user), max_tokens=max_tokens)
        except RefusedRequestError as error:
            if abilities.audio or error.status == 404:
                raise
    reply = client.complete(_messages(_audio_url, sounds, system, user), max_tokens=max_tokens)
    abilities.audio_url = True
    return reply


def _messages(
    part: Callable[[str], dict[str, Any]], sounds: Sequence[tuple[str, str]], system: str, user: str
) -> list[Message]:
    content: list[dict[str, Any]] = []
    for label, data in sounds:
        content += [_text(label), part(data)] if label else [part(data)]
    return [{"role": "system", "content": system}, {"role": "user", "content": [*content, _text(user)]}]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _input_audio(data: str) -> dict[str, Any]:
    return {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}


def _audio_url(data: str) -> dict[str, Any]:
    return {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{data}"}}

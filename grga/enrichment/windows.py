"""Reading a transcript window by window: what the stages that look at utterances in their context share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from grga.llm.failures import PromptTooLongError, ReplyCutError
from grga.llm.material import block, plain
from grga.llm.prompts import read_prompt
from grga.llm.structured import Request, ask
from grga.llm.usage import Usage
from grga.types import Meeting, Utterance

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

WINDOW = 40
"""Utterances read at once."""
_SMALLEST = 4
_LONGEST_NAME = 60

Span = Sequence[Utterance]
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Reading(Generic[T]):
    """What to ask of every window.

    Attributes:
        kind: The type of the reply.
        name: What the reply is, one word.
        prompt: File with the instructions.
        order: The last line of the input.
        overlap: How many utterances a window reads again.
    """

    kind: type[T]
    name: str
    prompt: Path
    order: str
    overlap: int = 0


def read_windows(
    reading: Reading[T], meeting: Meeting, client: ChatClient, progress: Callable[[float], None]
) -> Iterator[tuple[Span, T, Usage]]:
    """Yield each window with what the model replied and what that cost; ``progress`` hears 0..1.

    Windows are read at the same time, and yielded in order, so that the result does not depend on which
    reply comes first. One that is too much to read or to write about comes as two halves.

    Raises:
        ModelServerError: the model failed.
    """
    spans = list(windows(meeting.utterances, reading.overlap))
    with ThreadPoolExecutor(client.settings.max_concurrency) as pool:
        results = pool.map(lambda span: _read(reading, span, meeting, client), spans)
        for number, parts in enumerate(results, start=1):
            yield from parts
            progress(number / len(spans))


def windows(utterances: Span, overlap: int) -> Iterator[Span]:
    """Yield stretches of ``WINDOW`` utterances, each sharing ``overlap`` with the one before."""
    for first in range(0, max(1, len(utterances) - overlap), WINDOW - overlap):
        yield utterances[first : first + WINDOW]


def _read(
    reading: Reading[T], span: Span, meeting: Meeting, client: ChatClient
) -> list[tuple[Span, T, Usage]]:
    if not span:
        return []
    instructions, version = read_prompt(reading.prompt)
    lines = (
        f"[utt {one.id}] {plain(meeting.name_of(one), _LONGEST_NAME)}: {plain(one.text)}" for one in span
    )
    user = f"{block('transcript', lines)}\n\n{reading.order}"
    try:
        reply, usage = ask(client, Request(reading.kind, reading.name, instructions, user, version))
    except (PromptTooLongError, ReplyCutError):
        if len(span) <= _SMALLEST:
            raise
        middle = len(span) // 2
        halves = (span[:middle], span[middle:])
        return [part for half in halves for part in _read(reading, half, meeting, client)]
    return [(span, reply, usage)]

"""Coreference by a model: which earlier utterance "that idea" points to, over overlapping windows."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from grga.llm.failures import PromptTooLongError, ReplyCutError
from grga.llm.material import block, plain
from grga.llm.prompts import read_prompt
from grga.llm.structured import Request, ask, at_most
from grga.llm.usage import Usage
from grga.types import Edge, EdgeType, Meeting, Utterance

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

PROMPT = Path(__file__).parent / "prompts" / "coreference.md"
WINDOW, OVERLAP = 40, 10
"""Utterances read at once, and how many of them the next window reads again."""
WEIGHT = 0.9
"""Of an edge that a model found: it outweighs the rules' guesses, and is still none of a certainty."""
_SMALLEST = 4
_LONGEST_NAME = 60


class LinkReply(BaseModel):
    """One reference."""

    model_config = ConfigDict(frozen=True)

    source: int
    target: int
    words: Annotated[str, StringConstraints(max_length=60)]


class LinksReply(BaseModel):
    """The references of a window."""

    model_config = ConfigDict(frozen=True)

    links: Annotated[list[LinkReply], at_most(30), Field(max_length=30)]


@dataclass(frozen=True)
class Links:
    """The edges found, what they cost, and how many links were dropped because they do not hold."""

    edges: tuple[Edge, ...]
    usage: Usage
    dropped: int


def find_links(meeting: Meeting, client: ChatClient, progress: Callable[[float], None]) -> Links:
    """Return ``semantic`` edges from references to what they mean; ``progress`` hears 0..1.

    A link holds when it points backwards within its window and its words stand in the source.

    Raises:
        ModelServerError: the model failed.
    """
    spans = list(windows(meeting.utterances))
    edges: dict[tuple[int, int], Edge] = {}
    usage, dropped = Usage(), 0
    with ThreadPoolExecutor(client.settings.max_concurrency) as pool:
        # map() keeps the order, so the result does not depend on which reply comes first.
        results = pool.map(lambda span: _read(span, meeting, client), spans)
        for number, (found, spent, bad) in enumerate(results, start=1):
            for edge in found:
                edges.setdefault((edge.source, edge.target), edge)
            usage += spent
            dropped += bad
            progress(number / len(spans))
    return Links(tuple(edges.values()), usage, dropped)


def windows(utterances: Sequence[Utterance]) -> Iterator[Sequence[Utterance]]:
    """Yield stretches of ``WINDOW`` utterances, each sharing ``OVERLAP`` with the one before."""
    step = WINDOW - OVERLAP
    for first in range(0, max(1, len(utterances) - OVERLAP), step):
        yield utterances[first : first + WINDOW]


def _read(span: Sequence[Utterance], meeting: Meeting, client: ChatClient) -> tuple[list[Edge], Usage, int]:
    """Ask about one window; one that is too much to read or to write about is split in two."""
    if len(span) < 2:
        return [], Usage(), 0
    instructions = read_prompt(PROMPT)
    lines = (
        f"[utt {one.id}] {plain(meeting.name_of(one), _LONGEST_NAME)}: {plain(one.text)}" for one in span
    )
    user = f"{block('transcript', lines)}\n\nFind the references."
    try:
        reply, usage = ask(
            client, Request(LinksReply, "links", instructions.text, user, instructions.version)
        )
    except (PromptTooLongError, ReplyCutError):
        if len(span) <= _SMALLEST:
            raise
        middle = len(span) // 2
        first, second = (_read(part, meeting, client) for part in (span[:middle], span[middle:]))
        return [*first[0], *second[0]], first[1] + second[1], first[2] + second[2]
    texts = {one.id: _letters(one.text) for one in span}
    edges = [
        Edge(link.source, link.target, EdgeType.SEMANTIC, WEIGHT, link.words)
        for link in reply.links
        if link.target in texts
        and link.source in texts
        and link.target < link.source
        and _letters(link.words)
        and _letters(link.words) in texts[link.source]
    ]
    return edges, usage, len(reply.links) - len(edges)


def _letters(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())

"""Coreference by a model: which earlier utterance "that idea" points to, over overlapping windows."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from grga.enrichment.windows import Reading, Span, read_windows
from grga.llm.structured import at_most
from grga.llm.usage import Usage
from grga.types import Edge, EdgeType, Meeting

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

PROMPT = Path(__file__).parent / "prompts" / "coreference.md"
OVERLAP = 10
WEIGHT = 0.9
"""Of an edge that a model found: it outweighs the rules' guesses, and is still none of a certainty."""


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
    edges: dict[tuple[int, int], Edge] = {}
    usage, dropped = Usage(), 0
    reading = Reading(LinksReply, "links", PROMPT, "Find the references.", OVERLAP)
    for span, reply, spent in read_windows(reading, meeting, client, progress):
        found = _that_hold(reply, span)
        for edge in found:
            edges.setdefault((edge.source, edge.target), edge)
        usage += spent
        dropped += len(reply.links) - len(found)
    return Links(tuple(edges.values()), usage, dropped)


def _that_hold(reply: LinksReply, span: Span) -> list[Edge]:
    texts = {one.id: _letters(one.text) for one in span}
    return [
        Edge(link.source, link.target, EdgeType.SEMANTIC, WEIGHT, link.words)
        for link in reply.links
        if link.target in texts
        and link.source in texts
        and link.target < link.source
        and _letters(link.words)
        and _letters(link.words) in texts[link.source]
    ]


def _letters(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())

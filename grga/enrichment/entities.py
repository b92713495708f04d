"""Entities by a model: who, what, how much and what was decided, and which utterances speak of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from grga.enrichment.windows import Reading, Span, read_windows
from grga.graph.edges.entity import EntityEdges
from grga.llm.prompts import read_prompt
from grga.llm.structured import at_most
from grga.llm.usage import Usage
from grga.text import content_terms
from grga.types import Edge, Meeting

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

PROMPT = Path(__file__).parent / "prompts" / "entities.md"

Kind = Literal["person", "organisation", "product", "place", "number", "decision"]


class EntityReply(BaseModel):
    """One entity of a window."""

    model_config = ConfigDict(frozen=True)

    name: Annotated[str, at_most(80), StringConstraints(max_length=80)]
    kind: Kind
    utterances: Annotated[list[int], at_most(20), Field(max_length=20)]


class EntitiesReply(BaseModel):
    """The entities of a window."""

    model_config = ConfigDict(frozen=True)

    entities: Annotated[list[EntityReply], at_most(24), Field(max_length=24)]


@dataclass(frozen=True)
class Entity:
    """Something that a meeting speaks of, the utterances that do so, and the model and prompt that say so."""

    name: str
    kind: Kind
    utterances: tuple[int, ...]
    source: str


@dataclass(frozen=True)
class Entities:
    """The entities, what they cost, and how many were dropped because nobody names them."""

    found: tuple[Entity, ...]
    usage: Usage
    dropped: int


def find_entities(meeting: Meeting, client: ChatClient, progress: Callable[[float], None]) -> Entities:
    """Return what the meeting speaks of, one entry per name; ``progress`` hears 0..1.

    An entity holds when one of its utterances has a word of its name; utterances outside of the window that
    was read are removed.

    Raises:
        ModelServerError: the model failed.
    """
    source = f"{client.model}, prompt {read_prompt(PROMPT).version}"
    known: dict[str, Entity] = {}
    usage, dropped = Usage(), 0
    reading = Reading(EntitiesReply, "entities", PROMPT, "List the entities.")
    for span, reply, spent in read_windows(reading, meeting, client, progress):
        usage += spent
        for one in reply.entities:
            ids = _that_hold(one, span)
            if not ids:
                dropped += 1
                continue
            key = " ".join(one.name.casefold().split())
            entity = known.setdefault(key, Entity(" ".join(one.name.split()), one.kind, (), source))
            known[key] = replace(entity, utterances=tuple(sorted({*entity.utterances, *ids})))
    return Entities(tuple(known.values()), usage, dropped)


def entity_edges(entities: Iterable[Entity], utterances: int) -> list[Edge]:
    """Return ``entity`` edges between the utterances that speak of the same, weighted as those of the rules."""
    mentions: list[dict[str, str]] = [{} for _ in range(utterances)]
    for entity in entities:
        for id in entity.utterances:
            mentions[id][entity.name.casefold()] = entity.name
    return EntityEdges().link(mentions)


def _that_hold(one: EntityReply, span: Span) -> tuple[int, ...]:
    texts = {utterance.id: utterance.text for utterance in span}
    ids = tuple(dict.fromkeys(id for id in one.utterances if id in texts))
    words = set(content_terms(one.name))
    named = any(words & set(content_terms(texts[id])) for id in ids)
    return ids if named else ()

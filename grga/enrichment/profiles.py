"""Speaker profiles by a model: each fact with the utterances it rests on, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from grga.llm.failures import PromptTooLongError
from grga.llm.material import block, plain
from grga.llm.prompts import read_prompt
from grga.llm.structured import Request, ask, at_most
from grga.llm.usage import Usage, estimate_tokens
from grga.types import Meeting, Speaker, SpeakerProfile, Utterance

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

PROMPT = Path(__file__).parent / "prompts" / "profile.md"
FACTS = ("role", "gender", "stance", "expertise", "contributions")
_SCHEMA_TOKENS = 600
_LONGEST_NAME = 60


class FactReply(BaseModel):
    """One fact; empty ``text`` says that nothing is known."""

    model_config = ConfigDict(frozen=True)

    text: Annotated[str, at_most(300), StringConstraints(max_length=300)]
    utterances: Annotated[list[int], at_most(6), Field(max_length=6)]


class ProfileReply(BaseModel):
    """What the model makes of one speaker."""

    model_config = ConfigDict(frozen=True)

    role: FactReply
    gender: FactReply
    stance: FactReply
    expertise: FactReply
    contributions: FactReply


@dataclass(frozen=True)
class Profiled:
    """A profile, what it cost, how many utterances were not read, and how many facts rested on nothing."""

    profile: SpeakerProfile
    usage: Usage
    left_out: int
    dropped: int


def profile_speaker(speaker: Speaker, meeting: Meeting, client: ChatClient) -> Profiled:
    """Return what the model says of ``speaker``; every fact rests on that speaker's own utterances.

    Raises:
        ModelServerError: the model failed.
    """
    own = [one for one in meeting.utterances if one.speaker == speaker.id]
    instructions = read_prompt(PROMPT)
    source = f"{client.model}, prompt {instructions.version}"
    if not own:
        return Profiled(SpeakerProfile(source=source), Usage(), 0, 0)
    settings = client.settings
    tokens = (
        settings.context_tokens - estimate_tokens(instructions.text) - settings.max_tokens - _SCHEMA_TOKENS
    )
    while True:
        read = _that_fit(own, tokens)
        lines = (f"[utt {one.id}] {plain(one.text)}" for one in read)
        user = f"{block(f'said by {plain(speaker.name, _LONGEST_NAME)}', lines)}\n\nDescribe this speaker."
        request = Request(ProfileReply, "profile", instructions.text, user, instructions.version)
        try:
            reply, usage = ask(client, request)
            break
        except PromptTooLongError:
            if len(read) < 2:
                raise
            tokens = min(tokens, sum(_tokens(one) for one in read)) // 2
    shown = {one.id for one in read}
    facts: dict[str, str] = {}
    evidence: dict[str, tuple[int, ...]] = {}
    dropped = 0
    for name in FACTS:
        fact: FactReply = getattr(reply, name)
        ids = tuple(id for id in dict.fromkeys(fact.utterances) if id in shown)
        if fact.text.strip() and ids:
            facts[name], evidence[name] = fact.text.strip(), ids
        elif fact.text.strip():
            dropped += 1
    return Profiled(SpeakerProfile(facts, evidence, source), usage, len(own) - len(read), dropped)


def with_facts(speaker: Speaker, found: SpeakerProfile | None) -> Speaker:
    """Return the speaker with the model's facts over the statistical ones; a known role is kept."""
    if found is None or not found.facts:
        return speaker
    known = speaker.profile
    profile = SpeakerProfile(
        {**known.facts, **found.facts},
        {**known.evidence, **found.evidence},
        f"{known.source}; {found.source}",
    )
    return replace(speaker, role=speaker.role or found.facts.get("role"), profile=profile)


def _that_fit(own: list[Utterance], tokens: int) -> list[Utterance]:
    """Return the longest utterances that fit, in order of time: they say most about who speaks."""
    chosen = []
    for one in sorted(own, key=lambda one: (-len(one.text), one.id)):
        tokens -= _tokens(one)
        if tokens < 0:
            break
        chosen.append(one)
    return sorted(chosen or own[:1], key=lambda one: one.id)


def _tokens(utterance: Utterance) -> int:
    return estimate_tokens(plain(utterance.text)) + 5

"""Who can answer a question: a system, what decides in it, and what of it is switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grga.agent import NEED_MODEL
from grga.errors import QuestionError
from grga.ui.texts import t

SYSTEMS = {"grga": "GRGA", "text_rag": "Text RAG", "transcript_context": "Transcript as context"}

PARTS: Mapping[str, tuple[str, ...]] = {
    "decomposer": ("decomposer",),
    "planner": ("planner",),
    "reflection": ("reflection",),
    "filtering": ("filter_time_range", "filter_speaker"),
    "semantic": ("semantic_search",),
    "graph": ("traverse_relations",),
    "audio": ("audio_segment",),
}
"""What of the agent can be switched off, to the names that the agent knows it by."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to answer. ``policy`` is "offline" or "llm", ``part`` a key of :data:`PARTS` or ""."""

    system: str = "grga"
    policy: str = "offline"
    part: str = ""

    @property
    def key(self) -> str:
        """What stands for it in a page: ``grga:offline:planner``; :func:`contender` reads it."""
        return ":".join(filter(None, (self.system, self.policy, self.part)))

    @property
    def without(self) -> tuple[str, ...]:
        """The agent's names of what is switched off."""
        return PARTS[self.part] if self.part else ()


def contender(key: str) -> Contender:
    """Return the contender of this key.

    Raises:
        QuestionError: it is not one (a page may post anything).
    """
    system, _, rest = str(key).partition(":")
    policy, _, part = rest.partition(":")
    fits = system in SYSTEMS and policy in ("offline", "llm") and (not part or part in PARTS)
    if not fits or (part and system != "grga") or (system in NEED_MODEL and policy != "llm"):
        raise QuestionError(f"nothing here answers as {key!r}", fix="choose one of the list")
    return Contender(system, policy, part)


def contenders(model: str | None, *, prefer_model: bool = True) -> list[Contender]:
    """Return who can answer, the one taken by default first; a language model brings more of them.

    Args:
        model: Its name; None when there is none.
        prefer_model: Whether what works with it comes first.
    """
    offline = [Contender("grga"), Contender("text_rag")]
    if model is None:
        return offline
    with_it = [Contender("grga", "llm"), Contender("text_rag", "llm"), Contender("transcript_context", "llm")]
    return with_it + offline if prefer_model else offline + with_it


def ablations(policy: str) -> list[Contender]:
    """Return GRGA with one part switched off, each in turn."""
    return [Contender("grga", policy, part) for part in PARTS]


def contender_name(one: Contender, model: str | None) -> str:
    """Return what people read: "GRGA · qwen3", "GRGA without the planner"."""
    if one.part:
        return t(_WITHOUT[one.part])
    if model is None:
        return t(SYSTEMS[one.system])
    return f"{t(SYSTEMS[one.system])} · {model if one.policy == 'llm' else t('offline')}"


_WITHOUT = {
    "decomposer": "GRGA without the decomposer",
    "planner": "GRGA without the planner",
    "reflection": "GRGA without reflection",
    "filtering": "GRGA without filtering",
    "semantic": "GRGA without semantic search",
    "graph": "GRGA without graph traversal",
    "audio": "GRGA without audio access",
}

"""Which systems are compared: a short text names one, its policy and what is switched off."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grga.agent import SYSTEMS, make_answerer
from grga.errors import EvaluationError, unknown_name
from grga.types import EdgeType

if TYPE_CHECKING:
    from grga.agent.steps import Answerer
    from grga.config import AgentConfig
    from grga.llm.client import ChatClient
    from grga.store import IndexedMeeting

ABLATIONS: dict[str, tuple[str, ...] | EdgeType] = {
    "decomposer": ("decomposer",),
    "planner": ("planner",),
    "reflection": ("reflection",),
    "filtering": ("filter_time_range", "filter_speaker"),
    "semantic search": ("semantic_search", "hybrid_search"),
    "graph traversal": ("traverse_relations",),
    "audio access": ("audio_segment",),
    **{f"{type} edges": type for type in EdgeType},
}
"""The paper's seven ablations (Table 5) and, beyond it, one per type of edge: name → what is switched off."""


@dataclass(frozen=True)
class System:
    """A system under test. ``name`` is how tables call it; ``lacking`` is a type of edge to do without."""

    name: str
    system: str
    without: tuple[str, ...] = ()
    lacking: EdgeType | None = None

    def build(self, agent: AgentConfig, client: ChatClient | None = None) -> Answerer:
        """Return it ready to answer.

        Raises:
            ConfigError: it needs a model and none is given.
        """
        return make_answerer(
            self.system,
            policy=agent.policy,
            without=self.without,
            tau=agent.tau,
            beta=agent.beta,
            k_max=agent.k_max,
            client=client,
        )

    def sees(self, meeting: IndexedMeeting) -> IndexedMeeting:
        """Return the meeting as this system gets it."""
        return (
            meeting if self.lacking is None else replace(meeting, graph=meeting.graph.without(self.lacking))
        )


def parse(text: str) -> System:
    """Return the system of ``grga``, ``text_rag``, … or ``grga-reflection`` (GRGA without reflection).

    Raises:
        EvaluationError: no such system or ablation.
    """
    name, minus, part = text.strip().partition("-")
    if name not in SYSTEMS:
        raise EvaluationError(unknown_name("system", name, list(SYSTEMS)), fix="choose one of these")
    if not minus:
        return System(name, name)
    wanted = part.replace("_", " ").strip()
    known = {one.replace("_", " "): one for one in ABLATIONS}
    if name != "grga" or wanted not in known:
        raise EvaluationError(unknown_name("ablation", part, list(ABLATIONS)), fix="write grga-PART")
    name, off = f"grga without {known[wanted]}", ABLATIONS[known[wanted]]
    return System(name, "grga", lacking=off) if isinstance(off, EdgeType) else System(name, "grga", off)


def parse_all(texts: Collection[str]) -> tuple[System, ...]:
    """Return several systems, each once; ``grga-all`` stands for every ablation.

    Raises:
        EvaluationError: no such system or ablation.
    """
    found: dict[str, System] = {}
    for text in texts:
        some = [f"grga-{part}" for part in ABLATIONS] if text == "grga-all" else [text]
        for one in map(parse, some):
            found.setdefault(one.name, one)
    return tuple(found.values())

"""Ask a meeting: the agent, its tools and its policies; ``make_answerer`` builds any system by name."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from grga.errors import ConfigError, QuestionError
from grga.registry import load

if TYPE_CHECKING:
    from grga.agent.steps import Answerer
    from grga.llm.client import ChatClient

POLICIES = {
    "offline": "grga.agent.policies.offline.policy:OfflinePolicy",
    "llm": "grga.agent.policies.llm.policy:LlmPolicy",
}
BASELINES = {
    "text_rag": "grga.baselines.text_rag:TextRag",
    "transcript_context": "grga.baselines.transcript_context:TranscriptAsContext",
    "speech_context": "grga.baselines.speech_context:SpeechAsContext",
    "audio_rag": "grga.baselines.audio_rag:AudioRag",
}
NEED_MODEL = frozenset({"transcript_context", "speech_context", "audio_rag"})
"""Baselines that do nothing without a language model."""
SYSTEMS = ("grga", *BASELINES)

__all__ = ["BASELINES", "POLICIES", "SYSTEMS", "make_answerer"]


def make_answerer(
    system: str = "grga",
    *,
    policy: str = "offline",
    without: Collection[str] = (),
    tau: float = 4.0,
    beta: float = 0.5,
    k_max: int = 5,
    client: ChatClient | None = None,
) -> Answerer:
    """Return the answering system of this name.

    Args:
        system: "grga" or a baseline.
        policy: What decides inside the agent's loop.
        without: Tools and parts of the agent to switch off; a baseline has none.
        tau: Least reflection score (1..5) of a verified answer.
        beta: Penalty of a rejected draft.
        k_max: Most rounds.
        client: The language model, for the policy "llm" and the baselines that need one.

    Raises:
        ConfigError: no such system or policy, or no model for a policy that needs one.
        QuestionError: no such tool or part, or a baseline asked to work without one.
    """
    if system != "grga":
        build = load("system", system, {"grga": "", **BASELINES})
        if system in NEED_MODEL and client is None:
            raise ConfigError(
                f"the system {system!r} needs a model server", fix="give it: --policy llm --base-url …"
            )
        baseline: Answerer = build(client)
        if without:
            raise QuestionError(f"{system} has no tools to switch off", fix="use it with the system grga")
        return baseline
    if policy not in POLICIES:
        raise ConfigError(f"unknown policy {policy!r} (known: {', '.join(POLICIES)})", fix="choose one")
    from grga.agent.agent import Agent
    from grga.agent.tools import Toolbox

    kind = load("policy", policy, POLICIES)
    toolbox = Toolbox.all()
    if policy != "llm":
        chosen = kind()
    elif client is None:
        raise ConfigError("the policy 'llm' needs a model server", fix="give its address: --base-url")
    else:
        from grga.agent.policies.llm.listening import Listener

        chosen, toolbox = kind(client), Toolbox.all(Listener(client))
    return Agent(chosen, toolbox, tau=tau, beta=beta, k_max=k_max, without=without)

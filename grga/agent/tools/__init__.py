"""The agent's atomic tools (paper, table 11), one file per group; and what carries out their calls.

One line per tool; a tool carries its name, description and argument schema, so a planner that is a
model can be told about it and a wrong call is answered, never raised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from pydantic import ValidationError

from grga.agent.steps import Found, Observation, Plan, ToolCall
from grga.agent.tools.base import Context, Tool
from grga.errors import QuestionError, unknown_name
from grga.registry import load
from grga.types import Scope

if TYPE_CHECKING:
    from grga.agent.belief import Belief
    from grga.agent.tools.audio import Listen
    from grga.store import IndexedMeeting

TOOLS = {
    "keyword_search": "grga.agent.tools.search:KeywordSearch",
    "semantic_search": "grga.agent.tools.search:SemanticSearch",
    "hybrid_search": "grga.agent.tools.search:HybridSearch",
    "filter_time_range": "grga.agent.tools.filters:FilterTimeRange",
    "filter_speaker": "grga.agent.tools.filters:FilterSpeaker",
    "traverse_relations": "grga.agent.tools.traverse:TraverseRelations",
    "audio_segment": "grga.agent.tools.audio:AudioSegment",
}

__all__ = ["TOOLS", "Context", "Tool", "Toolbox", "plain_search"]


class Toolbox:
    """The tools at hand, by name. ``Toolbox.all()`` has every one of them."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = dict(tools)

    @classmethod
    def all(cls, listen: Listen | None = None) -> Toolbox:
        """Return every tool of the table; with ``listen``, a model hears what ``audio_segment`` cuts out."""
        tools: dict[str, Tool] = {name: load("tool", name, TOOLS)() for name in TOOLS}
        if listen is not None:
            tools["audio_segment"] = load("tool", "audio_segment", TOOLS)(listen)
        return cls(tools)

    def without(self, names: Collection[str]) -> Toolbox:
        """Return a toolbox lacking ``names`` and whatever is built on them."""
        return Toolbox(
            {
                name: tool
                for name, tool in self.tools.items()
                if name not in names and not tool.needs & set(names)
            }
        )

    def execute(
        self, plan: Plan, meeting: IndexedMeeting, scope: Scope, belief: Belief
    ) -> Iterator[Observation]:
        """Carry out a plan call by call; results of earlier rounds can be named too."""
        results: dict[str, tuple[Found, ...]] = {
            one.call.result: one.found for one in belief.observations if one.call.result
        }
        context = Context(meeting, scope, results, belief.question)
        for call in plan.calls:
            began = perf_counter()
            observation = self._run(call, context)
            if call.result:
                results[call.result] = observation.found
            yield replace(observation, round=plan.round, seconds=perf_counter() - began)

    def _run(self, call: ToolCall, context: Context) -> Observation:
        tool = self.tools.get(call.name)
        if tool is None:
            return Observation(0, call, error=unknown_name("tool", call.name, list(self.tools)))
        try:
            arguments = tool.arguments.model_validate(dict(call.arguments))
            result = tool.run(arguments, context)
        except ValidationError as error:
            problem = error.errors()[0]
            place = ".".join(str(part) for part in problem["loc"]) or "arguments"
            return Observation(0, call, error=f"{call.name}: {place}: {problem['msg']}")
        except QuestionError as error:
            return Observation(0, call, error=f"{call.name}: {error}")
        return Observation(0, call, result.found, result.measurements, tokens=result.tokens)


def plain_search(question: str, toolbox: Toolbox) -> Plan:
    """Return the one-call plan of an agent without a planner: the best search there is."""
    for name in ("hybrid_search", "semantic_search", "keyword_search"):
        if name in toolbox.tools:
            return Plan(1, (ToolCall(name, {"query": question}, "r1"),), "search for the question")
    return Plan(1, (), "no search tool is switched on")

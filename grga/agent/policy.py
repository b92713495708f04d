"""What decides inside the loop. The loop itself knows only this protocol.

A policy may be a language model or rules; it sees the meeting, the belief and the tools, and never
runs a tool itself. Policies are stateless between questions: everything is in the belief.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from grga.agent.belief import Belief
from grga.agent.steps import Decomposition, Draft, Plan, Reflection

if TYPE_CHECKING:
    from grga.agent.tools import Tool
    from grga.store import IndexedMeeting


class Policy(Protocol):
    """The four decisions of the loop (paper, section 3.3)."""

    name: str

    def decompose(self, question: str, meeting: IndexedMeeting) -> Decomposition:
        """Project the question into constraints; once per question."""
        ...

    def plan(self, belief: Belief, meeting: IndexedMeeting, tools: Mapping[str, Tool]) -> Plan:
        """Return the next calls; an empty plan means that nothing is left to try.

        After a failed round, the critique is ``belief.reflection`` and the plan must differ from all
        earlier ones: a repeated plan is refused by the loop, which then asks no further.
        """
        ...

    def synthesize(self, belief: Belief, meeting: IndexedMeeting) -> Draft:
        """Return a candidate answer from the belief's evidence alone."""
        ...

    def reflect(self, belief: Belief, draft: Draft, meeting: IndexedMeeting) -> Reflection:
        """Judge the draft against the evidence, 1 (unsupported) to 5 (supported and complete)."""
        ...

"""The offline policy: the four decisions of the loop, by rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grga.agent.belief import Belief
from grga.agent.policies.offline.absence import absent
from grga.agent.policies.offline.answers import answer
from grga.agent.policies.offline.case import case_of
from grga.agent.policies.offline.decompose import read
from grga.agent.policies.offline.phrases import phrase
from grga.agent.policies.offline.plans import next_plan
from grga.agent.policies.offline.reflect import reflect
from grga.agent.steps import Decomposition, Draft, Plan, Reflection
from grga.types import Sentence

if TYPE_CHECKING:
    from grga.agent.tools import Tool
    from grga.store import IndexedMeeting


class OfflinePolicy:
    """Deterministic: the same question about the same meeting gives the same steps and answer."""

    name = "offline"

    def decompose(self, question: str, meeting: IndexedMeeting) -> Decomposition:
        """Return the constraints that the question's words state."""
        return read(question, meeting.meeting).constraints

    def plan(self, belief: Belief, meeting: IndexedMeeting, tools: Mapping[str, Tool]) -> Plan:
        """Return the next untried plan; empty when nothing is left to try."""
        return next_plan(case_of(belief, meeting), tools)

    def synthesize(self, belief: Belief, meeting: IndexedMeeting) -> Draft:
        """Return an answer computed or quoted from the evidence, or "this meeting does not say"."""
        case = case_of(belief, meeting)
        reason = absent(case)
        sentences = () if reason else answer(case)
        if not sentences:
            sentences = (Sentence(reason or phrase(case.language, "nothing")),)
            return Draft(len(belief.rounds), sentences, found=False)
        return Draft(len(belief.rounds), sentences)

    def reflect(self, belief: Belief, draft: Draft, meeting: IndexedMeeting) -> Reflection:
        """Return a score for support, limits, form and focus, with a critique."""
        return reflect(case_of(belief, meeting), draft)

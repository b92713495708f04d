"""Answers as JSON-able objects, for scripts and other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from grga.agent.steps import AgentTrace
from grga.types import Citation

if TYPE_CHECKING:
    from grga.history import Part
    from grga.library import LibraryAnswer, LibraryStep


def answer_record(trace: AgentTrace) -> dict[str, Any]:
    """Return an answer and how it was found."""
    answer = trace.answer
    return {
        "question": answer.question,
        "answer": answer.text,
        "found": answer.found,
        "verified": answer.verified,
        "reflection_score": answer.reflection_score,
        "sentences": [asdict(sentence) for sentence in answer.sentences],
        "citations": [_citation(citation) for citation in answer.citations],
        "dropped_citations": answer.dropped_citations,
        "system": answer.system,
        "policy": answer.policy,
        "steps": trace.rounds,
        "trace": trace.to_dict()["steps"],
        "cost": asdict(answer.cost),
    }


def library_record(answer: LibraryAnswer) -> dict[str, Any]:
    """Return the answers of several meetings, and which meetings did not answer and why.

    Each part is an :func:`answer_record` with the meeting's id and title before it.
    """
    return {
        "question": answer.question,
        "found": answer.found,
        "parts": [_part(part) for part in answer.parts],
        "left_out": [_left_out(step) for step in answer.left_out],
        "cost": asdict(answer.cost),
    }


def _part(part: Part) -> dict[str, Any]:
    record = answer_record(AgentTrace(part.steps, part.answer))
    return {"meeting": part.meeting_id, "title": part.title, **record}


def _left_out(step: LibraryStep) -> dict[str, Any]:
    return {
        "meeting": step.meeting_id,
        "title": step.title,
        "event": step.event.value if step.event else "",
        "reason": step.reason,
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "utterance": citation.utterance,
        "speaker": citation.speaker,
        "start": citation.span.start,
        "end": citation.span.end,
        "text": citation.text,
    }

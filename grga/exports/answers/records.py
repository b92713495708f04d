"""Answers as JSON-able objects, for scripts and other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from grga.agent.steps import AgentTrace
from grga.library import numbered
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
    """Return the answers of several meetings as one, then by meeting, and which did not answer and why.

    Above, ``sentences`` and ``citations`` are those of the meetings that found something, numbered
    throughout; each of the ``parts`` is an :func:`answer_record` with its meeting's id and title.
    """
    found = [part for part in answer.parts if part.answer.found]
    shown = found or answer.parts
    scores = [part.answer.reflection_score for part in found if part.answer.reflection_score is not None]
    cited = numbered(answer.parts)
    numbers = {(meeting, citation.utterance): number for number, meeting, citation in cited}
    return {
        "question": answer.question,
        "answer": " ".join(part.answer.text for part in shown),
        "found": answer.found,
        "verified": bool(found) and all(part.answer.verified for part in found),
        "reflection_score": min(scores, default=None),
        "sentences": [
            {
                "meeting": part.meeting_id,
                "text": sentence.text,
                "citations": [numbers[part.meeting_id, id] for id in sentence.citations],
            }
            for part in shown
            for sentence in part.answer.sentences
        ],
        "citations": [
            {"number": number, "meeting": meeting, **_citation(citation)}
            for number, meeting, citation in cited
        ],
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

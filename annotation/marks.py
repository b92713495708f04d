"""What a person corrected and marked, checked against the item and its meeting."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.schema import SUBTASKS, Content, Evidence
from annotation.verdicts import Mark, Verdict, VerdictKind
from grga.errors import AnnotationError
from grga.types import Meeting, TimeSpan

SLACK = 0.05
"""Seconds by which a mark may pass the end of the recording, for a page that rounds."""


def resolve(marks: Sequence[Mark], meeting: Meeting) -> tuple[Evidence, ...]:
    """Return the marks as evidence, in order of time, with who speaks and what is said.

    Raises:
        AnnotationError: an utterance that the meeting does not have, one marked twice, or a span that
            lies outside the meeting or touches nothing of its utterance.
    """
    seen: set[int] = set()
    found: list[Evidence] = []
    for mark in marks:
        if mark.utt_id >= len(meeting.utterances):
            raise AnnotationError(
                f"the meeting has no utterance {mark.utt_id}",
                expected=f"0 to {len(meeting.utterances) - 1}",
                fix="reload the page",
            )
        if mark.utt_id in seen:
            raise AnnotationError(f"utterance {mark.utt_id} is marked twice", fix="mark it once")
        if mark.end > meeting.duration + SLACK:
            raise AnnotationError(
                "the marked span lies outside the meeting",
                found=f"{mark.start:g}–{mark.end:g} s",
                expected=f"0–{meeting.duration:g} s",
                fix="set its ends again",
            )
        if not TimeSpan(mark.start, mark.end).touches(meeting.utterances[mark.utt_id].span):
            raise AnnotationError(
                f"the marked span {mark.start:g}–{mark.end:g} s is not where utterance {mark.utt_id} is",
                fix="set its ends again",
            )
        seen.add(mark.utt_id)
        times = {"start": round(mark.start, 3), "end": round(min(mark.end, meeting.duration), 3)}
        found.append(Evidence.of(meeting, mark.utt_id).model_copy(update=times))
    return tuple(sorted(found, key=lambda one: (one.start, one.end, one.utt_id)))


def check_edit(proposed: Content, verdict: Verdict) -> VerdictKind:
    """Return what the verdict is: an edit that only moves the evidence is an acceptance of the words.

    Raises:
        AnnotationError: an edit that changes nothing, a correction in a verdict that is no edit, an
            answerable item left without evidence, or a subtask that its type does not have.
    """
    given = {
        name: value
        for name in ("question", "answer", "type", "subtask")
        if (value := getattr(verdict, name)) is not None
    }
    changes = {name: value for name, value in given.items() if value != getattr(proposed, name)}
    if changes and verdict.kind is not VerdictKind.EDIT:
        raise AnnotationError(
            f"the verdict {verdict.kind} cannot change the {next(iter(changes))}", fix="send it as an edit"
        )
    if verdict.marks == () and proposed.evidence and verdict.kind is not VerdictKind.REJECT:
        raise AnnotationError("an answer needs evidence", fix="mark it, or reject the question")
    if any(not value.strip() for value in changes.values()):
        raise AnnotationError(
            "a question and its answer cannot be empty", fix="write them or reject the question"
        )
    kind = given.get("type", proposed.type)
    subtask = given.get("subtask", proposed.subtask)
    if subtask not in SUBTASKS[kind]:
        raise AnnotationError(
            f"{kind} questions have no subtask {subtask!r}", fix=f"choose one of: {', '.join(SUBTASKS[kind])}"
        )
    if verdict.kind is VerdictKind.EDIT and not changes:
        if verdict.marks is None:
            raise AnnotationError("the edit changes nothing", fix="accept the question instead")
        return VerdictKind.ACCEPT
    return verdict.kind

"""What the verdicts on an item come to. Pure: the same verdicts always give the same decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from annotation.schema import Content, Status
from annotation.spans import MIN_IOU, agree, temporal_iou
from annotation.verdicts import Judgement, Role, VerdictKind
from grga.types import TimeSpan


@dataclass(frozen=True)
class Decision:
    """Where an item stands, who settled it (None: nobody yet), and what it then says."""

    status: Status
    verifier: str | None
    content: Content


def decide(proposed: Content, judgements: Sequence[Judgement], overlap: int) -> Decision:
    """Return what ``judgements``, in the order given, make of the proposed item.

    An adjudicator's decision is final. A flag asks for one. Otherwise ``overlap`` annotators must
    have decided; if they say the same about the same stretches of time the item is settled with the
    first one's evidence, else it needs an adjudicator.
    """
    standing = [one for one in judgements if not one.undone]
    final = [one for one in standing if one.role is Role.ADJUDICATOR and one.decides]
    if final:
        return _settled(proposed, final[-1], final[-1].annotator)
    votes = _votes(standing)
    if dispute(proposed, standing, overlap):
        return Decision(Status.ADJUDICATION, None, proposed)
    if len(votes) < overlap:
        return Decision(Status.IN_REVIEW if votes else Status.PROPOSED, None, proposed)
    return _settled(proposed, votes[0], ", ".join(vote.annotator for vote in votes))


def dispute(proposed: Content, judgements: Sequence[Judgement], overlap: int) -> str:
    """Return why an adjudicator is needed, as a clause; "" when none is."""
    standing = [one for one in judgements if not one.undone and one.role is Role.ANNOTATOR]
    flags = [one for one in standing if one.kind is VerdictKind.FLAG]
    if flags:
        return "flagged" + "".join(f": {flag.note}" for flag in flags if flag.note)
    votes = _votes(standing)
    if len(votes) < overlap:
        return ""
    if len({_statement(proposed, vote) for vote in votes}) > 1:
        kinds = [vote.kind.value for vote in votes]
        return "the edits differ" if len(set(kinds)) == 1 else f"the verdicts differ ({', '.join(kinds)})"
    if votes[0].kind is VerdictKind.REJECT:
        return ""
    marked = [spans(proposed, vote) for vote in votes]
    for vote, own in zip(votes, marked, strict=True):
        if not agree(iou := temporal_iou(own, proposed.spans)):
            return f"{vote.annotator}'s evidence is not the proposed one (IoU {iou:.2f}, needs > {MIN_IOU:g})"
    for (one, own), (other, theirs) in combinations(zip(votes, marked, strict=True), 2):
        if not agree(iou := temporal_iou(own, theirs)):
            names = f"{one.annotator} and {other.annotator}"
            return f"{names} mark different evidence (IoU {iou:.2f}, needs > {MIN_IOU:g})"
    return ""


def spans(proposed: Content, judgement: Judgement) -> tuple[TimeSpan, ...]:
    """Return the stretches of time that a judgement takes for the evidence."""
    return proposed.spans if judgement.marked is None else tuple(one.span for one in judgement.marked)


def corrected(proposed: Content, judgement: Judgement) -> Content:
    """Return the item as a judgement would have it."""
    changes = {
        "question": judgement.question,
        "answer": judgement.answer,
        "type": judgement.type,
        "subtask": judgement.subtask,
        "evidence": judgement.marked,
    }
    return proposed.model_copy(update={name: value for name, value in changes.items() if value is not None})


def _votes(standing: Sequence[Judgement]) -> list[Judgement]:
    return [one for one in standing if one.role is Role.ANNOTATOR and one.decides]


def _statement(proposed: Content, vote: Judgement) -> tuple[str, ...]:
    """What a vote says about everything but time; two votes agree when theirs are equal."""
    if vote.kind is VerdictKind.REJECT:
        return ("reject",)
    wanted = corrected(proposed, vote)
    words = (" ".join(text.split()) for text in (wanted.question, wanted.answer))
    return ("keep", *words, wanted.type, wanted.subtask)


def _settled(proposed: Content, judgement: Judgement, verifier: str) -> Decision:
    if judgement.kind is VerdictKind.REJECT:
        return Decision(Status.REJECTED, verifier, proposed)
    return Decision(Status.ACCEPTED, verifier, corrected(proposed, judgement))

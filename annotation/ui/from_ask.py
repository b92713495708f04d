"""Answers of the Ask tab as items: a question that somebody asked is worth verifying."""

from __future__ import annotations

from annotation import queries, workflow
from annotation.generation.hops import hop_count
from annotation.schema import SUBTASKS, Evidence, Generator, QAItem
from annotation.ui.desk import Desk
from grga.agent.steps import Decomposition, Metadata
from grga.errors import AnnotationError
from grga.history import Asked, Part
from grga.ui.texts import t

BY = "Ask"


def take_over(desk: Desk, asked: Asked) -> str:
    """Propose what each meeting answered as an item and return one sentence for the visitor.

    Raises:
        AnnotationError: there is nothing in it to verify, or it is there already.
        StoreError: a meeting is gone.
    """
    items = [
        _item(desk, asked, part, place) for place, part in enumerate(asked.parts) if part.answer.sentences
    ]
    if not items:
        raise AnnotationError("this answer says nothing that could be verified")
    with desk.workspace.reading() as session:
        known = queries.keys(session, [item.key for item in items])
    new = [item for item in items if item.key not in known]
    if not new:
        return t("This answer is in Annotate already.")
    workflow.add_items(desk.workspace, new, BY)
    for item in new:
        desk.run_checks(item)
    return t("It is in Annotate now, waiting to be verified.")


def _item(desk: Desk, asked: Asked, part: Part, place: int) -> QAItem:
    """Return what one meeting answered as an item, its evidence resolved from the ids of the citations."""
    meeting = desk.services.load(part.meeting_id)
    said = meeting.meeting.utterances
    cited = [one.utterance for one in part.answer.citations if one.utterance < len(said)]
    found = [step.metadata for step in part.steps if isinstance(step, Decomposition)]
    about = found[0] if found else Metadata()
    kind, known = about.question_type, SUBTASKS[about.question_type]
    cost = part.answer.cost
    return QAItem(
        key=f"ask-{asked.token}-{place + 1}",
        meeting=part.meeting_id,
        type=kind,
        subtask=about.subtask if about.subtask in known else known[0],
        question=asked.question[:2000],
        answer=" ".join(sentence.text for sentence in part.answer.sentences)[:8000],
        evidence=tuple(Evidence.of(meeting.meeting, id) for id in dict.fromkeys(cited)),
        hops=hop_count(meeting.graph, cited) if cited else 0,
        answerable=bool(cited),
        language=meeting.meeting.language or None,
        generator=Generator(
            name="ask", prompt=f"{part.answer.system} {part.answer.policy}", seconds=round(cost.seconds, 3)
        ),
    )

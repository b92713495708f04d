"""Verification without a page: one question at a time, one line per verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from annotation.verdicts import Reason, Verdict, read_verdict
from annotation.workflow import Task, adjudicate, judge, next_dispute, next_task, release, undo
from annotation.workspace import Workspace
from grga.errors import GrgaError
from grga.scopes import clock

HELP = f"""a              accept
e ANSWER       accept with this answer instead
r REASON NOTE  reject: {", ".join(reason.value.replace(" ", "-") for reason in Reason)}
f NOTE         flag for an adjudicator
s              skip
u              undo your last verdict
q              quit"""

_KINDS = {"a": "accept", "e": "edit", "r": "reject", "f": "flag", "s": "skip"}


def verify_in_terminal(
    workspace: Workspace,
    annotator: str,
    meeting: str | None = None,
    batch: str | None = None,
    *,
    adjudicating: bool = False,
    read: Callable[[str], str] = input,
    show: Callable[[str], None] = print,
    seconds: Callable[[], float] = time.monotonic,
) -> None:
    """Show what waits for ``annotator`` and take verdicts until nothing waits, ``q``, or the input ends.

    Args:
        workspace: Where the items are.
        annotator: Who judges.
        meeting: Only this one.
        batch: Only this one.
        adjudicating: Settle disputes instead of judging.
        read: Asks for a line.
        show: Prints a line.
        seconds: A clock that only ever grows.
    """
    choose, keep = (next_dispute, adjudicate) if adjudicating else (next_task, judge)
    show(HELP)
    try:
        while (task := choose(workspace, annotator, meeting=meeting, batch=batch)) is not None:
            for line in _lines(task):
                show(line)
            began = seconds()
            try:
                key, _, rest = read("> ").strip().partition(" ")
                if key == "q":
                    return
                if key == "u":
                    show("taken back" if undo(workspace, annotator) else "there is nothing to undo")
                elif key in _KINDS:
                    keep(workspace, task.item.key, annotator, _verdict(key, rest.strip(), seconds() - began))
                else:
                    show(HELP)
            except GrgaError as error:
                show(str(error))
        show("nothing waits for you")
    except EOFError:
        return
    finally:
        release(workspace, annotator)


def _verdict(key: str, rest: str, spent: float) -> Verdict:
    values: dict[str, object] = {"kind": _KINDS[key], "seconds": spent}
    if key == "e":
        values["answer"] = rest
    elif key == "r":
        reason, _, values["note"] = rest.partition(" ")
        values["reason"] = reason.replace("-", " ")
    else:
        values["note"] = rest
    return read_verdict(values)


def _lines(task: Task) -> Iterator[str]:
    item = task.item
    yield ""
    yield f"[{item.type} · {item.subtask}] {item.question}"
    yield f"  {item.answer}"
    for one in item.evidence:
        yield f"    {clock(one.start)}–{clock(one.end)} {one.speaker}: {one.text}"
    if task.dispute:
        yield f"  in dispute: {task.dispute}"
    for said in task.verdicts:
        yield f"    {said.annotator}: {' '.join(filter(None, (said.kind, said.reason, said.answer, said.note)))}"

"""Items from a file: what is sound comes in, what is not is reported by its line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from annotation import queries
from annotation.export import load
from annotation.schema import QAItem
from annotation.workflow import add_items
from annotation.workspace import Workspace
from grga.errors import StoreError


class Duplicates(StrEnum):
    """What to do with an item whose key is taken by one that differs."""

    REFUSE = "refuse"
    UPDATE = "update"


@dataclass(frozen=True)
class ImportReport:
    """What came in.

    Attributes:
        added: New items.
        updated: Items that replaced those with their keys.
        unchanged: Items that are there already, exactly so.
        problems: One sentence per record that did not come in, with its line or row.
        notes: What a person should know about those that did.
    """

    added: int
    updated: int
    unchanged: int
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def import_items(
    workspace: Workspace,
    data: bytes,
    format: str,
    by: str,
    *,
    duplicates: Duplicates = Duplicates.REFUSE,
    overlap: int | None = None,
) -> ImportReport:
    """Add the items of a file; with their history, so that exporting them again gives the same file.

    Args:
        workspace: Where they go.
        data: The file.
        format: "jsonl", "csv" or "parquet".
        by: Who imports it.
        duplicates: What to do about known keys. Items that are there exactly so are never a problem.
        overlap: Annotators per new item; by default what the workspace's rules say.

    Raises:
        AnnotationError: no such format, or the file as a whole is not in it.
    """
    problems: list[str] = []
    found: dict[str, tuple[int, QAItem]] = {}
    unit = "row" if format == "parquet" else "line"
    for row in load(data, format):
        if row.item is None:
            problems.append(f"{unit} {row.number}: {row.problem}")
        elif row.item.key in found:
            first = found[row.item.key][0]
            problems.append(f"{unit} {row.number}: the key {row.item.key!r} is in {unit} {first} already")
        else:
            found[row.item.key] = row.number, row.item
    with workspace.reading() as session:
        known = {key: queries.item(session, key) for key in queries.keys(session, found)}
    new = [item for key, (_, item) in found.items() if key not in known]
    changed = {key: item for key, (_, item) in found.items() if key in known and item != known[key]}
    if duplicates is Duplicates.REFUSE:
        problems += [
            f"{unit} {found[key][0]}: there is another question {key!r} already: "
            "import it with “update” to replace that one"
            for key in changed
        ]
        changed = {}
    add_items(workspace, [*new, *changed.values()], by, overlap=overlap, update=True)
    same = sum(item == known.get(key) for key, (_, item) in found.items())
    return ImportReport(
        len(new), len(changed), same, tuple(sorted(problems, key=_place)), _notes(workspace, new)
    )


def _place(problem: str) -> int:
    return int(problem.split(":", 1)[0].split()[1])


def _notes(workspace: Workspace, items: list[QAItem]) -> tuple[str, ...]:
    """Say which meetings are not here, so that their evidence cannot be heard."""
    notes = []
    for meeting in dict.fromkeys(item.meeting for item in items):
        try:
            workspace.meeting(meeting)
        except StoreError:
            notes.append(
                f"the meeting {meeting!r} is not here: its questions cannot be heard until it is imported too"
            )
    return tuple(notes)

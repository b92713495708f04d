"""The kinds of edits that people make to a finished meeting, cleaned and limited in one place."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from grga.errors import StoreError

LONGEST_TEXT = 2000
LONGEST_NAME = 80
LONGEST_TITLE = 200
LONGEST_TAG = 40
MOST_TAGS = 20

# Marks that reorder the text around them; a name that holds one changes how its whole line reads.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


class _Edit(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rename(_Edit):
    """Show the speaker with this id under another name."""

    kind: Literal["rename"] = "rename"
    speaker: str
    name: str


class Merge(_Edit):
    """Two ids are one person: all lines of ``speaker`` become lines of ``into``."""

    kind: Literal["merge"] = "merge"
    speaker: str
    into: str


class Reassign(_Edit):
    """These lines were spoken by ``speaker``; None stands for somebody new (the lines are split off)."""

    kind: Literal["reassign"] = "reassign"
    utterances: tuple[int, ...]
    speaker: str | None = None


class EditText(_Edit):
    """What was really said in one line."""

    kind: Literal["text"] = "text"
    utterance: int
    text: str


class SetTitle(_Edit):
    """Another title for the meeting."""

    kind: Literal["title"] = "title"
    title: str


class SetTags(_Edit):
    """The meeting's tags, all of them; none removes them."""

    kind: Literal["tags"] = "tags"
    tags: tuple[str, ...] = ()


Edit = Annotated[Rename | Merge | Reassign | EditText | SetTitle | SetTags, Field(discriminator="kind")]


class EditRecord(BaseModel):
    """One edit in a meeting's history.

    Attributes:
        number: Counts the lines of the history from 1; 0 for an edit that had nothing to change and so was
            not written.
        at: When (UTC).
        by: Who, as the caller said; may be empty.
        edit: What, with cleaned text.
        undone: Whether it was taken back, by ``undone_by`` at ``undone_at``.
        applies: False for an edit that no longer fits the meeting: it was made on the lines of an earlier
            recognition, or its speaker is gone.
        summary: One sentence, written when it was made: ``Line 12 (0:34): "caff" → "café"``.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    at: datetime
    by: str
    edit: Edit
    undone: bool = False
    applies: bool = True
    summary: str = ""
    undone_at: datetime | None = None
    undone_by: str = ""


def cleaned(edit: Edit) -> Edit:
    """Return ``edit`` with its texts on one line and without control characters.

    Raises:
        StoreError: a text that is empty or too long, too many tags, or no lines.
    """
    match edit:
        case Rename():
            return edit.model_copy(update={"name": _limited("name", edit.name, LONGEST_NAME)})
        case EditText():
            return edit.model_copy(update={"text": _limited("text of a line", edit.text, LONGEST_TEXT)})
        case SetTitle():
            return edit.model_copy(update={"title": _limited("title", edit.title, LONGEST_TITLE)})
        case SetTags():
            tags = tuple(dict.fromkeys(_limited("tag", tag, LONGEST_TAG) for tag in edit.tags))
            if len(tags) > MOST_TAGS:
                raise StoreError(
                    "these are too many tags",
                    found=len(tags),
                    expected=f"at most {MOST_TAGS}",
                    fix="drop some",
                )
            return edit.model_copy(update={"tags": tags})
        case Reassign():
            if not edit.utterances:
                raise StoreError("no line is chosen", fix="choose the lines that somebody else spoke")
            return edit.model_copy(update={"utterances": tuple(sorted(set(edit.utterances)))})
        case Merge():
            return edit


def one_line(text: str) -> str:
    """Return ``text`` composed (NFC), without control characters, all white space as single spaces."""
    spaced = (" " if char.isspace() else char for char in unicodedata.normalize("NFC", text))
    kept = (
        char for char in spaced if unicodedata.category(char) not in ("Cc", "Cs") and char not in _REORDERING
    )
    return " ".join("".join(kept).split())


def _limited(what: str, text: str, longest: int) -> str:
    text = one_line(text)
    if not any(unicodedata.category(char)[0] in "LNPS" for char in text):  # nothing, or nothing to be seen
        raise StoreError(f"the {what} is empty", fix="write something")
    if len(text) > longest:
        raise StoreError(
            f"the {what} is too long",
            found=f"{len(text)} characters",
            expected=f"at most {longest}",
            fix="shorten it",
        )
    return text

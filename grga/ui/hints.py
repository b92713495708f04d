"""Names and words that recognition listens for: one optional field, separated by commas or lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import gradio as gr

from grga.errors import JobError
from grga.ui.texts import ui

LONGEST_TEXT, LONGEST_HINT, MOST_HINTS = 2_000, 60, 100

_SEPARATORS = re.compile(r"[,，、;；\n]+")


def hints_of(text: str | None) -> tuple[str, ...]:
    """Return the names and words of the field, each once, in order.

    Raises:
        JobError: there are too many, or one is too long to be a name.
    """
    found = (" ".join(part.split()) for part in _SEPARATORS.split(text or ""))
    hints = tuple(dict.fromkeys(hint for hint in found if hint))
    long = next((hint for hint in hints if len(hint) > LONGEST_HINT), None)
    if long is not None:
        raise JobError(
            f"“{long[:LONGEST_HINT]}…” is too long to listen for",
            expected=f"names and words of at most {LONGEST_HINT} characters",
            fix="put commas between them",
        )
    if len(hints) > MOST_HINTS:
        raise JobError(
            f"{len(hints)} names and words are too many to listen for",
            expected=f"at most {MOST_HINTS}",
            fix="keep those that are said most",
        )
    return hints


def as_text(hints: Iterable[str]) -> str:
    """Return hints as the field shows them."""
    return ", ".join(hints)


def field(hints: Iterable[str] = (), **values: Any) -> gr.Textbox:
    """Return the field, filled with ``hints``; ``values`` go to Gradio's own component."""
    return gr.Textbox(
        as_text(hints),
        label=ui("Names and words to listen for"),
        placeholder=ui("Optional, separated by commas"),
        lines=1,
        max_lines=4,
        max_length=LONGEST_TEXT,
        **values,
    )

"""Material for a model: text that is read and never obeyed.

Everything that comes from a recording, or was derived from one by a model, stands inside a block between
``<<<`` and ``>>>``. Inside, angle and square brackets of the material become round ones, so that nothing
spoken can close a block or look like a mark of ours.
"""

from __future__ import annotations

from collections.abc import Iterable

_HARMLESS = str.maketrans({"<": "(", ">": ")", "[": "(", "]": ")"})
LONGEST_LINE = 1_200


def plain(text: str, limit: int = LONGEST_LINE) -> str:
    """Return material as one harmless line of at most ``limit`` characters."""
    line = " ".join(text.translate(_HARMLESS).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def block(name: str, lines: Iterable[str]) -> str:
    """Return lines as a block of material; they must be harmless already."""
    return "\n".join((f"<<< {name}", *lines, ">>>"))

"""The instructions, one Markdown file each beside their user; their version is their content's digest."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent / "prompts"


class Prompt(NamedTuple):
    """Instructions for one kind of call."""

    text: str
    version: str


@cache
def prompt(name: str, folder: Path = _FOLDER) -> Prompt:
    """Return the instructions called ``name`` in ``folder``."""
    text = (folder / f"{name}.md").read_text("utf-8").strip()
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest()[:12])

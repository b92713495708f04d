"""Instructions for a model: one Markdown file each beside their user; their version is their digest."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Prompt(NamedTuple):
    """Instructions for one kind of call."""

    text: str
    version: str


@cache
def read_prompt(file: Path) -> Prompt:
    """Return the instructions in ``file``."""
    text = file.read_text("utf-8").strip()
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest()[:12])

"""The policy's instructions, in ``prompts/`` beside this module."""

from __future__ import annotations

from pathlib import Path

from grga.llm.prompts import Prompt, read_prompt

_FOLDER = Path(__file__).parent / "prompts"


def prompt(name: str) -> Prompt:
    """Return the instructions called ``name``."""
    return read_prompt(_FOLDER / f"{name}.md")

"""The Evaluate tab, and the page of raters."""

from __future__ import annotations

from pathlib import Path


def script() -> str:
    """Return the JavaScript of the tab's own elements, a block of its own."""
    return f"{{\n{(Path(__file__).resolve().parent / 'js' / 'copy.js').read_text('utf-8')}\n}}\n"

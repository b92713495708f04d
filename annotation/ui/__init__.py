"""The Annotate tab."""

from __future__ import annotations

from pathlib import Path

SCRIPTS = (
    "spans",
    "material",
    "outbox",
    "editor",
    "keys",
    "guidelines",
    "bench",
    "verify",
    "settle",
    "items",
    "compose",
)


def script() -> str:
    """Return the JavaScript of the elements; it needs that of the timeline before it.

    It is a block of its own, so that its names are nobody else's.
    """
    folder = Path(__file__).resolve().parent / "js"
    parts = "\n".join((folder / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return f"{{\n{parts}\n}}\n"

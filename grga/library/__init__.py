"""One question to many meetings: the most promising first, one after the other, answers by meeting."""

from __future__ import annotations

from grga.library.asking import Ask, ask_library
from grga.library.records import (
    Candidate,
    Event,
    LibraryAnswer,
    LibraryStep,
    Note,
    numbered,
    total_cost,
)

__all__ = [
    "Ask",
    "Candidate",
    "Event",
    "LibraryAnswer",
    "LibraryStep",
    "Note",
    "ask_library",
    "numbered",
    "total_cost",
]

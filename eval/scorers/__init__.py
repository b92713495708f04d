"""Scorers: a stored answer becomes a number that can defend itself. One file per idea."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Score:
    """One judgement of one answer.

    Attributes:
        value: What counts, usually 0..1; None when it could not be judged.
        reason: Why, in one sentence.
        details: What it was made from.
    """

    value: float | None
    reason: str = ""
    details: dict[str, Any] = field(default_factory=dict)

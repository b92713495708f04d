"""What the paper reports, for columns beside ours: always labelled, never mixed with what was measured."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

LABEL = "reported by the paper"


@cache
def reported() -> dict[str, Any]:
    """Return the paper's tables by name ("table8_human_1to5", …)."""
    tables: dict[str, Any] = json.loads(Path(__file__).with_name("paper.json").read_text("utf-8"))
    return tables

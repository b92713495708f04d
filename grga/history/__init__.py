"""What was asked and answered: kept per visitor, opened again by link, shown with today's names.

An answer is kept as it stood. :func:`current` brings it up to date with a meeting whose speakers were
renamed or merged and whose lines were corrected since; a deleted meeting leaves the answer as text.
"""

from __future__ import annotations

from grga.history.records import Asked, AskedLine, Part
from grga.history.table import COMMENT_LENGTH, REASONS, History
from grga.history.today import current

__all__ = ["COMMENT_LENGTH", "REASONS", "Asked", "AskedLine", "History", "Part", "current"]

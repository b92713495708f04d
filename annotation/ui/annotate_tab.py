"""Annotate: says what will be here."""

from __future__ import annotations

from grga.ui.render import plans
from grga.ui.theme import pane

POINTS = (
    ("Propose", "Questions, answers and evidence written from a meeting, by a model or by hand."),
    ("Verify", "One unit at a time: the clip plays, one key accepts, edits, rejects or skips."),
    ("Agree", "Several people per item, blind to each other, with agreement and its interval."),
    ("Export", "A data set whose splits never cut through a meeting."),
)


def build() -> None:
    """Lay out the tab inside the current ``gr.Tab``."""
    pane(plans("Annotate", "Turn questions about a meeting into a verified data set.", POINTS))

"""Meetings: the library, or one opened meeting in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from grga.ui import library_panel, meeting_panel
from grga.ui.services import Services


@dataclass(frozen=True)
class MeetingsTab:
    """What other tabs connect to.

    ``ask`` is the button that asks about the ``opened`` meeting; ``chosen`` are the ids of meetings
    selected in the library to be asked together.
    """

    opened: gr.State
    ask: gr.Button
    chosen: gr.State


def build(services: Services, page: gr.Blocks) -> MeetingsTab:
    """Lay out the tab inside the current ``gr.Tab`` and wire it; ``page`` gives the load event."""
    library = library_panel.build(services, page)
    meeting = meeting_panel.build(services, library.open)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    meeting.opened.change(lambda id: gr.update(visible=not id), meeting.opened, library.shelf, **quiet)
    meeting.closed.change(library.listed, None, library.library, **quiet)
    return MeetingsTab(meeting.opened, meeting.ask, library.chosen)

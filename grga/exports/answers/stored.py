"""The meetings of a kept answer as the store has them today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grga.audio import Waveform
from grga.types import Meeting

if TYPE_CHECKING:
    from grga.history import Asked
    from grga.store import Store


@dataclass(frozen=True, slots=True)
class StoredMeeting:
    """A meeting with its recording, without the indices that only a question needs."""

    meeting: Meeting
    waveform: Waveform | None


def stored_meetings(asked: Asked, store: Store) -> dict[str, StoredMeeting]:
    """Return the meetings of an answer by id; those that were deleted are not in it.

    Raises:
        StoreError: a meeting is there, but a file of it is damaged.
        AudioError: its decoded recording is damaged.
    """
    found: dict[str, StoredMeeting] = {}
    for part in asked.parts:
        folder = store.folder(part.meeting_id)
        if folder.exists():
            waveform = Waveform.open(folder.audio) if folder.audio.is_file() else None
            found[part.meeting_id] = StoredMeeting(folder.read_meeting(), waveform)
    return found

"""Files that hold several recordings: which one to read."""

from __future__ import annotations

from collections.abc import Iterable

from grga.errors import TranscriptError
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source


def chosen_recording(names: Iterable[str], source: Source, notes: Notes) -> str:
    """Return the recording asked for, or the first one, with a note when there are others.

    Raises:
        TranscriptError: the one asked for is not in the file.
    """
    known = list(dict.fromkeys(names))
    shown = ", ".join(known[:5]) + (", …" if len(known) > 5 else "")
    if source.meeting is None or (len(known) == 1 and not known[0]):
        if len(known) > 1:
            notes.add(
                f"the file holds {len(known)} recordings ({shown}); only the first, {known[0]}, was read"
            )
        return known[0] if known else ""
    if source.meeting not in known:
        raise TranscriptError(
            f"{source.path.name} holds no recording {source.meeting!r}",
            found=shown or "none",
            fix="choose one of these",
        )
    return source.meeting

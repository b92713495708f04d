"""Collecting what an import repaired or skipped, without drowning the reader."""

from __future__ import annotations

from dataclasses import dataclass, field

from grga.speech.transcripts.model import Note

MOST_NOTES = 50
_LINES_SHOWN = 5


@dataclass
class Notes:
    """A growing list of notes. ``kind`` groups notes that say the same about different lines."""

    _entries: list[tuple[str, Note]] = field(default_factory=list)

    def add(self, message: str, line: int | None = None, kind: str | None = None) -> None:
        """Add one note; without ``kind`` the message is its own kind."""
        self._entries.append((kind or message, Note(line, message)))

    def result(self, most: int = MOST_NOTES) -> tuple[Note, ...]:
        """Return all notes or, when there are more than ``most``, one summary for each kind."""
        if len(self._entries) <= most:
            return tuple(note for _, note in self._entries)
        kinds: dict[str, list[Note]] = {}
        for kind, note in self._entries:
            kinds.setdefault(kind, []).append(note)
        return tuple(_summary(kind, notes) for kind, notes in kinds.items())


def _summary(kind: str, notes: list[Note]) -> Note:
    if len(notes) == 1:
        return notes[0]
    lines = [str(note.line) for note in notes if note.line is not None]
    where = f", lines {', '.join(lines[:_LINES_SHOWN])}" if lines else ""
    more = ", …" if len(lines) > _LINES_SHOWN else ""
    return Note(None, f"{kind} ({len(notes)} times{where}{more})")

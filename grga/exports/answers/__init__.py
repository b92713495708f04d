"""Writing an answer for people: the question, what was answered, and the evidence to read or to hear."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from grga import registry
from grga.exports.answers.records import answer_record, library_record
from grga.exports.answers.sheet import Recorded
from grga.exports.answers.stored import StoredMeeting, stored_meetings

if TYPE_CHECKING:
    from grga.history import Asked

__all__ = [
    "FORMATS",
    "Recorded",
    "StoredMeeting",
    "answer_record",
    "export_answer",
    "library_record",
    "stored_meetings",
]

# The names are also the files' suffixes.
FORMATS = {
    "md": "grga.exports.answers.markdown:export",
    "docx": "grga.exports.answers.word:export",
    "zip": "grga.exports.answers.archive:export",
}


def export_answer(asked: Asked, meetings: Mapping[str, Recorded], format: str) -> bytes:
    """Return a kept answer as a file, with the words and names that its meetings have today.

    Args:
        asked: From :class:`grga.history.History`.
        meetings: The answer's meetings by id; one that is not here counts as deleted.
        format: A key of ``FORMATS``; "zip" is Markdown with a clip for every citation.

    Raises:
        ConfigError: ``format`` is not in ``FORMATS``.
    """
    write: Callable[[Asked, Mapping[str, Recorded]], bytes] = registry.load("answer format", format, FORMATS)
    return write(asked, meetings)

"""Writing a meeting for people and other tools: one file per format, always with speakers and times."""

from __future__ import annotations

from collections.abc import Callable

from grga import registry
from grga.types import Meeting

__all__ = ["FORMATS", "export"]

# The names are also the files' suffixes.
FORMATS = {
    "txt": "grga.exports.txt:export",
    "srt": "grga.exports.srt:export",
    "vtt": "grga.exports.vtt:export",
    "rttm": "grga.exports.rttm:export",
    "json": "grga.exports.json_format:export",
    "md": "grga.exports.md:export",
    "docx": "grga.exports.docx_format:export",
}


def export(meeting: Meeting, format: str) -> str | bytes:
    """Return the meeting in ``format``: text to be written as UTF-8, or bytes (docx).

    Raises:
        ConfigError: ``format`` is not in ``FORMATS``.
    """
    write: Callable[[Meeting], str | bytes] = registry.load("export format", format, FORMATS)
    return write(meeting)

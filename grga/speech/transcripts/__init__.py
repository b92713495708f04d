"""Reading transcripts that other tools made: one file per format, one report of what was repaired."""

from __future__ import annotations

from pathlib import Path

from grga import registry
from grga.errors import TranscriptError
from grga.speech.transcripts.assemble import assemble
from grga.speech.transcripts.model import Format, ImportedTranscript, ImportReport, Note, Parsed
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.qmsum import meeting_from_qmsum
from grga.speech.transcripts.source import Source, open_source

__all__ = [
    "FORMATS",
    "ImportReport",
    "ImportedTranscript",
    "Note",
    "meeting_from_qmsum",
    "read_transcript",
    "suffixes",
]

# In the order in which an unknown file is tried: the surest marks first, plain text last.
FORMATS = {
    "vtt": "grga.speech.transcripts.vtt:FORMAT",
    "srt": "grga.speech.transcripts.srt:FORMAT",
    "textgrid": "grga.speech.transcripts.textgrid:FORMAT",
    "nxt": "grga.speech.transcripts.nxt:FORMAT",
    "grga": "grga.speech.transcripts.grga_json:FORMAT",
    "ami_clip": "grga.speech.transcripts.ami_clip:FORMAT",
    "qmsum": "grga.speech.transcripts.qmsum:FORMAT",
    "seglst": "grga.speech.transcripts.seglst:FORMAT",
    "segments": "grga.speech.transcripts.segments:FORMAT",
    "rttm": "grga.speech.transcripts.rttm:FORMAT",
    "ctm": "grga.speech.transcripts.ctm:FORMAT",
    "stm": "grga.speech.transcripts.stm:FORMAT",
    "text": "grga.speech.transcripts.plain:FORMAT",
}


def read_transcript(
    path: Path, *, format: str | None = None, words: Path | None = None, meeting: str | None = None
) -> ImportedTranscript:
    """Read a transcript file (or an NXT folder) of any known format.

    Args:
        path: The file; ".gz" is unpacked on the way.
        format: A name of ``FORMATS``; None finds it out from content and suffix.
        words: For RTTM, which holds turns only: the file that holds the words.
        meeting: Which meeting to read where the file or folder holds several.

    Raises:
        TranscriptError: the file is missing, empty, of no known format, or holds no utterances.
        ConfigError: ``format`` is no known name.
    """
    notes = Notes()
    companion = _read_words(Path(words), meeting, notes) if words is not None else None
    source = open_source(Path(path), notes, words=companion, meeting=meeting)
    name = format or find_format(source)
    reader = load_format(name)
    if name != "text" and not reader.matches(source):
        raise TranscriptError(
            f"{source.path.name} cannot be read as {reader.title}",
            found=describe(source),
            fix="leave the format out",
        )
    parsed = reader.read(source, notes)
    return assemble(parsed, notes, name=source.stem, format=name, encoding=source.encoding)


def _read_words(path: Path, meeting: str | None, notes: Notes) -> Parsed:
    source = open_source(path, notes, meeting=meeting)
    try:
        name = find_format(source)
    except TranscriptError:
        name = "text"  # bare words are no transcript, but they are words
    return load_format(name).read(source, notes)


def load_format(name: str) -> Format:
    """Return the reader called ``name``."""
    reader: Format = registry.load("transcript format", name, FORMATS)
    return reader


def suffixes() -> frozenset[str]:
    """Return the suffixes of files that are taken for transcripts (".srt", …)."""
    return frozenset(suffix for name in FORMATS for suffix in load_format(name).suffixes) | {".gz"}


def find_format(source: Source) -> str:
    """Return the name of the format whose content fits, preferring one with this suffix.

    Raises:
        TranscriptError: nothing fits, neither content nor suffix.
    """
    formats = {name: load_format(name) for name in FORMATS}
    fitting = [name for name, reader in formats.items() if reader.matches(source)]
    same_suffix = [name for name, reader in formats.items() if source.suffix in reader.suffixes]
    for name in fitting:
        if name in same_suffix:
            return name
    if fitting:
        return fitting[0]
    raise TranscriptError(
        f"{source.path.name} is not a transcript that can be read",
        found=describe(source),
        expected=f"one of {', '.join(reader.title for reader in formats.values())}",
    )


def describe(source: Source) -> str:
    """Return in a few words what the file looks like."""
    if source.path.is_dir():
        return "a folder"
    document = source.document
    if isinstance(document, dict):
        return f"a JSON object with the keys {', '.join(list(document)[:6]) or 'none'}"
    if isinstance(document, list):
        return f"a JSON list of {len(document)} items"
    if source.suffix in (".json", ".jsonl"):
        return "text that is not valid JSON"
    opening = next((line.strip() for line in source.lines if line.strip()), "")
    return f"text that begins {opening[:40]!r}"

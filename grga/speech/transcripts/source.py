"""A transcript file in memory: bytes to text, text to lines or JSON."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grga.errors import TranscriptError
from grga.speech.transcripts.model import Parsed
from grga.speech.transcripts.notes import Notes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a]")
_HALF_LETTER = re.compile(r"[\ud800-\udfff]")
_OTHER_FILES = (
    (b"RIFF", "a WAV recording"),
    (b"fLaC", "a FLAC recording"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
    (b"\xff\xfb", "an MP3 recording"),
    (b"\x1aE\xdf\xa3", "a WebM or Matroska recording"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"SQLite format 3", "an SQLite database"),
)


@dataclass(frozen=True)
class Source:
    """One transcript file (or folder, then ``text`` is empty).

    Attributes:
        path: Where it lies; the name without suffixes is the title when the file has none.
        text: The whole text with "\\n" line ends and without a byte order mark.
        encoding: How the bytes were read.
        words: What a second file holds, which gives the words where this one has only turns.
        meeting: Which meeting to take from a file or folder that holds several.
    """

    path: Path
    text: str
    encoding: str
    words: Parsed | None = None
    meeting: str | None = None

    @cached_property
    def lines(self) -> list[str]:
        """The lines; ``lines[i]`` is line i + 1 of the file."""
        return self.text.split("\n")

    @cached_property
    def document(self) -> Any:
        """The JSON value, a list for JSON lines, or None when the file is not JSON."""
        if not self.text.lstrip().startswith(("{", "[")):
            return None
        try:
            return _whole_letters(json.loads(self.text))
        except (ValueError, RecursionError):
            return self._json_lines()

    def _json_lines(self) -> list[Any] | None:
        try:
            return [_whole_letters(json.loads(line)) for line in self.lines if line.strip()]
        except (ValueError, RecursionError):
            return None

    @property
    def stem(self) -> str:
        """The file name up to its first dot ("ES2003a" of "ES2003a.words.ctm.gz")."""
        return self.path.name.lstrip(".").split(".")[0] or self.path.name

    @property
    def suffix(self) -> str:
        """The last suffix in lower case, not counting ".gz"."""
        suffixes = [suffix.lower() for suffix in self.path.suffixes if suffix.lower() != ".gz"]
        return suffixes[-1] if suffixes else ""


def _whole_letters(value: Any) -> Any:
    """Return the JSON value with half letters (a lone "\\ud83d") replaced: no file could hold them."""
    if isinstance(value, str):
        return value if value.isascii() else _HALF_LETTER.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole_letters(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole_letters(item) for key, item in value.items()}
    return value


def open_source(
    path: Path, notes: Notes, *, words: Parsed | None = None, meeting: str | None = None
) -> Source:
    """Return the file's text; gzip is unpacked, the encoding is found out and noted if unusual.

    Raises:
        TranscriptError: no such file, an empty file, or one that is not text.
    """
    data = _read_bytes(path)
    if data is None:
        return Source(path, "", "", words, meeting)
    for magic, what in _OTHER_FILES:
        if data.startswith(magic):
            raise TranscriptError(f"{path.name} is not a transcript", found=what, expected="a text file")
    text, encoding = decode(data, notes)
    if len(_CONTROL.findall(text)) > len(text) / 100:
        raise TranscriptError(f"{path.name} is not a transcript", found="binary data", expected="a text file")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise TranscriptError(
            f"{path.name} is empty", found=f"{len(data)} bytes without text", fix="choose another file"
        )
    return Source(path, text, encoding, words, meeting)


def _read_bytes(path: Path) -> bytes | None:
    """Return the unpacked bytes of a file, None for a folder."""
    try:
        if path.is_dir():
            return None
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except FileNotFoundError:
        raise TranscriptError(f"there is no file {path}", fix="check the path") from None
    except (OSError, EOFError, zlib.error) as error:
        raise TranscriptError(f"{path.name} cannot be read: {error}", fix="check the file") from None


def decode(data: bytes, notes: Notes) -> tuple[str, str]:
    """Return text and encoding: byte order mark, UTF-8, UTF-16 without mark, GB 18030, cp1252, latin-1."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            text = data.decode(encoding, errors="replace")
            if "\ufffd" in text:
                notes.add(f"some bytes are not valid {encoding}; they are shown as \ufffd")
            return text, encoding.removesuffix("-sig")
    bare = _bare_utf16(data)
    if bare is not None:
        notes.add(f"no byte order mark; read as {bare}")
        return data.decode(bare, errors="replace"), bare
    for encoding in ("utf-8", *(("gb18030",) if _looks_chinese(data) else ()), "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "utf-8":
            notes.add(f"the file is not UTF-8; read as {encoding}, check the accented letters")
        return text, encoding
    notes.add("the file is not UTF-8; read as latin-1, check the accented letters")
    return data.decode("latin-1"), "latin-1"


def _bare_utf16(data: bytes) -> str | None:
    """Return the UTF-16 order whose zero high bytes fill one half of the first bytes."""
    head = data[:200]
    half = len(head) // 2
    if half and head[1::2].count(0) > 0.4 * half and head[0::2].count(0) == 0:
        return "utf-16-le"
    if half and head[0::2].count(0) > 0.4 * half and head[1::2].count(0) == 0:
        return "utf-16-be"
    return None


def _looks_chinese(data: bytes) -> bool:
    """Return whether high bytes come in pairs: GB text does that, accented Latin letters stand alone."""
    runs = re.findall(rb"[\x81-\xfe]+", data)
    return bool(runs) and sum(len(run) % 2 == 0 for run in runs) >= 0.95 * len(runs)

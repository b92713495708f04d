"""Recognition's notebook: finished clips, kept line by line so that a killed run goes on after them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from grga.manifest import saving_to
from grga.stages import digest_of
from grga.types import Word


@dataclass(frozen=True)
class Recognised:
    """What was said: the language (ISO 639-1, None when nothing was) and the words in order of time."""

    language: str | None
    words: tuple[Word, ...]


class ClipDraft:
    """Recognised clips, one JSON line each, below a first line that says what they belong to."""

    def __init__(self, path: Path, belongs_to: Any) -> None:
        self.path = path
        self.head = digest_of(TypeAdapter(Any).dump_python(belongs_to, mode="json"))
        self.language: str | None = None
        self.words: list[tuple[Word, ...]] = []
        lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
        # A line without its line feed was cut by the kill.
        whole = [line for line in lines if line.endswith(b"\n")]
        if whole and json.loads(whole[0])["head"] == self.head:
            self.language = json.loads(whole[0])["language"]
            self.words = [TypeAdapter(tuple[Word, ...]).validate_json(line) for line in whole[1:]]

    def begin(self, language: str | None) -> None:
        """Write the first line, and again the clips that are finished."""
        self.language = language
        head = json.dumps({"head": self.head, "language": language}).encode() + b"\n"
        with saving_to(self.path.parent):
            self.path.write_bytes(head + b"".join(self._line(words) for words in self.words))

    def add(self, words: tuple[Word, ...]) -> None:
        """Keep the words of the next clip."""
        self.words.append(words)
        with saving_to(self.path.parent), self.path.open("ab") as stream:
            stream.write(self._line(words))

    @staticmethod
    def _line(words: tuple[Word, ...]) -> bytes:
        return TypeAdapter(tuple[Word, ...]).dump_json(words) + b"\n"

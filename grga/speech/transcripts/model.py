"""What a transcript reader hands on, and what an import gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grga.types import Acoustics, Speaker, Utterance, Word

if TYPE_CHECKING:
    from grga.speech.transcripts.notes import Notes
    from grga.speech.transcripts.source import Source


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that was repaired, skipped or guessed; ``line`` counts from 1, None = no one line."""

    line: int | None
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line is not None else self.message


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How the file was understood.

    Attributes:
        format: The reader's name ("srt", "nxt", …).
        encoding: How the bytes became text ("utf-8", "utf-16", "cp1252", …).
        counts: ``read`` (turns found), ``kept`` (utterances made), ``dropped``, ``speakers``, ``words``.
        notes: Everything repaired, skipped or guessed, in the order met; summarised when long.
    """

    format: str
    encoding: str
    counts: Mapping[str, int]
    notes: tuple[Note, ...]

    @property
    def warnings(self) -> list[str]:
        """The notes as plain sentences."""
        return [str(note) for note in self.notes]


@dataclass(frozen=True, slots=True)
class ImportedTranscript:
    """A transcript ready to become a meeting: ``utterances[i].id == i``, in order of start time.

    Speaker ids are "S1", "S2", … in order of first speaking (``unknown`` for nobody); the label in
    the file is the speaker's name. ``duration`` is in seconds.
    """

    title: str
    utterances: tuple[Utterance, ...]
    speakers: tuple[Speaker, ...]
    language: str | None
    duration: float
    report: ImportReport


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as a file has it, before repair: any value may be missing or wrong.

    ``label`` is the speaker as written; ``line`` the line it came from. Without any start in the whole
    file the times are estimated, see :mod:`grga.speech.transcripts.timing`. ``second`` is the label of
    somebody who talks beside.
    """

    label: str | None
    start: float | None
    end: float | None
    text: str
    words: tuple[Word, ...] = ()
    line: int | None = None
    confidence: float | None = None
    acoustics: Acoustics | None = None
    second: str | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """All that a reader found in a file.

    Attributes:
        turns: In file order.
        title: The meeting's name, if the file has one.
        language: ISO 639-1 code, if stated.
        duration: Seconds, if stated.
        names: Speaker label -> name to show, where they differ.
        roles: Speaker label -> role, where known.
        labels_are_ids: Keep the labels as speaker ids (our own export) instead of numbering them.
        exact: Text and empty turns are kept as they are (our own export, turns without words).
    """

    turns: list[Turn]
    title: str | None = None
    language: str | None = None
    duration: float | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    labels_are_ids: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of transcript file.

    ``suffixes`` decide between several formats that all match; ``matches`` looks at the content.
    """

    title: str
    suffixes: tuple[str, ...]
    matches: Callable[[Source], bool]
    read: Callable[[Source, Notes], Parsed]

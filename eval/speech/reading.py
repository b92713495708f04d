"""Who says what when, from the files that speech tools write, kept as they are.

The readers of :mod:`grga.speech.transcripts` repair what they read so that a meeting can be made of it;
scoring must not, so RTTM, STM and SegLST, which may hold several recordings, are read here to the letter.
Everything else (CTM, SRT, TextGrid, our own JSON, …) is read as any transcript and holds one recording.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grga.errors import EvaluationError
from grga.speech.transcripts import read_transcript
from grga.types import TimeSpan

NOT_SPOKEN = ("SPKR-INFO", "NOSCORE", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "SU", "IP", "CB", "A/P")


@dataclass(frozen=True)
class Said:
    """One stretch of one speaker; ``text`` is empty where a file only says who speaks."""

    speaker: str
    span: TimeSpan
    text: str = ""


Recordings = dict[str, list[Said]]
"""What was said in each recording, in file order."""


def read_speech(path: Path) -> Recordings:
    """Return what a file holds, by recording.

    Raises:
        EvaluationError: it cannot be read, or a line is damaged; the sentence names the line.
        TranscriptError: it is no transcript.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    reader = {".rttm": _rttm, ".stm": _stm}.get(suffixes[-1] if suffixes else "")
    if suffixes[-2:] == [".seglst", ".json"]:
        reader = _seglst
    if reader is None:
        imported = read_transcript(path)
        names = {speaker.id: speaker.name for speaker in imported.speakers}
        said = [Said(names[one.speaker], one.span, one.text) for one in imported.utterances]
        return {imported.title: said}
    found: Recordings = {}
    for recording, said_one in reader(path, _text(path)):
        found.setdefault(recording, []).append(said_one)
    if not found:
        raise EvaluationError(f"nobody speaks in {path.name}", found="no turns")
    return found


def read_uem(path: Path) -> dict[str, list[TimeSpan]]:
    """Return the stretches of each recording that are to be scored.

    Raises:
        EvaluationError: the file cannot be read, or a line is damaged.
    """
    found: dict[str, list[TimeSpan]] = {}
    for number, line in _lines(_text(path)):
        fields = line.split()
        if len(fields) != 4:
            raise _damaged(path, number, "recording, channel, start and end")
        found.setdefault(fields[0], []).append(_span(path, number, fields[2], fields[3]))
    return found


def paired(reference: Recordings, hypothesis: Recordings) -> list[tuple[str, list[Said], list[Said]]]:
    """Return recordings with what was said and what was heard; one of each is a pair whatever the names.

    Nothing was heard in a recording that only the reference has.

    Raises:
        EvaluationError: the hypothesis has recordings that the reference does not know.
    """
    if len(reference) == len(hypothesis) == 1:
        [(name, said)], [heard] = reference.items(), hypothesis.values()
        return [(name, said, heard)]
    strange = [name for name in hypothesis if name not in reference]
    if strange:
        raise EvaluationError(
            "the two files are about different recordings",
            found=f"{', '.join(strange)} in the hypothesis alone",
            expected=", ".join(reference),
        )
    return [(name, said, hypothesis.get(name, [])) for name, said in reference.items()]


def _rttm(path: Path, text: str) -> Iterator[tuple[str, Said]]:
    for number, line in _lines(text):
        fields = line.split()
        if fields[0] in NOT_SPOKEN:
            continue
        if len(fields) < 8 or fields[0] not in ("SPEAKER", "LEXEME"):
            raise _damaged(path, number, "SPEAKER, recording, channel, start, length, …, speaker")
        start, length = _number(path, number, fields[3]), _number(path, number, fields[4])
        if length < 0:
            raise _damaged(path, number, "a length of at least 0")
        if fields[0] == "SPEAKER":
            yield fields[1], Said(fields[7], TimeSpan(start, start + length))


def _stm(path: Path, text: str) -> Iterator[tuple[str, Said]]:
    for number, line in _lines(text):
        fields = line.split(None, 5)
        if len(fields) < 5:
            raise _damaged(path, number, "recording, channel, speaker, start, end, words")
        words = fields[5] if len(fields) > 5 else ""
        if words.startswith("<"):  # an optional label such as <o,f0,male>
            words = words.partition(">")[2].strip()
        yield fields[0], Said(fields[2], _span(path, number, fields[3], fields[4]), words)


def _seglst(path: Path, text: str) -> Iterator[tuple[str, Said]]:
    try:
        listed: list[dict[str, Any]] = json.loads(text)
        for number, one in enumerate(listed, start=1):
            span = _span(path, number, one["start_time"], one["end_time"])
            yield str(one["session_id"]), Said(str(one["speaker"]), span, str(one.get("words", "")))
    except (ValueError, KeyError, TypeError) as error:
        raise EvaluationError(
            f"{path.name} is not SegLST",
            found=str(error),
            expected="a list of objects with session_id, speaker, start_time, end_time and words",
        ) from None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise EvaluationError(f"the file {path} cannot be read: {error}") from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith((";", "#")):
            yield number, line


def _number(path: Path, line: int, text: str) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        raise _damaged(path, line, "seconds") from None


def _span(path: Path, line: int, start: str, end: str) -> TimeSpan:
    first, last = _number(path, line, start), _number(path, line, end)
    try:
        return TimeSpan(first, last)
    except ValueError:
        raise _damaged(path, line, "an end after the start") from None


def _damaged(path: Path, line: int, expected: str) -> EvaluationError:
    return EvaluationError(f"line {line} of {path.name} is damaged", expected=expected)

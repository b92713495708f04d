"""DailyTalk (Lee et al. 2023): short dialogues of two people, 20 of them joined into one input as in the paper.

``path`` holds ``data/DIALOGUE/TURN_SPEAKER_dDIALOGUE.wav`` with a ``.txt`` beside each. Dialogues are taken
in the order of their numbers, turns in theirs, and joined without a pause; a turn's times are where its
samples lie in what was joined. 2,541 dialogues make 128 inputs, the last of a single dialogue. The same
two voices speak in all of them, so an input has two speakers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from eval.corpora import Size, Source
from eval.corpora.recorded import Recorded, existing, questions
from eval.items import EvalItem
from grga.audio import SAMPLE_RATE, Waveform, decode, write_wav
from grga.config import Config
from grga.errors import EvaluationError
from grga.store import Store

DIALOGUES = 20
_TURN = re.compile(r"(?P<turn>\d+)_(?P<speaker>\d+)_d(?P<dialogue>\d+)\.wav")


@dataclass(frozen=True)
class Turn:
    """One turn on disk."""

    dialogue: int
    number: int
    speaker: str
    file: Path

    @property
    def text(self) -> str:
        """What is said.

        Raises:
            EvaluationError: the text file is missing or empty.
        """
        file = self.file.with_suffix(".txt")
        try:
            text = " ".join(file.read_text("utf-8").split())
        except (OSError, UnicodeDecodeError):
            text = ""
        if not text:
            raise EvaluationError(f"the text of {self.file.name} is missing", expected=str(file))
        return text


class DailyTalk:
    """DailyTalk with its own texts, or heard by our pipeline."""

    name = "DailyTalk"

    def __init__(self, path: Path, *, heard: bool = False) -> None:
        self._path, self._heard = path, heard
        self._dialogues = _dialogues(existing(path / "data", "DailyTalk's data"))

    def sources(self) -> Iterator[Source]:
        """Return the inputs, each of 20 dialogues."""
        numbers = sorted(self._dialogues)
        for at in range(0, len(numbers), DIALOGUES):
            turns = [turn for number in numbers[at : at + DIALOGUES] for turn in self._dialogues[number]]
            yield _source(f"DailyTalk-{at // DIALOGUES + 1:03}", turns, heard=self._heard)

    def items(self, meetings: dict[str, str]) -> list[EvalItem]:
        """Return the questions that lie beside the corpus."""
        return questions(self._path, self.name, meetings)


def heard(path: Path) -> DailyTalk:
    """Return DailyTalk as our pipeline hears it."""
    return DailyTalk(path, heard=True)


def _dialogues(folder: Path) -> dict[int, list[Turn]]:
    found: dict[int, list[Turn]] = {}
    for file in folder.glob("*/*.wav"):
        match = _TURN.fullmatch(file.name)
        if match:
            turn = Turn(int(match["dialogue"]), int(match["turn"]), match["speaker"], file)
            found.setdefault(turn.dialogue, []).append(turn)
    if not found:
        raise EvaluationError(
            f"there are no dialogues in {folder}",
            expected="files such as data/23/0_1_d23.wav",
            fix="see docs/corpora.md",
        )
    for number, turns in found.items():
        turns.sort(key=lambda turn: turn.number)
        if [turn.number for turn in turns] != list(range(len(turns))):
            raise EvaluationError(
                f"a turn of dialogue {number} is missing",
                found=", ".join(str(turn.number) for turn in turns),
                expected=f"0 to {turns[-1].number}",
                fix="unpack the archive again",
            )
    return found


def _source(name: str, turns: Sequence[Turn], *, heard: bool) -> Source:
    def index(store: Store, config: Config) -> str:
        joined = join(name, turns, store.home / "corpora")
        return joined.source(heard=heard).index(store, config)

    def size() -> Size:
        return Size(sum(_seconds(turn.file) for turn in turns), len(turns))

    return Source(name, index, size)


def join(name: str, turns: Sequence[Turn], folder: Path) -> Recorded:
    """Return the turns as one recording with its transcript, made in ``folder`` if they are not there yet.

    Args:
        name: Of the input.
        turns: In order.
        folder: For the two files.

    Raises:
        EvaluationError: a text is missing.
        AudioError: a file cannot be decoded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = [turn.text for turn in turns]
    digest = hashlib.sha256("\n".join([*(str(turn.file) for turn in turns), *texts]).encode()).hexdigest()[
        :12
    ]
    wav, transcript = folder / f"{name}-{digest}.wav", folder / f"{name}-{digest}.json"
    if not transcript.is_file():
        pieces, utterances, samples = [], [], 0
        with TemporaryDirectory(dir=folder) as scratch:
            for turn, text in zip(turns, texts, strict=True):
                decode(turn.file, Path(scratch) / "turn.wav", max_hours=1)
                waveform = Waveform.open(Path(scratch) / "turn.wav")
                pieces.append(waveform.samples())
                begin, samples = samples, samples + len(waveform)
                utterances.append(_utterance(turn, text, begin, samples))
        write_wav(wav, np.concatenate(pieces))
        draft = transcript.with_suffix(".part")
        draft.write_text(json.dumps({"title": name, "language": "en", "utterances": utterances}), "utf-8")
        draft.replace(transcript)
    return Recorded(name, transcript, wav)


def _seconds(file: Path) -> float:
    import soundfile

    try:
        return float(soundfile.info(file).duration)
    except soundfile.LibsndfileError:
        raise EvaluationError(f"{file} is no recording", fix="unpack the archive again") from None


def _utterance(turn: Turn, text: str, begin: int, end: int) -> dict[str, Any]:
    return {
        "speaker": f"Speaker {turn.speaker}",
        "start": begin / SAMPLE_RATE,
        "end": end / SAMPLE_RATE,
        "text": text,
    }

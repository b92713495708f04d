"""AMI Meeting Corpus (Carletta et al. 2005): manual annotations as NXT XML, and recordings.

``path`` holds ``words/``, ``segments/`` and ``corpusResources/meetings.xml`` as the manual annotations
unpack, itself or in one folder below it. Recordings may lie anywhere below ``path``, named as the corpus
names them; of several, the first of ``MICROPHONES`` is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.corpora import Source
from eval.corpora.recorded import Recorded, existing, questions, with_recordings
from eval.items import EvalItem
from grga.errors import EvaluationError

MICROPHONES = ("Array1-01", "Mix-Headset", "Mix-Lapel")
"""A single far microphone, as in the paper's "AMI-sdm"; then what is mixed of near ones."""


class AMI:
    """AMI with its own transcripts, or heard by our pipeline."""

    name = "AMI"

    def __init__(self, path: Path, *, heard: bool = False) -> None:
        self._path, self._heard = path, heard
        annotations = _annotations(path)
        for part in ("segments", "corpusResources"):
            existing(annotations / part, f"AMI's {part}")
        names = sorted({file.name.split(".")[0] for file in (annotations / "words").glob("*.words.xml")})
        if not names:
            raise EvaluationError(
                f"there are no words files in {annotations / 'words'}", fix="see docs/corpora.md"
            )
        recordings = {file.name: file for file in sorted(path.rglob("*.wav"))}
        self._meetings = with_recordings(
            [
                Recorded(
                    name,
                    annotations,
                    next(
                        (found for mic in MICROPHONES if (found := recordings.get(f"{name}.{mic}.wav"))), None
                    ),
                    meeting=name,
                )
                for name in names
            ],
            self.name,
            heard=heard,
        )

    def sources(self) -> Iterator[Source]:
        """Return every meeting that has words, by name."""
        return (one.source(heard=self._heard) for one in self._meetings)

    def items(self, meetings: dict[str, str]) -> list[EvalItem]:
        """Return the questions that lie beside the corpus."""
        return questions(self._path, self.name, meetings)


def heard(path: Path) -> AMI:
    """Return AMI as our pipeline hears it."""
    return AMI(path, heard=True)


def _annotations(path: Path) -> Path:
    """Return the folder with ``words/``: ``path`` or one just below it."""
    for folder in (path, *sorted(path.glob("*/"))):
        if (folder / "words").is_dir():
            return folder
    return existing(path / "words", "AMI's words").parent

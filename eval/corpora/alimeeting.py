"""AliMeeting (Yu et al. 2022): Mandarin meetings, one TextGrid and one far-field recording each.

``path`` is anywhere above folders ``textgrid_dir/`` with, beside them, ``audio_dir/``, as the archives
unpack (``Eval_Ali/Eval_Ali_far/textgrid_dir``, …). Where far-field and headset folders are both there, the
far-field ones are taken. A recording's name is its TextGrid's, or begins with it and an underscore.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.corpora import Source
from eval.corpora.recorded import Recorded, questions, with_recordings
from eval.items import EvalItem
from grga.errors import EvaluationError


class AliMeeting:
    """AliMeeting with its own transcripts, or heard by our pipeline."""

    name = "AliMeeting"

    def __init__(self, path: Path, *, heard: bool = False) -> None:
        self._path, self._heard = path, heard
        folders = sorted(folder for folder in path.rglob("textgrid_dir") if folder.is_dir())
        folders = [folder for folder in folders if folder.parent.name.endswith("_far")] or folders
        files = [file for folder in folders for file in sorted(folder.glob("*.TextGrid"))]
        if not files:
            raise EvaluationError(
                f"there is no AliMeeting at {path}",
                expected="folders textgrid_dir/ with *.TextGrid",
                fix="see docs/corpora.md",
            )
        self._meetings = with_recordings(
            [Recorded(file.stem, file, _recording(file)) for file in files], self.name, heard=heard
        )

    def sources(self) -> Iterator[Source]:
        """Return every meeting, in the order of folders and names."""
        return (one.source(heard=self._heard) for one in self._meetings)

    def items(self, meetings: dict[str, str]) -> list[EvalItem]:
        """Return the questions that lie beside the corpus."""
        return questions(self._path, self.name, meetings)


def heard(path: Path) -> AliMeeting:
    """Return AliMeeting as our pipeline hears it."""
    return AliMeeting(path, heard=True)


def _recording(transcript: Path) -> Path | None:
    folder = transcript.parent.parent / "audio_dir"
    found = [folder / f"{transcript.stem}.wav", *sorted(folder.glob(f"{transcript.stem}_*.wav"))]
    return next((file for file in found if file.is_file()), None)

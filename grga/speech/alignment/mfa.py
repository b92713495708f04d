"""The Montreal Forced Aligner, a program of its own (McAuliffe et al. 2017): ``mfa align_one``."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from grga.audio import Waveform, write_wav
from grga.errors import ModelError, TranscriptError
from grga.models import ModelSource
from grga.speech.alignment.placing import Found, by_letters, placed
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.textgrid import FORMAT
from grga.types import TimeSpan, Word

USUAL = {"en": ("english_us_arpa", "english_us_arpa"), "zh": ("mandarin_mfa", "mandarin_china_mfa")}
"""Acoustic model and dictionary per language (https://mfa-models.readthedocs.io)."""
PATIENCE = 600.0
"""Seconds for one clip; the first one compiles the dictionary."""
INSTALL = "conda create -n aligner -c conda-forge montreal-forced-aligner, and put its bin folder into PATH"


class MontrealAligner:
    """One run of the program per clip. It measures no confidence: words keep theirs.

    ``model`` names an acoustic model and a dictionary ("ACOUSTIC" or "ACOUSTIC,DICTIONARY"), installed
    with ``mfa model download`` or given as paths.

    Raises:
        ModelError: the command ``mfa`` is not in PATH.
    """

    def __init__(self, model: str | None = None, *, source: ModelSource = ModelSource()) -> None:
        self._named = model
        command = shutil.which("mfa")
        if command is None:
            raise ModelError("the command mfa (Montreal Forced Aligner) is not installed", fix=INSTALL)
        self._command = command

    def align(
        self, waveform: Waveform, clip: TimeSpan, words: Sequence[Word], language: str | None
    ) -> tuple[Word, ...]:
        """See :class:`grga.speech.alignment.Aligner`.

        Raises:
            ModelError: no model is known for this language, or the program failed.
        """
        samples = waveform.levelled(clip)
        if not words or not samples.any():
            return placed(words, clip, [None] * len(words))
        acoustic, dictionary = self._models(language or "en")
        with tempfile.TemporaryDirectory(prefix="grga-mfa-") as folder:
            sound, text, grid = (Path(folder) / name for name in ("clip.wav", "clip.lab", "clip.TextGrid"))
            write_wav(sound, samples)
            text.write_text(" ".join(word.text for word in words), encoding="utf-8")
            self._run("align_one", sound, text, dictionary, acoustic, grid)
            heard = _intervals(grid, clip)
        return placed(words, clip, by_letters(words, heard))

    def _models(self, language: str) -> tuple[str, str]:
        if self._named:
            acoustic, _, dictionary = self._named.partition(",")
            return acoustic.strip(), dictionary.strip() or acoustic.strip()
        if language not in USUAL:
            raise ModelError(
                f"no usual models of the Montreal Forced Aligner for the language {language!r}",
                expected=" or ".join(USUAL),
                fix='name them: alignment.model = "ACOUSTIC,DICTIONARY"',
            )
        return USUAL[language]

    def _run(self, *arguments: str | Path) -> None:
        try:
            done = subprocess.run(
                [self._command, *map(str, arguments)],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ModelError(f"mfa cannot be run: {error}", fix="look at its installation") from error
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[-1]
            raise ModelError(
                f"mfa failed: {said}",
                fix="models come with `mfa model download acoustic NAME` and `… dictionary NAME`",
            )


def _intervals(grid: Path, clip: TimeSpan) -> list[tuple[str, Found]]:
    """Return the words of the program's TextGrid, on the recording's clock."""
    try:
        parsed = FORMAT.read(Source(grid, grid.read_text(encoding="utf-8"), "utf-8"), Notes())
    except (OSError, TranscriptError) as error:
        raise ModelError(f"mfa wrote no TextGrid that can be read: {error}") from error
    return [
        (word.text, Found(clip.start + word.span.start, clip.start + word.span.end))
        for turn in parsed.turns
        for word in turn.words
    ]

"""SeACo-Paraformer through FunASR (Shi et al. 2023, https://arxiv.org/abs/2308.03266): Mandarin, hot words."""

from __future__ import annotations

import logging
from collections.abc import Container, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ConfigError
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.asr.units import letters, split_units, timed_words
from grga.speech.funasr_models import load_funasr, run_funasr
from grga.types import TimeSpan, Word

log = logging.getLogger(__name__)

SHORTEST = 0.1
"""Seconds; its features need more than one window."""


class Paraformer:
    """All characters of a clip at once, each with its time; English words inside Mandarin stay whole."""

    usual = "paraformer-zh"
    languages = frozenset({"zh"})
    marks = False
    word_times = True

    def __init__(
        self,
        model: str | None = None,
        *,
        beam_size: int = 1,
        hints: Sequence[str] = (),
        source: ModelSource = ModelSource(),
    ) -> None:
        folder = locate(model or self.usual, source)
        self._model = load_funasr(folder, torch_device(source.device))
        self._scratch = TemporaryDirectory(prefix="grga-hints-")
        self._hot_words = _hot_word_file(hints, folder, Path(self._scratch.name)) if hints else None

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """Return "zh": it knows no other."""
        return "zh" if clips else None

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """See :class:`grga.speech.asr.Asr`.

        Raises:
            ConfigError: another language than Mandarin was asked for.
        """
        if language is not None and language not in self.languages:
            raise ConfigError(f"Paraformer does not know the language {language!r}", expected="zh")
        samples = waveform.levelled(clip)
        if len(samples) < SHORTEST * SAMPLE_RATE or not samples.any():
            return ()
        heard = run_funasr(lambda: self._model.generate(input=samples, hotword=self._hot_words), "Paraformer")
        if not heard or not (text := str(heard[0].get("text", "")).strip()):
            return ()
        # It writes a space after every character and word, and has a time for each of them.
        return timed_words(text, text.split(), heard[0].get("timestamp") or (), clip)


def hot_words(hints: Sequence[str], known: Container[str]) -> dict[str, str | None]:
    """Return each hint as the model has to be given it; None for one that it could not write.

    A word outside its dictionary is spelt, as it writes acronyms itself: FunASR would put ``<unk>`` there,
    and the model would then listen for just that.

    Args:
        hints: Names and product words.
        known: Its dictionary: Han characters, English words, letters.

    >>> hot_words(["张伟", "GRGA 项目", "Ærø"], set("张伟项目agr"))
    {'张伟': '张 伟', 'GRGA 项目': 'g r g a 项 目', 'Ærø': None}
    """
    found: dict[str, str | None] = {}
    for hint in hints:
        words = [letters(unit) for unit in split_units(hint)]
        spelt = [part for word in words for part in ([word] if word in known else word)]
        found[hint] = " ".join(spelt) if spelt and all(part in known for part in spelt) else None
    return found


def _hot_word_file(hints: Sequence[str], folder: Path, scratch: Path) -> str | None:
    """Write the hints one a line: only from a file does FunASR take several words as one hint.

    (Given as text, hints that begin with "http" would be fetched.)
    """
    dictionary = folder / "seg_dict"
    lines = dictionary.read_text(encoding="utf-8").splitlines() if dictionary.is_file() else []
    ready = hot_words(hints, {line.split()[0] for line in lines if line.strip()})
    if refused := [hint for hint, line in ready.items() if line is None]:
        log.warning("asr: hints that this model cannot write are left out: %s", ", ".join(refused))
    accepted = [line for line in ready.values() if line is not None]
    if not accepted:
        return None
    path = scratch / "hints.txt"
    path.write_text("\n".join(accepted) + "\n")  # in the locale's encoding, as FunASR reads it
    return str(path)

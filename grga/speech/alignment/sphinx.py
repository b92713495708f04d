"""English words on their sounds with PocketSphinx, whose wheel brings its acoustic model and dictionary.

Hidden Markov models of sounds in context, trained by the CMU Sphinx project (BSD licence); Viterbi over a
grammar that is the text itself with optional silence between words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ConfigError, ModelError
from grga.models import ModelSource
from grga.speech.alignment.english import parts_of
from grga.speech.alignment.placing import Found, placed
from grga.speech.alignment.spoken import spoken
from grga.types import TimeSpan, Word

INSTALL = "pip install pocketsphinx==5.1.1"
LANGUAGE = "en"
FRAME = 0.01
# The text is given, so nothing is won by giving up early on what sounds unlike it.
BEAM = 1e-120
SHORTEST = 0.1


class SphinxAligner:
    """It measures no confidence that would tell right from wrong: words keep theirs.

    Raises:
        ModelError: the package is not installed.
        ConfigError: another model was asked for.
    """

    def __init__(self, model: str | None = None, *, source: ModelSource = ModelSource()) -> None:
        if model is not None:
            raise ConfigError(
                "the aligner pocketsphinx has one model, which comes with it",
                found=f"alignment.model = {model!r}",
                fix="leave alignment.model empty, or choose the aligner ctc",
            )
        try:
            from pocketsphinx import Decoder
        except ImportError:
            raise ModelError("the aligner pocketsphinx is not installed", fix=INSTALL) from None
        # Its second search over the lattice may drop the last words, even all of them.
        self._decoder: Any = Decoder(
            lm=None, bestpath=False, beam=BEAM, pbeam=BEAM, wbeam=BEAM, loglevel="FATAL"
        )

    def align(
        self, waveform: Waveform, clip: TimeSpan, words: Sequence[Word], language: str | None
    ) -> tuple[Word, ...]:
        """See :class:`grga.speech.alignment.Aligner`.

        Raises:
            ConfigError: another language than English.
        """
        if language not in (None, LANGUAGE):
            raise ConfigError(
                f"the aligner pocketsphinx does not know the language {language!r}", expected=LANGUAGE
            )
        parts = [parts_of(spoken(word.text, LANGUAGE), self._decoder.lookup_word) for word in words]
        heard = self._heard(waveform, clip, [part for some in parts for part in some])
        found: list[Found | None] = []
        begin = 0
        for word, some in zip(words, parts, strict=True):
            own = heard[begin : begin + len(some)]
            whole = own and len(own) == len(some)
            found.append(Found(own[0][0], own[-1][1], word.confidence) if whole else None)
            begin += len(some)
        return placed(words, clip, found)

    def _heard(
        self, waveform: Waveform, clip: TimeSpan, parts: Sequence[tuple[str, str | None]]
    ) -> list[tuple[float, float]]:
        """Return start and end of the parts, in order; fewer when the clip ends before the text does."""
        samples = waveform.levelled(clip)
        if not parts or len(samples) < SHORTEST * SAMPLE_RATE or not samples.any():
            return []
        for word, sounds in parts:
            if sounds is not None and self._decoder.lookup_word(word) is None:
                self._decoder.add_word(word, sounds, True)
        self._decoder.set_align_text(" ".join(word for word, _ in parts))
        self._decoder.start_utt()
        pcm = np.rint(samples * 32767).astype("<i2")
        self._decoder.process_raw(pcm.tobytes(), full_utt=True)
        self._decoder.end_utt()
        return [
            (clip.start + segment.start_frame * FRAME, clip.start + (segment.end_frame + 1) * FRAME)
            for segment in self._decoder.seg() or ()
            if not segment.word.startswith(("<", "[", "("))
        ]

"""FireRedASR-AED (Xu et al. 2025, https://arxiv.org/abs/2501.14350): the paper's recogniser.

Its package is built for one hub and one path through it, and its other half needs more packages; the
three classes of the attention model are used directly. It writes capitals and no marks, and measures no times.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ConfigError, ModelError
from grga.models import CARDS, ModelSource, locate
from grga.models.device import torch_device
from grga.speech.asr.units import HAN, split_units, spread
from grga.speech.funasr_models import first_line, run_funasr
from grga.types import TimeSpan, Word

SHORTEST = 0.1
"""Seconds; its features need more than one window."""
DETECT_CLIPS = 2
SMOOTHING = 1.25
"""Softmax smoothing that its authors use with beam search."""


class FireRed:
    """Conformer encoder and attention decoder: Mandarin, its dialects, and English."""

    usual = "firered-aed"
    languages = frozenset({"zh", "en"})
    marks = False
    word_times = False

    def __init__(
        self,
        model: str | None = None,
        *,
        beam_size: int = 1,
        hints: Sequence[str] = (),
        source: ModelSource = ModelSource(),
    ) -> None:
        self._device = torch_device(source.device)
        self._beam_size = beam_size
        folder = locate(model or self.usual, source)
        try:
            self._features, self._model, self._tokens = _loaded(folder, self._device)
        except ImportError as error:
            raise ModelError(f"FireRedASR cannot be used: {error}", fix=CARDS[self.usual].install) from error
        except (OSError, RuntimeError, KeyError, AssertionError, AttributeError, UnpicklingError) as error:
            raise ModelError(
                f"the model in {folder} cannot be loaded: {first_line(error)}",
                fix="get it again with `python -m grga models fetch firered-aed`",
            ) from error

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """Return "zh" when most of what it writes about the first clips is Han, else "en"."""
        return language_of(" ".join(self._text(waveform, clip) for clip in clips[:DETECT_CLIPS]))

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """See :class:`grga.speech.asr.Asr`; it decides itself which of its two languages it hears.

        Raises:
            ConfigError: a language that it does not know.
        """
        if language is not None and language not in self.languages:
            raise ConfigError(f"FireRedASR does not know the language {language!r}", expected="zh or en")
        return spread(split_units(self._text(waveform, clip)), clip)

    def _text(self, waveform: Waveform, clip: TimeSpan) -> str:
        samples = waveform.levelled(clip)
        if len(samples) < SHORTEST * SAMPLE_RATE or not samples.any():
            return ""
        return run_funasr(lambda: self._decoded(samples), "FireRedASR")

    def _decoded(self, samples: npt.NDArray[np.float32]) -> str:
        import torch

        # Its features are of 16-bit samples.
        banks = self._features.cmvn(self._features.fbank((SAMPLE_RATE, samples * 32768)))
        features = torch.from_numpy(banks).float()[None].to(self._device)
        lengths = torch.tensor([features.shape[1]], device=self._device)
        smoothing = SMOOTHING if self._beam_size > 1 else 1.0
        with torch.inference_mode():
            [[best, *_]] = self._model.transcribe(features, lengths, self._beam_size, 1, 0, smoothing)
        return readable(self._tokens.detokenize([int(id) for id in best["yseq"].cpu()]))


def readable(written: str) -> str:
    """Return its text without the signs of its dictionary, in lower case: it knows capitals only.

    >>> readable("我们看 THE ROADMAP<unk><sil>")
    '我们看 the roadmap'
    """
    return " ".join(re.sub(r"<[a-z]+>", " ", written).lower().split())


def language_of(text: str) -> str | None:
    """Return "zh" when Han characters are more than words of other scripts, else "en"; None without text."""
    units = split_units(text)
    if not units:
        return None
    return "zh" if sum(bool(re.match(f"[{HAN}]", unit)) for unit in units) * 2 > len(units) else "en"


def _loaded(folder: Path, device: str) -> tuple[Any, Any, Any]:
    """Return its features, network and tokens; nothing in the weights' file is executed."""
    import torch
    from fireredasr.data.asr_feat import ASRFeatExtractor
    from fireredasr.models.fireredasr_aed import FireRedAsrAed
    from fireredasr.tokenizer.aed_tokenizer import ChineseCharEnglishSpmTokenizer

    with torch.serialization.safe_globals([argparse.Namespace]):
        package = torch.load(folder / "model.pth.tar", map_location="cpu", weights_only=True)
    model = FireRedAsrAed.from_args(package["args"])
    model.load_state_dict(package["model_state_dict"], strict=True)
    model.to(device).eval()
    features = ASRFeatExtractor(str(folder / "cmvn.ark"))
    tokens = ChineseCharEnglishSpmTokenizer(str(folder / "dict.txt"), str(folder / "train_bpe1000.model"))
    return features, model, tokens

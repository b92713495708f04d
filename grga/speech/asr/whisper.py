"""Whisper through faster-whisper (CTranslate2): int8 on the CPU, half precision on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ConfigError
from grga.models import CARDS, ModelSource, locate
from grga.models.device import ctranslate_device, is_gpu
from grga.speech.asr.hints import fitting, respelt
from grga.types import TimeSpan, Word

THREADS = 2
DETECT_CLIPS = 4
NO_SPEECH = 0.6
MIN_LOG_PROBABILITY = -1.0
MAX_COMPRESSION = 2.4
# Whisper writes in the style of what came before: without this, Mandarin comes without punctuation and
# in a mixture of traditional and simplified characters.
STYLE = {"zh": "以下是普通话的会议记录。"}
MOST_HINT_TOKENS = 100
"""Of the 223 tokens that Whisper reads before it writes; hints beyond these are left out, the last first."""


class Whisper:
    """Greedy decoding, no memory between clips, no temperature: the same clip gives the same words.

    With hints every clip is heard twice, and takes twice as long; see :mod:`grga.speech.asr.hints`.

    Attributes:
        hints: Those that there was room for.
    """

    usual = "base"
    languages = None
    marks = True
    word_times = True

    def __init__(
        self,
        model: str | None = None,
        *,
        beam_size: int = 1,
        hints: Sequence[str] = (),
        source: ModelSource = ModelSource(),
    ) -> None:
        from faster_whisper import WhisperModel

        model = model or self.usual
        named = f"whisper-{model}"
        folder = locate(named if named in CARDS else model, source)
        device, index = ctranslate_device(source.device)
        self._model = WhisperModel(
            str(folder),
            device=device,
            device_index=index,
            compute_type="float16" if is_gpu(device) else "int8",
            cpu_threads=THREADS,
        )
        self._beam_size = beam_size
        self.hints = fitting(hints, self._tokens, MOST_HINT_TOKENS)

    def detect_language(self, waveform: Waveform, clips: Sequence[TimeSpan]) -> str | None:
        """See :class:`grga.speech.asr.Asr`; adds up the votes of up to four clips spread over time."""
        if not clips:
            return None
        if len(self._model.supported_languages) == 1:
            return str(self._model.supported_languages[0])
        chosen = np.unique(np.linspace(0, len(clips) - 1, DETECT_CLIPS).round().astype(int))
        votes: dict[str, float] = {}
        for index in chosen:
            _, _, probabilities = self._model.detect_language(waveform.levelled(clips[index]))
            for language, probability in probabilities:
                votes[language] = votes.get(language, 0.0) + probability * clips[index].duration
        return max(votes, key=lambda language: votes[language])

    def transcribe(self, waveform: Waveform, clip: TimeSpan, language: str | None) -> tuple[Word, ...]:
        """See :class:`grga.speech.asr.Asr`; a clip should be at most 30 s.

        Raises:
            ConfigError: a language that the model does not know.
        """
        known = self._model.supported_languages
        if language is not None and language not in known:
            expected = known[0] if len(known) == 1 else "an ISO 639-1 code such as en or zh"
            raise ConfigError(
                f"this Whisper model does not know the language {language!r}", expected=expected
            )
        samples = waveform.levelled(clip)
        if not len(samples):
            return ()
        plain = self._words(samples, clip, language, ())
        if not plain or not self.hints:
            return plain
        return respelt(plain, self._words(samples, clip, language, self.hints), self.hints)

    def _words(
        self, samples: Any, clip: TimeSpan, language: str | None, hints: Sequence[str]
    ) -> tuple[Word, ...]:
        segments = self._segments(samples, language, hints)
        if any(segment.compression_ratio > MAX_COMPRESSION for segment in segments):
            segments = self._segments(samples, language, hints, no_repeat_ngram_size=3)
        end = clip.start + len(samples) / SAMPLE_RATE
        words: list[Word] = []
        for segment in segments:
            if segment.compression_ratio > MAX_COMPRESSION:
                continue
            for heard in segment.words or ():
                word = _word(heard, clip.start, end)
                if words and _hangs_on(heard.word):
                    words[-1] = _joined(words[-1], word)
                elif word.text:
                    words.append(word)
        return tuple(words)

    def _segments(
        self, samples: Any, language: str | None, hints: Sequence[str], *, no_repeat_ngram_size: int = 0
    ) -> list[Any]:
        segments, _ = self._model.transcribe(
            samples,
            language=language,
            initial_prompt=STYLE.get(language or ""),
            hotwords=_glossary(hints, language),
            beam_size=self._beam_size,
            temperature=0.0,
            condition_on_previous_text=False,
            word_timestamps=True,
            no_speech_threshold=NO_SPEECH,
            log_prob_threshold=MIN_LOG_PROBABILITY,
            no_repeat_ngram_size=no_repeat_ngram_size,
        )
        return list(segments)

    def _tokens(self, text: str) -> int:
        return len(self._model.hf_tokenizer.encode(text, add_special_tokens=False).ids)


def _glossary(hints: Sequence[str], language: str | None) -> str | None:
    """Return hints as a sentence: after a bare list Whisper writes more lists, and leaves sentences out."""
    if not hints:
        return None
    return f"词汇：{'、'.join(hints)}。" if language == "zh" else f"Glossary: {', '.join(hints)}."


def _word(word: Any, offset: float, end: float) -> Word:
    first = min(offset + float(word.start), end)
    last = min(max(first, offset + float(word.end)), end)
    confidence = round(float(np.clip(word.probability, 0, 1)), 4)
    return Word(word.word.strip(), TimeSpan(round(first, 3), round(last, 3)), confidence)


def _hangs_on(text: str) -> bool:
    """Return whether Whisper cut inside a word: "o" + "'clock", "x" + "-ray"."""
    return len(text) > 1 and text[0] in "'’-" and text[1].isalnum()


def _joined(first: Word, second: Word) -> Word:
    confidence = min(first.confidence or 0.0, second.confidence or 0.0)
    span = TimeSpan(first.span.start, max(first.span.end, second.span.end))
    return Word(first.text + second.text, span, confidence)

"""Words with a speaker each -> turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grga.speech.transcripts.model import Turn
from grga.types import TimeSpan, Word

SILENCE = 0.8  # seconds without a word that end a turn


def turns_of_words(words: Iterable[Word], silence: float = SILENCE) -> list[Turn]:
    """Return each speaker's runs of words, cut where the speaker is silent for ``silence`` seconds.

    Speakers are grouped apart from one another: overlapping talk stays two whole turns.
    """
    by_speaker: dict[str | None, list[Word]] = {}
    for word in words:
        by_speaker.setdefault(word.speaker, []).append(word)
    turns = []
    for speaker, spoken in by_speaker.items():
        spoken.sort(key=lambda word: word.span.start)
        turns += [_turn(speaker, run) for run in _runs(spoken, silence)]
    return sorted(turns, key=lambda turn: turn.start or 0.0)


def _runs(words: Sequence[Word], silence: float) -> list[list[Word]]:
    runs: list[list[Word]] = []
    end = float("-inf")
    for word in words:
        if word.span.start - end > silence:
            runs.append([])
        runs[-1].append(word)
        end = max(end, word.span.end)
    return runs


def _turn(speaker: str | None, words: Sequence[Word]) -> Turn:
    return Turn(
        speaker,
        words[0].span.start,
        max(word.span.end for word in words),
        join_words(word.text for word in words),
        tuple(Word(word.text, word.span, word.confidence) for word in words),
        confidence=_mean([word.confidence for word in words if word.confidence is not None]),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def join_words(texts: Iterable[str]) -> str:
    """Return the words as running text: punctuation that stands alone joins the word before it."""
    text = ""
    for word in texts:
        alone = bool(word) and all(char in ",.?!;:" for char in word)
        text += word if alone or not text else f" {word}"
    return text


def span_of(start: float, end: float) -> TimeSpan:
    """Return the span between two instants, whichever comes first."""
    return TimeSpan(min(start, end), max(start, end))

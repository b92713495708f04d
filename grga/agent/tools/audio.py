"""Listening: what was measured in a stretch of the recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from grga.agent.sounding import compared, felt, habits_of
from grga.agent.steps import Found, Tokens
from grga.agent.tools.base import Arguments, Context, Result
from grga.errors import QuestionError
from grga.speech.emotion.words import mood_of
from grga.types import Acoustics, TimeSpan

LONGEST_LISTEN = 120.0
"""Seconds of waveform read at once; longer spans use the stored measurements alone."""

MEASURES = ("loudness_db", "loudness_z", "f0_mean_hz", "f0_semitones", "rate", "arousal", "overlap")


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model heard; ``text`` None with the reason in ``note`` when it cannot hear."""

    text: str | None
    note: str = ""
    tokens: Tokens = field(default_factory=Tokens)


class Listen(Protocol):
    """A model that hears. ``seconds`` is the longest piece that it takes."""

    seconds: float

    def __call__(self, samples: npt.NDArray[np.float32], question: str, facts: str) -> Heard:
        """Return what is heard in mono 16 kHz ``samples``; ``facts`` are the measurements, as text."""
        ...


class AudioArguments(Arguments):
    """Seconds from the start of the recording."""

    t_start: float = Field(ge=0, description="seconds")
    t_end: float = Field(ge=0, description="seconds")

    @model_validator(mode="after")
    def _in_order(self) -> AudioArguments:
        if self.t_end < self.t_start:
            raise ValueError(f"t_end ({self.t_end:g}) is before t_start ({self.t_start:g})")
        return self


class AudioSegment:
    """The span's utterances with their measurements, and the loudness of the waveform itself.

    Args:
        listen: A model that hears the span; None gives the measurements alone.
    """

    name = "audio_segment"
    description = (
        "Listen to t_start..t_end seconds: loudness, pitch, rate, overlap and pauses of each utterance, and "
        "where models heard them, its emotion and sounds such as [laughter]; the only way to know how "
        "something was said."
    )
    arguments = AudioArguments
    needs: frozenset[str] = frozenset()

    def __init__(self, listen: Listen | None = None) -> None:
        self.listen = listen

    def run(self, arguments: AudioArguments, context: Context) -> Result:
        """Return the utterances heard and their measurements; ``heard`` is what a model says of them.

        Raises:
            QuestionError: this meeting has no audio and nothing was ever measured in it.
        """
        window = TimeSpan(arguments.t_start, arguments.t_end)
        heard = [one for one in context.utterances if window.touches(one.span) and context.scope.allows(one)]
        measured = [(one, one.acoustics) for one in heard if one.acoustics is not None]
        waveform = context.meeting.waveform
        if waveform is None and not any(one.acoustics for one in context.utterances):
            raise QuestionError("this meeting has no audio to listen to", fix="import it with its recording")
        values: dict[str, Any] = {"t_start": window.start, "t_end": window.end, "utterances": len(heard)}
        for name in MEASURES:
            known = [value for _, one in measured if (value := getattr(one, name)) is not None]
            if known:
                values[name] = round(fmean(known), 2)
        values |= _heard_by_models(sound for _, sound in measured)
        inside = None if waveform is None else window.clipped(TimeSpan(0.0, waveform.duration))
        if waveform is not None and inside is not None and 0 < inside.duration <= LONGEST_LISTEN:
            values["waveform_db"] = _level(waveform.samples(inside))
        habits = habits_of(context.utterances)
        found = tuple(
            Found(
                one.id,
                _stands_out(sound),
                _in_words(
                    compared(sound, habits.get(one.speaker), context.meeting.meeting.name_of(one)),
                    felt(sound),
                ),
            )
            for one, sound in measured
        )
        if self.listen is None or waveform is None or inside is None or inside.duration == 0:
            return Result(found, values)
        piece = TimeSpan(inside.start, min(inside.end, inside.start + self.listen.seconds))
        facts = "; ".join(f"{name} {value}" for name, value in values.items())
        report = self.listen(waveform.levelled(piece), context.question, facts)
        if report.text is not None:
            values |= {"heard": report.text, "heard_until": piece.end}
        else:
            values["heard"] = f"measurements alone: {report.note}"
        return Result(found, values, report.tokens)


def _heard_by_models(sounds: Iterable[Acoustics]) -> dict[str, dict[str, int]]:
    """Return in how many utterances each emotion and each sound is heard; nothing where there is none."""
    heard = tuple(sounds)
    emotions = Counter(mood for one in heard if (mood := mood_of(one)) is not None)
    events = Counter(event for one in heard for event in one.events)
    return {name: dict(found) for name, found in (("emotions", emotions), ("events", events)) if found}


def _in_words(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _stands_out(sound: Acoustics) -> float:
    """How far the utterance departs from its speaker's habit, as a z-score."""
    if sound.arousal is not None:
        return round(sound.arousal, 3)
    return round(sound.loudness_z, 3) if sound.loudness_z is not None else 0.0


def _level(samples: Any) -> float:
    """RMS level in dB relative to full scale; -120 for digital silence."""
    power = float(np.mean(np.square(samples, dtype=np.float64))) if len(samples) else 0.0
    return round(10 * float(np.log10(max(power, 1e-12))), 1)

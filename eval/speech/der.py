"""Who speaks when, wrongly told: the diarization error rate (pyannote.metrics).

DER = (missed + false alarm + confusion) / speech of the reference, all in seconds, where speech of two at
a time counts twice. ``collar`` is the forgiven time on either side of each boundary of the reference;
pyannote's argument of that name is the whole width, twice as much. ``skip_overlap`` leaves out the time
in which several speak in the reference. Without a UEM file, scored is from the first to the last turn of
either side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eval.speech import measuring
from eval.speech.reading import Said
from grga.types import TimeSpan


@dataclass(frozen=True)
class Scoring:
    """What is forgiven; ``collar`` in seconds on either side of a boundary."""

    collar: float = 0.0
    skip_overlap: bool = False

    def __str__(self) -> str:
        return f"collar {self.collar:g} s{', overlap skipped' if self.skip_overlap else ''}"


SCORINGS = (Scoring(), Scoring(0.25), Scoring(0.25, skip_overlap=True))
"""Strict, usual, and the NIST evaluations of old."""


@dataclass(frozen=True)
class SpeakerErrors:
    """Seconds; ``speech`` is of the reference."""

    missed: float = 0.0
    false_alarm: float = 0.0
    confusion: float = 0.0
    speech: float = 0.0

    @property
    def rate(self) -> float | None:
        """The diarization error rate; None when the reference has no speech."""
        return (self.missed + self.false_alarm + self.confusion) / self.speech if self.speech else None

    def __add__(self, other: SpeakerErrors) -> SpeakerErrors:
        """Return the seconds of both together."""
        return SpeakerErrors(
            self.missed + other.missed,
            self.false_alarm + other.false_alarm,
            self.confusion + other.confusion,
            self.speech + other.speech,
        )


def speaker_errors(
    reference: Sequence[Said],
    hypothesis: Sequence[Said],
    scoring: Scoring = SCORINGS[0],
    scored: Sequence[TimeSpan] | None = None,
) -> SpeakerErrors:
    """Return the seconds in which the wrong people, too few or too many are said to speak.

    Args:
        reference: Who speaks when.
        hypothesis: Who was said to; the names need not be the same.
        scoring: What is forgiven.
        scored: The stretches to look at; None takes all.
    """
    spans = [one.span for one in (*reference, *hypothesis)]
    if not spans:
        return SpeakerErrors()
    core, diarization = measuring("pyannote.core"), measuring("pyannote.metrics.diarization")
    if scored is None:
        scored = [TimeSpan(min(one.start for one in spans), max(one.end for one in spans))]
    metric = diarization.DiarizationErrorRate(collar=2 * scoring.collar, skip_overlap=scoring.skip_overlap)
    found = metric(
        _annotation(core, reference),
        _annotation(core, hypothesis),
        uem=core.Timeline([core.Segment(one.start, one.end) for one in scored]),
        detailed=True,
    )
    names = ("missed detection", "false alarm", "confusion", "total")
    return SpeakerErrors(*(float(found[name]) for name in names))


def _annotation(core: Any, said: Sequence[Said]) -> Any:
    annotation = core.Annotation()
    for number, one in enumerate(said):
        if one.span.duration > 0:
            annotation[core.Segment(one.span.start, one.span.end), number] = one.speaker
    return annotation

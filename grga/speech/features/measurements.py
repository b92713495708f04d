"""Loudness, pitch, rate, pauses and overlap of utterances, and how they compare per speaker."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grga.audio import SAMPLE_RATE, Waveform
from grga.speech.features import PitchTracker
from grga.speech.together import Together, Turn, covered
from grga.types import Acoustics, TimeSpan, Utterance

FRAME = SAMPLE_RATE // 20
FLOOR_DB = -100.0
LEAST_UTTERANCES = 3
LEAST_VOICED = 5
LEAST_SECONDS = 0.2
LEAST_SPREAD = {"loudness_db": 1.0, "f0_semitones": 0.5, "rate": 0.3}


def measured(
    utterances: Sequence[Utterance],
    waveform: Waveform,
    pitch: PitchTracker | None,
    turns: Sequence[Turn] = (),
) -> tuple[Utterance, ...]:
    """See :func:`grga.speech.features.measure`."""
    pauses = _pauses(utterances)
    overlaps = _overlaps(utterances, turns)
    rows = [
        _alone(utterance, waveform, pitch, pause, overlap)
        for utterance, pause, overlap in zip(utterances, pauses, overlaps, strict=True)
    ]
    for members in _by_speaker(utterances).values():
        _compare(rows, members)
    return tuple(
        replace(utterance, acoustics=_with_heard(row, utterance.acoustics))
        for utterance, row in zip(utterances, rows, strict=True)
    )


def _with_heard(row: Acoustics, before: Acoustics | None) -> Acoustics:
    """Return the measurements with the emotion and the sounds that came with an imported transcript."""
    if before is None:
        return row
    return replace(row, emotion=before.emotion, emotion_score=before.emotion_score, events=before.events)


def remeasured(before: Sequence[Utterance], after: Sequence[Utterance]) -> tuple[Utterance, ...]:
    """Return ``after`` with what depends on words and speakers derived again, without the recording.

    Args:
        before: Utterances as they were measured.
        after: The same spans with other texts or speakers.
    """
    stored = [one.acoustics for one in after if one.acoustics is not None]
    if len(stored) < len(after):
        return tuple(after)
    pitches = _semitones_over_one_hertz(before)
    was = [replace(row, f0_semitones=pitch) for row, pitch in zip(stored, pitches, strict=True)]
    # The turns that overlaps were measured with are not at hand: what they added to the utterances stays.
    shares = zip(_overlaps(before), _overlaps(after), strict=True)
    overlaps = [
        None if row.overlap is None else round(min(max(row.overlap + tell - told, tell), 1.0), 3)
        for row, (told, tell) in zip(stored, shares, strict=True)
    ]
    now = [
        replace(row, overlap=overlap, rate=row.rate if old.text == new.text else _rate(new))
        for row, overlap, old, new in zip(was, overlaps, before, after, strict=True)
    ]
    for rows, utterances in ((was, before), (now, after)):
        for members in _by_speaker(utterances).values():
            _compare(rows, members)
    # Stored values are rounded, so those derived from them may differ in the last digit: what comes out the
    # same from the old and the new words and speakers stays as it was stored.
    rows = [kept if old == new else new for kept, old, new in zip(stored, was, now, strict=True)]
    return tuple(replace(one, acoustics=row) for one, row in zip(after, rows, strict=True))


def loudness_db(waveform: Waveform, span: TimeSpan) -> float | None:
    """Return the level of the spoken parts of ``span`` in dB full scale, None when it holds no sample.

    The mean power of the louder half of its 50 ms frames, so that pauses inside do not count.
    """
    samples = waveform.samples(span)
    if not len(samples):
        return None
    width = min(FRAME, len(samples))
    frames = samples[: len(samples) // width * width].reshape(-1, width)
    power = np.sort(np.square(frames, dtype=np.float64).mean(axis=1))
    loud = power[len(power) // 2 :].mean()
    return round(max(FLOOR_DB, float(10 * np.log10(loud + 1e-12))), 2)


def _alone(
    utterance: Utterance,
    waveform: Waveform,
    pitch: PitchTracker | None,
    pause: float | None,
    overlap: float,
) -> Acoustics:
    """Measure what needs no other utterance; ``f0_semitones`` holds semitones over 1 Hz for now."""
    voiced = pitch.voiced(waveform, utterance.span) if pitch else np.zeros(0)
    f0 = spread = semitones = None
    if len(voiced) >= LEAST_VOICED:
        scale = 12 * np.log2(voiced)
        low, high = np.percentile(scale, [5, 95])
        f0, spread = round(float(voiced.mean()), 1), round(float(high - low), 2)
        semitones = float(np.median(scale))
    return Acoustics(
        loudness_db=loudness_db(waveform, utterance.span),
        f0_mean_hz=f0,
        f0_semitones=semitones,
        f0_range_semitones=spread,
        rate=_rate(utterance),
        pause_before=pause,
        overlap=overlap,
    )


def _by_speaker(utterances: Sequence[Utterance]) -> dict[str, list[int]]:
    members: dict[str, list[int]] = defaultdict(list)
    for index, utterance in enumerate(utterances):
        members[utterance.speaker].append(index)
    return members


def _semitones_over_one_hertz(utterances: Sequence[Utterance]) -> list[float | None]:
    """Undo :func:`_compare`: add the speaker's median again, which the mean frequencies tell."""
    found: list[float | None] = [None] * len(utterances)
    for members in _by_speaker(utterances).values():
        rows = [(index, utterances[index].acoustics) for index in members]
        means = {index: 12 * math.log2(row.f0_mean_hz) for index, row in rows if row and row.f0_mean_hz}
        relative = {index: row.f0_semitones for index, row in rows if row and row.f0_semitones is not None}
        shared = [means[index] - value for index, value in relative.items() if index in means]
        middle = float(np.median(shared)) if shared else 0.0
        for index, mean in means.items():
            found[index] = relative[index] + middle if index in relative else mean
    return found


def _compare(rows: list[Acoustics], members: Sequence[int]) -> None:
    """Fill in what is relative to the speaker's other utterances."""
    scores = {
        name: _z([getattr(rows[i], name) for i in members], least) for name, least in LEAST_SPREAD.items()
    }
    pitches = [value for i in members if (value := rows[i].f0_semitones) is not None]
    middle = float(np.median(pitches)) if len(pitches) >= LEAST_UTTERANCES else None
    for place, index in enumerate(members):
        parts = [value for name in LEAST_SPREAD if (value := scores[name][place]) is not None]
        semitones = rows[index].f0_semitones
        loudness = scores["loudness_db"][place]
        rows[index] = replace(
            rows[index],
            loudness_z=None if loudness is None else round(loudness, 2),
            f0_semitones=None if semitones is None or middle is None else round(semitones - middle, 2),
            arousal=round(float(np.mean(parts)), 2) if loudness is not None else None,
        )


def _z(values: Sequence[float | None], least_spread: float) -> list[float | None]:
    """Robust z-scores: distance from the median in units of spread (1.48 times the median distance)."""
    known = np.array([value for value in values if value is not None])
    if len(known) < LEAST_UTTERANCES:
        return [None] * len(values)
    middle = np.median(known)
    spread = max(least_spread, 1.4826 * float(np.median(np.abs(known - middle))))
    return [None if value is None else float((value - middle) / spread) for value in values]


def _rate(utterance: Utterance) -> float | None:
    """Words per second; Han characters count as words."""
    seconds = utterance.span.duration
    if seconds < LEAST_SECONDS:
        return None
    han = sum("\u3400" <= character <= "\u9fff" for character in utterance.text)
    spaced = "".join(" " if "\u3400" <= c <= "\u9fff" else c for c in utterance.text)
    words = sum(any(c.isalnum() for c in word) for word in spaced.split())
    return round((han + words) / seconds, 2)


def _pauses(utterances: Sequence[Utterance]) -> list[float | None]:
    """Seconds of silence before each utterance; None before the first."""
    pauses: list[float | None] = []
    latest: float | None = None
    for utterance in utterances:
        pauses.append(None if latest is None else round(max(0.0, utterance.start - latest), 3))
        latest = utterance.end if latest is None else max(latest, utterance.end)
    return pauses


def _overlaps(utterances: Sequence[Utterance], turns: Sequence[Turn] = ()) -> list[float]:
    """Share of each utterance during which somebody else also speaks: in an utterance or in a turn."""
    ways = [Together(utterances), Together(turns)]
    shares = []
    for one in utterances:
        found = [together.during(one.speaker, one.span).values() for together in ways]
        spans = [span for others in found for some in others for span in some]
        shares.append(round(covered(one.span, spans) / one.span.duration, 3) if spans else 0.0)
    return shares

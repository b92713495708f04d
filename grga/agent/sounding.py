"""How an utterance sounds, in words: measured against its speaker's own average in the same meeting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from grga.speech.emotion.words import is_sure, mood_of
from grga.types import Acoustics, Utterance

LEAST_DB, LEAST_SEMITONES, LEAST_RATE = 1.0, 1.0, 0.15
"""Smallest differences worth saying; the last is a share of the speaker's average rate."""

_WORDS = {
    "en": {
        "louder": "{value} dB louder than {name}'s average",
        "quieter": "{value} dB quieter than {name}'s average",
        "usual": "about as loud as {name} usually is",
        "higher": "pitch {value} higher",
        "lower": "pitch {value} lower",
        "semitone": "1 semitone",
        "semitones": "{value} semitones",
        "faster": "faster than usual",
        "slower": "slower than usual",
        "rate": "{value} words a second",
        "overlap": "{value} of it overlapped",
        "alone": "{name}'s only turn, nothing to compare with",
        "unmeasured": "not measured",
        "comma": ", ",
    },
    "zh": {
        "louder": "比{name}平时响{value}分贝",
        "quieter": "比{name}平时轻{value}分贝",
        "usual": "和{name}平时差不多响",
        "higher": "音调高{value}",
        "lower": "音调低{value}",
        "semitone": "1个半音",
        "semitones": "{value}个半音",
        "faster": "语速比平时快",
        "slower": "语速比平时慢",
        "rate": "每秒{value}个字",
        "overlap": "{value}与别人重叠",
        "alone": "{name}只发言一次，无从比较",
        "unmeasured": "没有测量",
        "comma": "，",
    },
}


@dataclass(frozen=True, slots=True)
class Habit:
    """A speaker's averages over the meeting: loudness in dB, words per second; and from how many turns."""

    loudness_db: float | None
    rate: float | None
    turns: int


def habits_of(utterances: Iterable[Utterance]) -> dict[str, Habit]:
    """Return each speaker's habit, from the measured utterances."""
    sounds: dict[str, list[Acoustics]] = defaultdict(list)
    for one in utterances:
        if one.acoustics is not None:
            sounds[one.speaker].append(one.acoustics)
    return {
        speaker: Habit(
            _mean(sound.loudness_db for sound in own), _mean(sound.rate for sound in own), len(own)
        )
        for speaker, own in sounds.items()
    }


def compared(
    sound: Acoustics, habit: Habit | None, name: str, *, language: str = "en", rate: bool = False
) -> str:
    """Return what stands out in a sound ("11 dB louder than Oliver's average, pitch 4 semitones higher").

    ``rate`` adds the measured words per second, for questions about speed.
    """
    words = _WORDS["zh" if language == "zh" else "en"]
    if habit is None or (sound.loudness_db is None and sound.rate is None):
        return words["unmeasured"]
    if habit.turns < 2:
        return words["alone"].format(name=name)
    parts = []
    if rate and sound.rate is not None:
        parts.append(words["rate"].format(value=f"{sound.rate:.1f}"))
    if sound.loudness_db is not None and habit.loudness_db is not None:
        more = sound.loudness_db - habit.loudness_db
        key = "usual" if abs(more) < LEAST_DB else "louder" if more > 0 else "quieter"
        parts.append(words[key].format(value=f"{abs(more):.0f}", name=name))
    if sound.f0_semitones is not None and abs(sound.f0_semitones) >= LEAST_SEMITONES:
        steps = round(abs(sound.f0_semitones))
        value = words["semitone" if steps == 1 else "semitones"].format(value=steps)
        parts.append(words["higher" if sound.f0_semitones > 0 else "lower"].format(value=value))
    if sound.rate is not None and habit.rate and abs(sound.rate / habit.rate - 1) >= LEAST_RATE:
        parts.append(words["faster" if sound.rate > habit.rate else "slower"])
    if sound.overlap and round(sound.overlap, 2) > 0:
        parts.append(words["overlap"].format(value=f"{sound.overlap:.0%}"))
    return words["comma"].join(parts)


def felt(sound: Acoustics) -> str:
    """Return what models heard in a sound ("sounded angry, [laughter]"), "" for nothing worth saying.

    An emotion of which the model was not sure says so in words; its score is never told.
    """
    mood = mood_of(sound)
    parts = [] if mood is None else [f"sounded {mood}" if is_sure(sound) else f"perhaps sounded {mood}"]
    return ", ".join([*parts, *(f"[{event}]" for event in sound.events)])


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None

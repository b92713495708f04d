"""How what models hear is said: emotions and sounds, for people, never with the models' numbers."""

from __future__ import annotations

from grga.types import Acoustics, Utterance

EMOTIONS: dict[str, str] = {
    "angry": "生气",
    "disgusted": "厌恶",
    "fearful": "害怕",
    "happy": "高兴",
    "neutral": "平静",
    "other": "别的情绪",
    "sad": "难过",
    "surprised": "惊讶",
}
"""Every label in Mandarin; in English a label is its own word ("sounded angry")."""

EVENTS: dict[str, tuple[str, str]] = {
    "laughter": ("laughter", "笑声"),
    "applause": ("applause", "掌声"),
    "cough": ("coughing", "咳嗽声"),
    "crying": ("crying", "哭声"),
    "sneeze": ("sneezing", "喷嚏声"),
    "breath": ("heavy breathing", "喘气声"),
    "music": ("music", "音乐声"),
}
"""Every sound beside speech, in English and Mandarin."""

PLAIN = frozenset({"neutral", "other", "unknown"})
"""Labels that say nothing worth pointing at."""

SURE = 0.6
"""Least score (0..1) of an emotion that is stated; below it, it is said with care."""


def mood_of(sound: Acoustics | None) -> str | None:
    """Return the emotion that is worth saying, None for a plain one and where none was measured."""
    return None if sound is None or sound.emotion in PLAIN else sound.emotion


def is_sure(sound: Acoustics) -> bool:
    """Return whether the model was sure of its emotion; without a score (a person's label) it counts as sure."""
    return sound.emotion_score is None or sound.emotion_score >= SURE


def events_of(utterance: Utterance) -> tuple[str, ...]:
    """Return the sounds heard during an utterance."""
    return utterance.acoustics.events if utterance.acoustics else ()


def emotion_word(label: str, language: str = "en") -> str:
    """Return "angry" or "生气"; a label that is not ours stays as it is."""
    return EMOTIONS.get(label, label) if language == "zh" else label


def event_word(event: str, language: str = "en") -> str:
    """Return "coughing" or "咳嗽声"; an event that is not ours stays as it is."""
    return EVENTS.get(event, (event, event))[language == "zh"]


def bracketed(utterance: Utterance) -> str:
    """Return the sounds as subtitles write them ("[laughter] [cough]"), "" when there are none."""
    return " ".join(f"[{event}]" for event in events_of(utterance))

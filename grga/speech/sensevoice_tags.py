"""The tags that SenseVoice writes before its words: language, emotion, sounds beside speech."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAG = re.compile(r"<\|([^|>]*)\|>")
EMOTIONS = {
    "HAPPY": "happy",
    "SAD": "sad",
    "ANGRY": "angry",
    "NEUTRAL": "neutral",
    "FEARFUL": "fearful",
    "DISGUSTED": "disgusted",
    "SURPRISED": "surprised",
}
EVENTS = {
    "BGM": "music",
    "Applause": "applause",
    "Laughter": "laughter",
    "Cry": "crying",
    "Sneeze": "sneeze",
    "Breath": "breath",
    "Cough": "cough",
}
LANGUAGES = {"zh": "zh", "en": "en", "yue": "yue", "ja": "ja", "ko": "ko"}


@dataclass(frozen=True, slots=True)
class Tagged:
    """What SenseVoice wrote about one clip, its tags apart from its words."""

    text: str
    language: str | None = None
    emotion: str | None = None
    events: tuple[str, ...] = ()


def read_tags(text: str) -> Tagged:
    """Take the tags off ``text``; tags that say nothing ("EMO_UNKNOWN", "Speech", "withitn") vanish.

    >>> read_tags("<|zh|><|HAPPY|><|Laughter|><|withitn|>好的。")
    Tagged(text='好的。', language='zh', emotion='happy', events=('laughter',))
    """
    tags = _TAG.findall(text)
    return Tagged(
        text=_TAG.sub("", text).strip(),
        language=next((LANGUAGES[tag] for tag in tags if tag in LANGUAGES), None),
        emotion=next((EMOTIONS[tag] for tag in tags if tag in EMOTIONS), None),
        events=tuple(dict.fromkeys(EVENTS[tag] for tag in tags if tag in EVENTS)),
    )

"""Example questions: a bundled sample's own, else made from what a meeting talks about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from grga.types import Meeting, Speaker

FILE_NAME = "questions.json"
"""Example questions; only the bundled samples have them."""


def example_questions(folder: Path, meeting: Meeting) -> tuple[str, ...]:
    """Return questions to try on ``meeting``, whose files lie in ``folder``."""
    file = folder / FILE_NAME
    if file.is_file():
        by_type: dict[str, str] = {}
        for item in json.loads(file.read_text("utf-8")):
            by_type.setdefault(item["type"], item["question"])
        return tuple(by_type.values())
    if not meeting.utterances:
        return ()
    talkers = sorted(meeting.speakers, key=lambda speaker: -speaker.talk_seconds)
    topics = _topics(talkers)[:2]
    if meeting.language == "zh":
        about = [f"关于{words[0]}说了什么？" for words in topics]
        return (*about, f"总结一下{talkers[0].name}说的话。", "做了什么决定？")
    about = [f"What was said about {' and '.join(words[:2])}?" for words in topics]
    loudest = ("When was it loudest?",) if meeting.has_audio else ()
    return (*about, f"Summarise what {talkers[0].name} said.", "What was decided?", *loudest)


def _topics(speakers: Sequence[Speaker]) -> list[list[str]]:
    """Return what the speakers' profiles say they talk about, each topic as its words."""
    topics: dict[str, list[str]] = {}
    for speaker in speakers:
        facts = speaker.profile.facts
        for topic in facts.get("topics", facts.get("keywords", "")).split(";"):
            words = topic.partition("(")[0].strip()
            if words:
                topics.setdefault(words, [word.strip() for word in words.split(",")])
    return list(topics.values())

"""Writing small transcript files the way other tools do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grga.speech.transcripts import ImportedTranscript, read_transcript

Reader = Callable[..., ImportedTranscript]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """``read("a.srt", text_or_bytes, …)`` writes that file and reads it as a transcript."""

    def write_and_read(name: str, content: str | bytes, **options: Any) -> ImportedTranscript:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read_transcript(file, **options)

    return write_and_read


@pytest.fixture
def spoken() -> Callable[[ImportedTranscript], list[tuple[str, float, float, str]]]:
    """``spoken(transcript)`` lists (speaker's name, start, end, text) of every utterance."""

    def listed(transcript: ImportedTranscript) -> list[tuple[str, float, float, str]]:
        names = {speaker.id: speaker.name for speaker in transcript.speakers}
        return [(names[u.speaker], u.start, u.end, u.text) for u in transcript.utterances]

    return listed

"""The timeline: a custom element drawn from a small model; see the scripts beside this."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grga.speech.emotion.words import events_of
from grga.types import Meeting
from grga.ui.render import badges, data, escape

FOLDER = Path(__file__).resolve().parent
SCRIPTS = ("tools", "live", "player", "lanes", "gestures", "style", "timeline", "moments")
MOST_PEAKS = 1200
MARKED = ("laughter", "applause", "crying")
"""Sounds that a reader of the timeline looks for; a cough or a breath is not among them."""


def script() -> str:
    """Return the JavaScript of player and timeline, and the tools that every other element uses."""
    return "\n".join((FOLDER / f"{name}.js").read_text("utf-8") for name in SCRIPTS)


def timeline_model(
    meeting: Meeting, peaks: Sequence[float] = (), audio: str | None = None, title: str = ""
) -> dict[str, Any]:
    """Return what the element draws, see :func:`timeline_html`."""
    marks = badges(meeting)
    lanes: list[list[tuple[float, float]]] = [[] for _ in meeting.speakers]
    for utterance in meeting.utterances:
        if utterance.speaker in marks:
            lanes[marks[utterance.speaker].lane].append((round(utterance.start, 2), round(utterance.end, 2)))
    talk = [sum(end - start for start, end in lane) for lane in lanes]
    return {
        "id": meeting.id,
        "title": title,
        "duration": round(meeting.duration, 2),
        "audio": audio,
        "speakers": [
            {
                "letter": marks[speaker.id].letter,
                "hue": marks[speaker.id].hue,
                "name": speaker.name,
                "share": round(talk[lane] / max(sum(talk), 1e-9), 3),
            }
            for lane, speaker in enumerate(meeting.speakers)
        ],
        "lanes": lanes,
        "sounds": [
            (round(utterance.start, 2), event)
            for utterance in meeting.utterances
            for event in events_of(utterance)
            if event in MARKED
        ],
        "peaks": _scaled(peaks),
    }


def timeline_html(
    meeting: Meeting, peaks: Sequence[float] = (), audio: str | None = None, title: str = ""
) -> str:
    """Return the timeline of a meeting, which follows edits of the meeting by itself.

    Args:
        meeting: One lane per speaker.
        peaks: Loudness, evenly spaced over the meeting, any scale; empty draws none.
        audio: Address of the recording to play; None for a transcript alone.
        title: Shown beside the clock, where several timelines stand together.
    """
    model = data(timeline_model(meeting, peaks, audio, title))
    source = f"grga/meetings/{escape(meeting.id)}/timeline.json"
    return (
        f'<div class="g-panel g-timeline" data-meeting="{escape(meeting.id)}">'
        f'<grga-timeline data-source="{source}" data-model="{model}"></grga-timeline></div>'
    )


def _scaled(peaks: Sequence[float]) -> list[float]:
    """Return at most ``MOST_PEAKS`` values in 0..1, the loudest of each stretch kept."""
    if not peaks:
        return []
    size = -(-len(peaks) // MOST_PEAKS)
    strongest = [max(peaks[begin : begin + size]) for begin in range(0, len(peaks), size)]
    top = max(*strongest, 1e-9)
    return [round(max(peak, 0.0) / top, 3) for peak in strongest]

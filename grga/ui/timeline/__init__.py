"""The timeline: a custom element drawn from a small model; see timeline.js and player.js beside this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from grga.types import Answer, Meeting
from grga.ui.render import badges, data

FOLDER = Path(__file__).resolve().parent
MOST_PEAKS = 1200


def script() -> str:
    """Return the page's JavaScript module: the player, then the timeline."""
    return "\n".join((FOLDER / name).read_text("utf-8") for name in ("player.js", "timeline.js"))


def timeline_html(meeting: Meeting, peaks: Sequence[float] = (), audio: str | None = None) -> str:
    """Return the timeline of a meeting.

    Args:
        meeting: One lane per speaker.
        peaks: Loudness, evenly spaced over the meeting, any scale; empty draws none.
        audio: Address of the recording to play; None for a transcript alone.
    """
    marks = badges(meeting)
    lanes: list[list[tuple[float, float]]] = [[] for _ in meeting.speakers]
    for utterance in meeting.utterances:
        if utterance.speaker in marks:
            lanes[marks[utterance.speaker].lane].append((round(utterance.start, 2), round(utterance.end, 2)))
    talk = [sum(end - start for start, end in lane) for lane in lanes]
    model = {
        "id": meeting.id,
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
        "peaks": _scaled(peaks),
    }
    return f'<div class="g-panel g-timeline"><grga-timeline data-model="{data(model)}"></grga-timeline></div>'


def marks_html(meeting: Meeting, answer: Answer | None, found: Iterable[int] = ()) -> str:
    """Return the moments of an answer: numbered citations, and what was found but not cited."""
    marks = badges(meeting)
    numbers = {c.utterance: n for n, c in enumerate(answer.citations, 1)} if answer else {}

    def moment(id: int) -> tuple[int, float, float, int]:
        spoken = meeting.utterances[id]
        return id, round(spoken.start, 2), round(spoken.end, 2), marks[spoken.speaker].lane

    value = {
        "cited": [(number, *moment(id)) for id, number in numbers.items()],
        "found": [moment(id) for id in sorted(set(found)) if id not in numbers],
    }
    return f'<grga-marks data-marks="{data(value)}"></grga-marks>'


def _scaled(peaks: Sequence[float]) -> list[float]:
    """Return at most ``MOST_PEAKS`` values in 0..1, the loudest of each stretch kept."""
    if not peaks:
        return []
    size = -(-len(peaks) // MOST_PEAKS)
    strongest = [max(peaks[begin : begin + size]) for begin in range(0, len(peaks), size)]
    top = max(*strongest, 1e-9)
    return [round(max(peak, 0.0) / top, 3) for peak in strongest]

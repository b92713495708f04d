"""NIST RTTM: who speaks when, without words; ten fields with a line for each utterance."""

from __future__ import annotations

from grga.exports.lines import one_line
from grga.types import Meeting


def export(meeting: Meeting) -> str:
    """Return the SPEAKER lines; spaces in names and ids become underscores, names stay distinct."""
    recording = _field(meeting.id)
    labels = _labels(meeting)
    return "".join(
        f"SPEAKER {recording} 1 {utterance.start:.3f} {utterance.span.duration:.3f} "
        f"<NA> <NA> {labels[utterance.speaker]} <NA> <NA>\n"
        for utterance in meeting.utterances
    )


def _field(text: str) -> str:
    return "_".join(one_line(text).split()) or "<NA>"


def _labels(meeting: Meeting) -> dict[str, str]:
    labels: dict[str, str] = {}
    for speaker in meeting.speakers:
        label = _field(speaker.name or speaker.id)
        labels[speaker.id] = f"{label}_{_field(speaker.id)}" if label in labels.values() else label
    return labels

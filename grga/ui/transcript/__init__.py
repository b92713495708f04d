"""The transcript and what people correct in it: custom elements that share one document of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from grga.edits import EditLog, Overlay, redoable
from grga.speech.emotion.words import events_of, is_sure, mood_of
from grga.store import MeetingFolder
from grga.types import Meeting, TimeSpan, Utterance
from grga.ui.render import badges

FOLDER = Path(__file__).resolve().parent
SCRIPTS = (
    "rows",
    "drafts",
    "find",
    "menu",
    "inplace",
    "line",
    "transcript",
    "people",
    "heading",
    "history",
)

UNSURE = 0.5
"""Recognised with less confidence than this, a line is marked."""
QUIET_DB = 25.0
"""A line this far below the middle loudness of its meeting is probably no speech at all."""
SAMPLES, SHORTEST_SAMPLE, LONGEST_SAMPLE = 3, 2.0, 8.0


def script() -> str:
    """Return the JavaScript of the elements, its names its own; it needs that of the timeline before it."""
    inside = "\n".join((FOLDER / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return f"{{\n{inside}\n}}"


def transcript_model(folder: MeetingFolder) -> dict[str, Any]:
    """Return one meeting as the page reads it, every edit applied.

    ``speakers`` stand in the order of their letters. A line is ``[start, end, speaker's place in that list,
    text, confidence or null, edited, probably silence, words]``; ``words`` are pairs of the characters since
    the word before and the hundredths of a second since its start, for a click into the text. Where models
    heard more than words, or somebody talks beside, a ninth value says so (:func:`sound_of`). ``undo`` and
    ``redo`` say in a sentence what would be taken back or brought back, null when nothing.

    Raises:
        StoreError: no such finished meeting, or a file of it is damaged.
    """
    recorded, draft = folder.read_draft()
    overlay = draft.overlay()
    meeting = folder.laid_over(recorded, overlay)
    known = {record.number: record for record in draft.records if record.applies}
    undo = next(
        (record.summary for record in reversed(draft.records) if record.applies and not record.undone), None
    )
    again = reversed(redoable(EditLog(folder.path).read()))
    return {
        "id": meeting.id,
        "title": meeting.title,
        "duration": round(meeting.duration, 2),
        "audio": folder.playback.is_file(),
        "speakers": speaker_lines(meeting),
        "lines": lines(meeting, overlay),
        "undo": undo,
        "redo": next((known[number].summary for number in again if number in known), None),
    }


def speaker_lines(meeting: Meeting) -> list[dict[str, Any]]:
    """Return each speaker's badge, share of talk, keywords and the spans where to hear them best."""
    marks = badges(meeting)
    spoken: dict[str, list[Utterance]] = {speaker.id: [] for speaker in meeting.speakers}
    for utterance in meeting.utterances:
        spoken[utterance.speaker].append(utterance)
    talk = {id: sum(one.span.duration for one in lines) for id, lines in spoken.items()}
    total = max(sum(talk.values()), 1e-9)
    return [
        {
            "id": speaker.id,
            "name": speaker.name,
            "letter": marks[speaker.id].letter,
            "hue": marks[speaker.id].hue,
            "role": speaker.role or "",
            "lines": len(spoken[speaker.id]),
            "seconds": round(talk[speaker.id], 1),
            "share": round(talk[speaker.id] / total, 3),
            "keywords": speaker.profile.facts.get("keywords", ""),
            "samples": [[round(s.start, 2), round(s.end, 2)] for s in samples(spoken[speaker.id])],
        }
        for speaker in meeting.speakers
    ]


def samples(spoken: Sequence[Utterance]) -> list[TimeSpan]:
    """Return up to three stretches where one speaker is heard alone and clearly, in order of time."""

    def doubt(one: Utterance) -> tuple[float, float]:
        overlap = (one.acoustics.overlap if one.acoustics else None) or 0.0
        return round(overlap, 1), -(one.confidence or 0.0)

    long = [one for one in spoken if one.span.duration >= SHORTEST_SAMPLE]
    best = sorted(long, key=doubt)[:SAMPLES]
    return sorted(TimeSpan(one.start, min(one.end, one.start + LONGEST_SAMPLE)) for one in best)


def lines(meeting: Meeting, overlay: Overlay) -> list[list[Any]]:
    """Return the lines of a meeting, see :func:`transcript_model`."""
    place = {speaker.id: number for number, speaker in enumerate(meeting.speakers)}
    silent = probably_silent(meeting.utterances)
    return [
        [
            round(one.start, 2),
            round(one.end, 2),
            place[one.speaker],
            one.text,
            None if one.confidence is None else round(one.confidence, 2),
            int(one.id in overlay.texts),
            int(one.id in silent),
            word_starts(one),
            *([sound] if (sound := sound_of(one, place)) else []),
        ]
        for one in meeting.utterances
    ]


def sound_of(spoken: Utterance, place: Mapping[str, int]) -> dict[str, Any]:
    """Return what is heard in a line beside its words; empty when nothing is.

    ``mood`` is an emotion other than neutral, ``sure`` whether the model was, ``events`` are sounds such as
    "laughter", ``beside`` is the place of the second speaker in the list of speakers.
    """
    sound: dict[str, Any] = {}
    mood = mood_of(spoken.acoustics)
    if mood is not None and spoken.acoustics is not None:
        sound = {"mood": mood, "sure": int(is_sure(spoken.acoustics))}
    if events := events_of(spoken):
        sound["events"] = list(events)
    if (second := spoken.second_speaker) is not None and second in place:
        sound["beside"] = place[second]
    return sound


def probably_silent(spoken: Sequence[Utterance]) -> set[int]:
    """Return the lines so quiet beside the others that a recogniser probably made their words up."""
    loudness = {
        one.id: one.acoustics.loudness_db
        for one in spoken
        if one.acoustics is not None and one.acoustics.loudness_db is not None
    }
    if not loudness:
        return set()
    middle = median(loudness.values())
    return {id for id, level in loudness.items() if level < middle - QUIET_DB}


def word_starts(spoken: Utterance) -> list[int]:
    """Return where each word begins in the text and in time, each as a difference to the word before."""
    found: list[int] = []
    place = before = 0
    heard = spoken.start
    for word in spoken.words:
        at = spoken.text.find(word.text, place)
        if at < 0:
            continue  # a corrected text has words that nobody timed
        hundredths = max(round((word.span.start - heard) * 100), 0)
        found += [at - before, hundredths]
        before, place, heard = at, at + len(word.text), heard + hundredths / 100
    return found

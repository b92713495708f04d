"""Enrichment by a model: an optional stage after indexing that adds what statistics cannot tell.

A meeting without it is complete. The stage keeps its result in ``enrichment.json``, is skipped while the
utterances, the model and the prompt are unchanged, and if it fails the meeting stays as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grga.enrichment.profiles import PROMPT, profile_speaker, with_facts
from grga.llm.prompts import read_prompt
from grga.llm.usage import Usage
from grga.stages import Progress, StageNotes, StageRunner
from grga.types import Speaker, SpeakerProfile

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
    from grga.store import MeetingFolder, StageRecord

FILE = "enrichment.json"
BEFORE = "speakers_before.json"


def enrich(folder: MeetingFolder, client: ChatClient, progress: Progress | None = None) -> StageRecord:
    """Add the model's profiles to the speakers of a finished meeting; return the stage's record.

    Raises:
        StoreError: there is no such meeting, or its indexing has not finished.
        ModelServerError: the model failed; the meeting is unchanged.
    """
    manifest = folder.read_manifest()
    run = StageRunner(folder, manifest.source.digest, progress or (lambda stage, share: None))
    meeting = folder.read_meeting()
    version = read_prompt(PROMPT).version

    def make(notes: StageNotes) -> None:
        profiles: dict[str, SpeakerProfile] = {}
        usage, left_out, dropped = Usage(), 0, 0
        for number, speaker in enumerate(meeting.speakers, start=1):
            result = profile_speaker(speaker, meeting, client)
            profiles[speaker.id] = result.profile
            usage += result.usage
            left_out += result.left_out
            dropped += result.dropped
            run.report("enrich", number / len(meeting.speakers))
        folder.write_value(FILE, dict[str, SpeakerProfile], profiles)
        notes.details = _details(client.model, version, usage)
        if left_out:
            notes.warnings.append(f"{left_out} utterances did not fit the model's context and were not read")
        if dropped:
            notes.warnings.append(f"{dropped} facts rested on nothing that was said and were dropped")

    record = run.run(
        "enrich",
        make,
        inputs=["utterances"],
        outputs=[FILE],
        settings={"model": client.model, "prompt": version},
    )
    profiles = folder.read_value(FILE, dict[str, SpeakerProfile])
    plain = _without_model(folder)
    speakers = tuple(with_facts(one, profiles.get(one.id)) for one in plain)
    folder.write_value("speakers.json", tuple[Speaker, ...], speakers)
    after = folder.read_manifest()
    after.finished = manifest.finished
    folder.write_manifest(after)
    return record


def _without_model(folder: MeetingFolder) -> tuple[Speaker, ...]:
    """Return the speakers as statistics left them, so that one model's facts never mix with another's."""
    speakers: tuple[Speaker, ...] = folder.read_value("speakers.json", tuple[Speaker, ...])
    if all(one.profile.source == "statistics" for one in speakers):
        folder.write_value(BEFORE, tuple[Speaker, ...], speakers)
        return speakers
    before: tuple[Speaker, ...] = folder.read_value(BEFORE, tuple[Speaker, ...])
    return before


def _details(model: str, version: str, usage: Usage) -> dict[str, Any]:
    return {
        "model": model,
        "prompt": version,
        "calls": usage.calls,
        "cached": usage.cached,
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
    }

"""Enrichment by a model: optional stages after indexing that add what rules and statistics cannot tell.

A meeting without them is complete. Each stage keeps its result in a file of its own, is skipped while the
utterances, the model and the prompt are unchanged, and if it fails the meeting stays as it was. Results are
laid over ``speakers.json`` and ``graph.json`` as the indexing stages left them, so that one model's facts
never mix with another's.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grga.enrichment import coreference, profiles
from grga.errors import StoreError
from grga.graph.graph import UtteranceGraph
from grga.llm.prompts import read_prompt
from grga.llm.usage import Usage
from grga.stages import Progress, StageNotes, StageRunner, digest_of_files
from grga.types import Edge, Speaker, SpeakerProfile

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
    from grga.store import MeetingFolder, StageRecord

PROFILES, LINKS = "enriched_profiles.json", "enriched_links.json"


def enrich(
    folder: MeetingFolder, client: ChatClient, progress: Progress | None = None
) -> dict[str, StageRecord]:
    """Add a model's speaker profiles and coreference links to a finished meeting.

    Returns:
        The stages' records by name: "enrich_profiles", "enrich_links".

    Raises:
        StoreError: there is no such meeting, it is not fully indexed or being indexed, or a file is damaged.
        ModelServerError: the model failed; what was finished before is kept.
    """
    folder.read_manifest()  # the lock makes the folder, so a meeting that does not exist is refused first
    with folder.alone():
        manifest = folder.read_manifest()
        if not manifest.finished:
            raise StoreError(
                f"the meeting {folder.id!r} is not fully indexed", fix="run its `index` or `import` again"
            )
        run = StageRunner(folder, manifest.source.digest, progress or (lambda stage, share: None))
        return {
            "enrich_profiles": _profiles(run, client),
            "enrich_links": _links(run, client),
        }


def _profiles(run: StageRunner, client: ChatClient) -> StageRecord:
    folder, meeting = run.folder, run.folder.read_meeting()

    def make(notes: StageNotes) -> None:
        found: dict[str, SpeakerProfile] = {}
        usage, left_out, dropped = Usage(), 0, 0
        for number, speaker in enumerate(meeting.speakers, start=1):
            result = profiles.profile_speaker(speaker, meeting, client)
            found[speaker.id] = result.profile
            usage += result.usage
            left_out += result.left_out
            dropped += result.dropped
            run.report("enrich_profiles", number / len(meeting.speakers))
        folder.write_value(PROFILES, dict[str, SpeakerProfile], found)
        notes.details = _details(client.model, profiles.PROMPT, usage)
        if left_out:
            notes.warnings.append(f"{left_out} utterances did not fit the model's context and were not read")
        if dropped:
            notes.warnings.append(f"facts dropped because they rested on nothing that was said: {dropped}")

    record = _run(run, "enrich_profiles", make, PROFILES, client.model, profiles.PROMPT)
    found = folder.read_value(PROFILES, dict[str, SpeakerProfile])
    _before(folder, "profiles", "speakers.json")
    plain: tuple[Speaker, ...] = folder.read_value(_kept("speakers.json"), tuple[Speaker, ...])
    speakers = tuple(profiles.with_facts(one, found.get(one.id)) for one in plain)
    folder.write_value("speakers.json", tuple[Speaker, ...], speakers)
    return record


def _links(run: StageRunner, client: ChatClient) -> StageRecord:
    folder, meeting = run.folder, run.folder.read_meeting()

    def make(notes: StageNotes) -> None:
        result = coreference.find_links(meeting, client, lambda share: run.report("enrich_links", share))
        folder.write_value(LINKS, tuple[Edge, ...], result.edges)
        notes.details = {
            **_details(client.model, coreference.PROMPT, result.usage),
            "links": len(result.edges),
        }
        if result.dropped:
            notes.warnings.append(f"links dropped because they do not hold: {result.dropped}")

    record = _run(run, "enrich_links", make, LINKS, client.model, coreference.PROMPT)
    found: tuple[Edge, ...] = folder.read_value(LINKS, tuple[Edge, ...])
    _before(folder, "graph", "graph.json")
    graph = UtteranceGraph.from_dict(json.loads((folder.path / _kept("graph.json")).read_text("utf-8")))
    graph.add_edges(found)
    folder.write_text("graph.json", json.dumps(graph.to_dict(), ensure_ascii=False))
    return record


def _run(run: StageRunner, name: str, make: Any, output: str, model: str, prompt: Path) -> StageRecord:
    settings = {"model": model, "prompt": read_prompt(prompt).version}
    return run.run(name, make, inputs=["utterances"], outputs=[output], settings=settings, optional=True)


def _before(folder: MeetingFolder, stage: str, file: str) -> None:
    """Keep ``file`` as its stage left it, which is only what it is now if nothing lies over it yet."""
    if digest_of_files([folder.path / file]) == folder.read_manifest().stages[stage].output:
        with folder.replacing(_kept(file)) as draft:
            shutil.copyfile(folder.path / file, draft)


def _kept(file: str) -> str:
    return f"before_enrichment_{file}"


def _details(model: str, prompt: Path, usage: Usage) -> dict[str, Any]:
    return {
        "model": model,
        "prompt": read_prompt(prompt).version,
        "calls": usage.calls,
        "cached": usage.cached,
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
    }

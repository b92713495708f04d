"""Enrichment by a model: optional stages after indexing that add what rules and statistics cannot tell.

A meeting without them is complete. Each stage keeps its result in a file of its own, is skipped while the
utterances, the model and the prompt are unchanged, and if it fails the meeting stays as it was. Results are
laid over ``speakers.json`` and ``graph.json`` as the indexing stages left them, so that a stage's new result
replaces its old one and never mixes with it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grga.enrichment import coreference, entities, profiles
from grga.enrichment.entities import Entity
from grga.errors import StoreError
from grga.graph.graph import UtteranceGraph
from grga.llm.prompts import read_prompt
from grga.llm.usage import Usage
from grga.manifest import before_enrichment, digest_of_files
from grga.stages import Progress, StageNotes, StageRunner
from grga.types import Edge, Meeting, Speaker, SpeakerProfile

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
    from grga.manifest import StageRecord
    from grga.store import MeetingFolder

PROFILES, LINKS, ENTITIES = "enriched_profiles.json", "enriched_links.json", "enriched_entities.json"


def enrich(
    folder: MeetingFolder, client: ChatClient, progress: Progress | None = None
) -> dict[str, StageRecord]:
    """Add a model's speaker profiles, coreference links and entities to a finished meeting.

    Returns:
        The stages' records by name: "enrich_profiles", "enrich_links", "enrich_entities".

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
        meeting = folder.read_meeting(corrected=False)
        try:
            return {
                "enrich_profiles": _profiles(run, meeting, client),
                "enrich_links": _links(run, meeting, client),
                "enrich_entities": _entities(run, meeting, client),
            }
        finally:
            _lay_over(folder)


def _profiles(run: StageRunner, meeting: Meeting, client: ChatClient) -> StageRecord:
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
        run.folder.write_value(PROFILES, dict[str, SpeakerProfile], found)
        notes.details = _details(client.model, profiles.PROMPT, usage)
        if left_out:
            notes.warnings.append(f"{left_out} utterances did not fit the model's context and were not read")
        if dropped:
            notes.warnings.append(f"facts dropped because they rested on nothing that was said: {dropped}")

    return _run(run, "enrich_profiles", make, PROFILES, client.model, profiles.PROMPT)


def _links(run: StageRunner, meeting: Meeting, client: ChatClient) -> StageRecord:
    def make(notes: StageNotes) -> None:
        result = coreference.find_links(meeting, client, lambda share: run.report("enrich_links", share))
        run.folder.write_value(LINKS, tuple[Edge, ...], result.edges)
        details = _details(client.model, coreference.PROMPT, result.usage)
        notes.details = {**details, "links": len(result.edges)}
        if result.dropped:
            notes.warnings.append(f"links dropped because they do not hold: {result.dropped}")

    return _run(run, "enrich_links", make, LINKS, client.model, coreference.PROMPT)


def _entities(run: StageRunner, meeting: Meeting, client: ChatClient) -> StageRecord:
    def make(notes: StageNotes) -> None:
        result = entities.find_entities(meeting, client, lambda share: run.report("enrich_entities", share))
        run.folder.write_value(ENTITIES, tuple[Entity, ...], result.found)
        details = _details(client.model, entities.PROMPT, result.usage)
        notes.details = {**details, "entities": len(result.found)}
        if result.dropped:
            notes.warnings.append(f"entities dropped because nobody names them: {result.dropped}")

    return _run(run, "enrich_entities", make, ENTITIES, client.model, entities.PROMPT)


def _lay_over(folder: MeetingFolder) -> None:
    """Put what the stages found over speakers and graph as they were; results of other utterances are left out."""
    stages = folder.read_manifest().stages
    spoken = {"utterances": stages["utterances"].output}
    made = {name for name, record in stages.items() if record.inputs == spoken}
    if "enrich_profiles" in made:
        found = folder.read_value(PROFILES, dict[str, SpeakerProfile])
        _before(folder, "profiles", "speakers.json")
        before: tuple[Speaker, ...] = folder.read_value(
            before_enrichment("speakers.json"), tuple[Speaker, ...]
        )
        speakers = tuple(profiles.with_facts(one, found.get(one.id)) for one in before)
        folder.write_value("speakers.json", tuple[Speaker, ...], speakers)
    edges: list[Edge] = []
    if "enrich_links" in made:
        edges += folder.read_value(LINKS, tuple[Edge, ...])
    if "enrich_entities" in made:
        spoken_of = folder.read_value(ENTITIES, tuple[Entity, ...])
        edges += entities.entity_edges(spoken_of, stages["utterances"].details["utterances"])
    if made & {"enrich_links", "enrich_entities"}:
        _before(folder, "graph", "graph.json")
        graph = UtteranceGraph.from_dict(
            json.loads((folder.path / before_enrichment("graph.json")).read_text("utf-8"))
        )
        graph.add_edges(edges)
        folder.write_text("graph.json", json.dumps(graph.to_dict(), ensure_ascii=False))
    # Who keeps the meeting in memory reads it again when the manifest is newer.
    folder.write_manifest(folder.read_manifest())


def _run(run: StageRunner, name: str, make: Any, output: str, model: str, prompt: Path) -> StageRecord:
    settings = {"model": model, "prompt": read_prompt(prompt).version}
    return run.run(name, make, inputs=["utterances"], outputs=[output], settings=settings, optional=True)


def _before(folder: MeetingFolder, stage: str, file: str) -> None:
    """Keep ``file`` as its stage left it, which is only what it is now if nothing lies over it yet."""
    if digest_of_files([folder.path / file]) == folder.read_manifest().stages[stage].output:
        with folder.replacing(before_enrichment(file)) as draft:
            shutil.copyfile(folder.path / file, draft)


def _details(model: str, prompt: Path, usage: Usage) -> dict[str, Any]:
    return {
        "model": model,
        "prompt": read_prompt(prompt).version,
        "calls": usage.calls,
        "cached": usage.cached,
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
    }

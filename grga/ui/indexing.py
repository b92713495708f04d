"""What a job does: uploads become groups, a group becomes a meeting, one stage of a meeting runs again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grga.audio import content_hash
from grga.config import Config
from grga.ingest import STAGES, IngestResult, import_transcript, index_recording, reindex
from grga.jobs import JobNote, Known, Outcome, Report, Work
from grga.manifest import Manifest
from grga.speech.transcripts import suffixes
from grga.store import Store

TURNS_ONLY = ".rttm"
"""A transcript that says who speaks when; the words come from another file."""

# What share of the whole each stage takes, roughly, on two cores; progress must move, not be exact.
STAGE_SHARES = {
    "preprocess": 8,
    "vad": 4,
    "asr": 54,
    "alignment": 1,
    "diarization": 14,
    "utterances": 1,
    "emotion": 1,
    "acoustics": 8,
    "profiles": 1,
    "embeddings": 8,
    "graph": 1,
    "index": 1,
}
HEARD = ("vad", "asr", "alignment", "diarization")
"""Stages that a transcript makes needless."""
WORDS = ("asr", "alignment")
ALONE = ("acoustics", "profiles", "graph", "index")
"""Stages whose output no other stage reads."""
SHOWN_NOTES = 3


def plan(files: Sequence[Path]) -> tuple[str, ...]:
    """Return the stages that files uploaded together go through."""
    if not any(map(is_transcript, files)):
        return tuple(STAGES)
    needless = HEARD if len(files) > sum(map(is_transcript, files)) else ("preprocess", "emotion", *HEARD)
    return tuple(stage for stage in STAGES if stage not in needless)


def plan_again(stage: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return ``stage`` and those of the ``known`` ones that may follow from it."""
    if stage in ALONE:
        return (stage,)
    if stage == "embeddings":
        return (stage, "graph")
    later = known[known.index(stage) + 1 :] if stage in known else ()
    # The words and the telling apart do not read each other.
    return (stage, *(name for name in later if not (stage in WORDS and name == "diarization")))


def index_job(store: Store, config: Config) -> Work:
    """Return the work function of jobs: a recording, a transcript, both, or one stage again."""
    here = already_here(store)

    def work(
        files: list[Path], options: Mapping[str, Any], report: Report, cancelled: Callable[[], bool]
    ) -> Outcome:
        settings = _with(config, options.get("speakers"), options.get("language"), options.get("hints"))
        if "stage" in options:
            folder, stage = store.folder(str(options["meeting"])), str(options["stage"])
            progress = _overall(report, plan_again(stage, tuple(STAGES)))
            result = reindex(folder, store, settings, stage=stage, progress=progress, cancelled=cancelled)
            return Outcome(result.meeting, _notes(result))
        if (outcome := here(files, options)) is not None:
            return outcome
        progress = _overall(report, plan(files))
        transcripts = sorted(filter(is_transcript, files), key=lambda file: not _has_turns_only(file))
        recordings = [file for file in files if file not in transcripts]
        if transcripts:
            result = import_transcript(
                transcripts[0],
                store,
                settings,
                recording=recordings[0] if recordings else None,
                words=transcripts[1] if len(transcripts) > 1 else None,
                title=options.get("named"),  # a transcript has a title of its own
                progress=progress,
                cancelled=cancelled,
            )
            if set(result.stages) <= set(result.reused):
                return Outcome(result.meeting, (JobNote("duplicate", result.title),))
        else:
            title = options.get("title")
            result = index_recording(
                recordings[0], store, settings, title=title, progress=progress, cancelled=cancelled
            )
        return Outcome(result.meeting, _notes(result))

    return work


def already_here(store: Store) -> Known:
    """Return what finds the meeting that a recording would make once more, by the file's content.

    A meeting counts when it is finished, no stage of it has failed, and it was indexed with as many
    speakers, in the language and with the words to listen for as are asked for; what is not asked for may
    be as it is.
    """

    def find(files: list[Path], options: Mapping[str, Any]) -> Outcome | None:
        if "stage" in options or len(files) != 1 or is_transcript(files[0]):
            return None
        folder = store.find_source(content_hash(files[0]))
        if folder is None:
            return None
        manifest = folder.read_manifest()
        if not manifest.finished or not _is_as_asked(manifest, options):
            return None
        title = next((line.title for line in store.meetings() if line.id == folder.id), manifest.title)
        return Outcome(folder.id, (JobNote("duplicate", title),))

    return find


def _is_as_asked(manifest: Manifest, options: Mapping[str, Any]) -> bool:
    if any(record.failed for record in manifest.stages.values()):
        return False
    speakers, language = options.get("speakers"), options.get("language")
    told_apart = manifest.stages.get("diarization")
    as_many = told_apart is not None and told_apart.details.get("asked") == [speakers, speakers]
    words, recognised = options.get("hints"), manifest.stages.get("asr")
    listened = recognised is not None and list(recognised.options.get("hints") or ()) == words
    in_language = not language or manifest.language == language
    return (not speakers or as_many) and in_language and (not words or listened)


def _notes(result: IngestResult) -> tuple[JobNote, ...]:
    failed = [JobNote("failed", sentence, stage) for stage, sentence in result.failed.items()]
    return (*failed, *(JobNote("note", warning) for warning in result.warnings[:SHOWN_NOTES]))


def is_transcript(file: Path) -> bool:
    """Return whether a file is taken as a transcript, by its suffix."""
    return file.suffix.lower() in suffixes()


def _has_turns_only(file: Path) -> bool:
    return _unpacked(file).suffix.lower() == TURNS_ONLY


def _unpacked(file: Path) -> Path:
    return file.with_suffix("") if file.suffix.lower() == ".gz" else file


def group_uploads(files: list[tuple[str, Path]]) -> list[list[tuple[str, Path]]]:
    """Return one group per meeting: files of the same name that complete each other.

    These are a recording and a transcript, where an RTTM may come with one more file that has its words.

    Args:
        files: Shown name and path of each upload.
    """
    groups: list[list[tuple[str, Path]]] = []
    for name, path in files:
        stem, part = _unpacked(Path(name)).stem, _part(Path(name))
        for group in groups:
            same_name = _unpacked(Path(group[0][0])).stem == stem
            # Two recordings, or two files with words, are two meetings.
            if same_name and part not in {_part(Path(other)) for other, _ in group}:
                group.append((name, path))
                break
        else:
            groups.append([(name, path)])
    return groups


def _part(file: Path) -> str:
    if not is_transcript(file):
        return "recording"
    return "turns" if _has_turns_only(file) else "words"


def _with(config: Config, speakers: int | None, language: str | None, hints: Sequence[str] | None) -> Config:
    update: dict[str, Any] = {}
    if speakers:
        exact = {"min_speakers": speakers, "max_speakers": speakers}
        update["diarization"] = config.diarization.model_copy(update=exact)
    if language:
        update["asr"] = config.asr.model_copy(update={"language": language})
    if hints is not None:  # no hints at all are a choice too, when a stage runs again
        recognition = update.get("asr", config.asr)
        update["asr"] = recognition.model_copy(update={"hints": tuple(hints)})
    return config.model_copy(update=update)


def _overall(report: Report, stages: Sequence[str]) -> Callable[[str, float], None]:
    """Turn progress within a stage into progress over ``stages``; others before them cost nothing."""
    total = sum(STAGE_SHARES[stage] for stage in stages)

    def progress(stage: str, share: float) -> None:
        if stage in stages:
            before = sum(STAGE_SHARES[name] for name in stages[: stages.index(stage)])
            report(stage, (before + STAGE_SHARES[stage] * share) / total)

    return progress

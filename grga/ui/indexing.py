"""What an indexing job does: uploads become groups, a group becomes a meeting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grga.config import Config
from grga.ingest import import_transcript, index_recording
from grga.jobs import Report, Work
from grga.speech.transcripts import suffixes
from grga.store import Store

TURNS_ONLY = ".rttm"
"""A transcript that says who speaks when; the words come from another file."""

# What share of the whole each stage takes, roughly, on two cores; progress must move, not be exact.
STAGE_SHARES = {
    "preprocess": 8,
    "vad": 4,
    "asr": 54,
    "diarization": 14,
    "utterances": 1,
    "acoustics": 8,
    "profiles": 1,
    "embeddings": 8,
    "graph": 1,
    "index": 1,
}


def index_job(store: Store, config: Config) -> Work:
    """Return the work function of indexing jobs: recordings, transcripts, or a pair of both."""

    def work(
        files: list[Path], options: Mapping[str, Any], report: Report, cancelled: Callable[[], bool]
    ) -> str:
        transcripts = sorted(filter(is_transcript, files), key=lambda file: not _has_turns_only(file))
        recordings = [file for file in files if file not in transcripts]
        settings = _with_speakers(config, options.get("speakers"))
        progress = _overall(report)
        if transcripts:
            result = import_transcript(
                transcripts[0],
                store,
                settings,
                recording=recordings[0] if recordings else None,
                words=transcripts[1] if len(transcripts) > 1 else None,
                progress=progress,
                cancelled=cancelled,
            )
        else:
            result = index_recording(
                recordings[0],
                store,
                settings,
                title=options.get("title"),
                progress=progress,
                cancelled=cancelled,
            )
        return result.meeting

    return work


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


def _with_speakers(config: Config, number: int | None) -> Config:
    if not number:
        return config
    exact = {"min_speakers": number, "max_speakers": number}
    return config.model_copy(update={"diarization": config.diarization.model_copy(update=exact)})


def _overall(report: Report) -> Callable[[str, float], None]:
    """Turn progress within a stage into progress over all stages."""
    names, total = list(STAGE_SHARES), sum(STAGE_SHARES.values())

    def progress(stage: str, share: float) -> None:
        before = sum(STAGE_SHARES[name] for name in names[: names.index(stage)]) if stage in names else 0
        report(stage, (before + STAGE_SHARES.get(stage, 0) * share) / total)

    return progress

"""What an indexing job does: uploads become groups, a group becomes a meeting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grga.config import Config
from grga.ingest import import_transcript, index_recording
from grga.jobs import Report, Work
from grga.store import Store

TRANSCRIPT_SUFFIXES = frozenset(
    (".json", ".srt", ".vtt", ".rttm", ".ctm", ".stm", ".textgrid", ".xml", ".txt")
)

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
        transcripts = [file for file in files if is_transcript(file)]
        recordings = [file for file in files if file not in transcripts]
        settings = _with_speakers(config, options.get("speakers"))
        progress = _overall(report)
        if transcripts:
            result = import_transcript(
                transcripts[0],
                store,
                settings,
                recording=recordings[0] if recordings else None,
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
    return file.suffix.lower() in TRANSCRIPT_SUFFIXES


def group_uploads(files: list[tuple[str, Path]]) -> list[list[tuple[str, Path]]]:
    """Return one group per meeting: a transcript and a recording of the same name belong together.

    Args:
        files: Shown name and path of each upload.
    """
    groups: list[list[tuple[str, Path]]] = []
    for name, path in files:
        stem, transcript = Path(name).stem, is_transcript(Path(name))
        partner = next(
            (
                group
                for group in groups
                if len(group) == 1
                and Path(group[0][0]).stem == stem
                and is_transcript(Path(group[0][0])) != transcript
            ),
            None,
        )
        if partner is None:
            groups.append([(name, path)])
        else:
            partner.append((name, path))
    return groups


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

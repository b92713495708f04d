"""THE pipeline: a recording or a transcript becomes an indexed meeting.

One function per way in, one call and one comment per stage. Every stage is saved before the next
begins (:mod:`grga.stages`), so a killed run goes on where it was.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from grga import audio, hearing, linking
from grga.audio import Waveform
from grga.config import Config
from grga.embedding import TextEncoder, load_text_encoder
from grga.errors import AudioError, GrgaError, StoreError
from grga.graph.build import build_graph
from grga.graph.profiles import profile_speakers
from grga.index.bm25 import BM25Index
from grga.index.dense import DenseIndex
from grga.manifest import Manifest, Source
from grga.preflight import require
from grga.speech import transcripts
from grga.speech.utterances import with_second_speakers
from grga.stages import Progress, StageNotes, StageRunner
from grga.store import PLAYBACK, IndexedMeeting, MeetingFolder, Store
from grga.types import Meeting, Speaker, Utterance
from grga.workbench import working_on

log = logging.getLogger("grga.ingest")

STAGES = {
    "preprocess": "preprocess",
    "vad": "vad",
    "asr": "asr",
    "alignment": "alignment",
    "diarization": "diarization",
    "utterances": "utterances",
    "emotion": "emotion",
    "acoustics": "acoustics",
    "profiles": "",
    "embeddings": "embedding",
    "graph": "graph",
    "index": "",
}
"""Every stage in order, with the section of the settings that it reads."""

_YOUNG: dict[str, Any] = {"__all__": {"second_speaker": True, "acoustics": {"events"}}}
"""Fields that are left out of a transcript's digest: imports from before they existed are found again."""


@dataclass(frozen=True)
class IngestResult:
    """What an indexing run did.

    ``stages`` holds seconds per stage, 0.0 for a reused one; ``failed`` why a stage that the meeting
    can do without left a stand-in.
    """

    meeting: str
    title: str
    utterances: int
    speakers: int
    duration: float
    stages: dict[str, float]
    reused: tuple[str, ...]
    warnings: tuple[str, ...]
    failed: dict[str, str] = field(default_factory=dict)


def index_recording(
    source: Path,
    store: Store,
    config: Config,
    *,
    title: str | None = None,
    progress: Progress = lambda stage, share: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestResult:
    """Turn any file that ffmpeg's libraries can decode into an indexed meeting.

    Args:
        source: Audio or video.
        store: Where the meeting is kept.
        config: Settings of every stage.
        title: Shown name; None takes the file's name.
        progress: Called with stage and share 0..1.
        cancelled: Asked between steps; True stops the run and keeps what is finished.

    Raises:
        AudioError: not a usable recording.
        ModelError: a model's weights are missing.
        CancelledError: ``cancelled`` said so.
        StoreError: another process indexes the same recording.
    """
    _check_file(source)
    require(config, say=log.info)
    digest = audio.content_hash(source)
    folder = store.create(title or source.stem, Source(name=source.name, digest=digest, kind="audio"))
    with _alone(folder), working_on(folder, store) as place:
        run = StageRunner(place, digest, progress, cancelled)
        _recording(run, source, config)
        return _finish(run, config, store)


def import_transcript(
    source: Path,
    store: Store,
    config: Config,
    *,
    recording: Path | None = None,
    format: str | None = None,
    words: Path | None = None,
    meeting: str | None = None,
    title: str | None = None,
    progress: Progress = lambda stage, share: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestResult:
    """Turn a transcript, with or without its recording, into an indexed meeting.

    Args:
        source: A file or folder that :func:`grga.speech.transcripts.read_transcript` reads.
        store: Where the meeting is kept.
        config: Settings of every stage.
        recording: The audio; with it the acoustic measurements are made.
        format: Name of the format; None finds out.
        words: For RTTM, which holds turns only: the file with the words.
        meeting: Which meeting, where the file or folder holds several.
        title: Shown name; None takes the transcript's own.
        progress: Called with stage and share 0..1.
        cancelled: Asked between steps; True stops the run and keeps what is finished.

    Raises:
        TranscriptError: not a usable transcript.
        AudioError: not a usable recording.
        CancelledError, StoreError: as for :func:`index_recording`.
    """
    if recording is not None:
        _check_file(recording)
    require(config, recording=False, say=log.info)
    imported = transcripts.read_transcript(source, format=format, words=words, meeting=meeting)
    content = TypeAdapter(tuple[Utterance, ...]).dump_json(imported.utterances, exclude=_YOUNG)
    digest = _digest(content + (audio.content_hash(recording).encode() if recording else b""))
    folder = store.create(title or imported.title, Source(name=source.name, digest=digest, kind="transcript"))
    with _alone(folder), working_on(folder, store) as place:
        run = StageRunner(place, digest, progress, cancelled)
        if recording is not None:
            _preprocess(run, recording, config)
        # The transcript's utterances take the place of VAD, ASR and diarization.
        run.run(
            "utterances",
            lambda notes: _imported(place, notes, imported),
            settings={"content": digest},
            outputs=["utterances.json", "imported_speakers.json"],
        )
        manifest = place.read_manifest()
        manifest.language = imported.language
        manifest.duration = max(manifest.duration, imported.duration)
        place.write_manifest(manifest)
        return _finish(run, config, store)


def reindex(
    folder: MeetingFolder,
    store: Store,
    config: Config,
    *,
    stage: str,
    progress: Progress = lambda stage, share: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestResult:
    """Run one stage of a finished meeting again, with the settings that ``config`` has for it.

    Later stages follow only where what they read has changed, with the settings of their last run.
    The meeting can be read all the while; a run that fails or is stopped leaves it as it was.

    Args:
        folder: The meeting.
        store: Where it is kept.
        config: New settings of ``stage``; of the others' only what no record knows.
        stage: One of :func:`stages_to_repeat`.
        progress: Called with stage and share 0..1.
        cancelled: Asked between steps; True stops the run.

    Raises:
        StoreError: there is no such meeting or stage, it is not fully indexed, or it is being indexed.
        AudioError, ModelError, CancelledError: as for :func:`index_recording`.
    """
    manifest = folder.read_manifest()
    if not manifest.finished:
        raise StoreError(f"the meeting {folder.id!r} is not fully indexed", fix="add the same file again")
    if stage not in (known := stages_to_repeat(manifest)):
        raise StoreError(f"the meeting {folder.id!r} has no stage {stage!r}", expected=", ".join(known))
    config = _as_before(config, manifest, stage)
    with folder.alone(), working_on(folder, store) as place:
        repeated = place.read_manifest().stages[stage] != manifest.stages[stage]  # before a kill
        run = StageRunner(
            place,
            manifest.source.digest,
            progress,
            cancelled,
            again="" if repeated else stage,
            keep=frozenset(STAGES) - {stage},
        )
        if manifest.source.kind == "audio":
            _recording(run, place.path / str(manifest.audio), config)
        elif manifest.audio:
            _preprocess(run, place.path / manifest.audio, config)
        return _finish(run, config, store)


def stages_to_repeat(manifest: Manifest) -> tuple[str, ...]:
    """Return the stages of a meeting that can be run again alone: not an import, whose file is not kept."""
    kept = manifest.source.kind != "audio"
    return tuple(name for name in STAGES if name in manifest.stages and not (kept and name == "utterances"))


def _as_before(config: Config, manifest: Manifest, stage: str) -> Config:
    """Return ``config`` with every other stage's settings as they were when it last ran."""
    before = {}
    for name, record in manifest.stages.items():
        section = STAGES.get(name)
        if section and name != stage:
            settings = getattr(config, section)
            own = {key: value for key, value in record.options.items() if key in type(settings).model_fields}
            before[section] = settings.model_copy(update=own)
    return config.model_copy(update=before)


def index_in_memory(
    meeting: Meeting,
    *,
    encoder: TextEncoder | None = None,
    vectors: npt.NDArray[np.float32] | None = None,
    waveform: Waveform | None = None,
    reply_window: float = 5.0,
) -> IndexedMeeting:
    """Index a meeting that is already a list of utterances, without a folder.

    Args:
        meeting: The utterances; acoustics are used when they are there.
        encoder: Text encoder; None loads the preferred one.
        vectors: Rows of shape (utterances, encoder.dimension) if they are known already.
        waveform: For listening.
        reply_window: The paper's Δt in seconds.
    """
    encoder = encoder or load_text_encoder()
    texts = [utterance.text for utterance in meeting.utterances]
    if vectors is None:
        vectors = encoder.encode_passages(texts)
    return IndexedMeeting(
        meeting=replace(meeting, speakers=profile_speakers(meeting.utterances, meeting.speakers)),
        graph=build_graph(meeting.utterances, vectors=vectors, reply_window=reply_window),
        bm25=BM25Index.build(texts),
        dense=DenseIndex.build(vectors),
        encoder=encoder,
        waveform=waveform,
    )


# --- the stages -----------------------------------------------------------------------------------


def _recording(run: StageRunner, recording: Path, config: Config) -> None:
    """The stages that turn sound into utterances."""
    _preprocess(run, recording, config)
    # Where is speech, and how is it cut for recognition?
    run.run(
        "vad",
        lambda notes: hearing.find_speech(run, notes, config),
        inputs=["preprocess"],
        settings=config.vad.model_dump(),
        outputs=["vad.json"],
    )
    # What was said.
    run.run(
        "asr",
        lambda notes: hearing.recognise(run, notes, config),
        inputs=["preprocess", "vad"],
        settings=hearing.asr_settings(config),
        outputs=["asr.json"],
    )
    # When exactly: words with their boundaries.
    run.run(
        "alignment",
        lambda notes: hearing.align(run, notes, config),
        inputs=["preprocess", "vad", "asr"],
        settings=config.alignment.model_dump(),
        outputs=["words.json"],
        instead=lambda: hearing.keep_times(run.folder),
    )
    # Who spoke when.
    run.run(
        "diarization",
        lambda notes: hearing.diarize(run, notes, config),
        inputs=["preprocess", "vad"],
        settings={**config.diarization.model_dump(), "channels": config.preprocess.channels},
        outputs=["diarization.json"],
        instead=lambda: hearing.nobody(run.folder),
    )
    # Words find their speakers; runs of words become utterances.
    run.run(
        "utterances",
        lambda notes: hearing.form_utterances(run.folder, notes, config),
        inputs=["alignment", "diarization"],
        settings=config.utterances.model_dump(),
        outputs=["utterances.json"],
    )


def _preprocess(run: StageRunner, recording: Path, config: Config) -> None:
    """Sound that every later stage can read; the manifest says which file and how long."""
    record = run.run(
        "preprocess",
        lambda notes: hearing.preprocess(run, notes, recording, config),
        settings=config.preprocess.model_dump(),
        outputs=["audio.wav", PLAYBACK, "peaks.json"],
    )
    manifest = run.folder.read_manifest()
    manifest.audio = record.details["original"]
    manifest.duration = record.details["report"]["duration"]
    run.folder.write_manifest(manifest)


def _finish(run: StageRunner, config: Config, store: Store) -> IngestResult:
    """The stages that recordings and transcripts share."""
    folder = run.folder
    known = folder.read_manifest().stages
    heard: list[str] = [stage for stage in ("preprocess", "diarization") if stage in known]
    if heard:
        # What models feel in it: emotions, laughter, applause.
        run.run(
            "emotion",
            lambda notes: hearing.feel(run, notes, config),
            inputs=["preprocess", "utterances"],
            settings=config.emotion.model_dump(),
            outputs=["emotion.json"],
            instead=lambda: hearing.feel_nothing(folder),
        )
        heard.append("emotion")
    # How it sounded (without a recording: empty, and said so by None).
    run.run(
        "acoustics",
        lambda notes: hearing.measure(run, notes, config),
        inputs=["utterances", *heard],
        settings=config.acoustics.model_dump(),
        outputs=["acoustics.json"],
        instead=lambda: hearing.unmeasured(folder),
    )
    # Who the speakers are, from what they say.
    run.run(
        "profiles", lambda notes: linking.profiles(folder), inputs=["utterances"], outputs=["speakers.json"]
    )
    # What the utterances mean: one vector each, computed once for graph and index.
    run.run(
        "embeddings",
        lambda notes: linking.embeddings(run, notes, config, store),
        inputs=["utterances"],
        settings=config.embedding.model_dump(),
        outputs=["vectors.npy"],
    )
    # How they hang together: five types of edges.
    run.run(
        "graph",
        lambda notes: linking.graph(folder, notes, config),
        inputs=["utterances", "embeddings"],
        settings=config.graph.model_dump(),
        outputs=["graph.json"],
    )
    # Which words they hold.
    run.run("index", lambda notes: linking.index(folder), inputs=["utterances"], outputs=["bm25"], version=2)
    manifest = folder.read_manifest()
    manifest.finished = True
    folder.write_manifest(manifest)
    counts = manifest.stages["utterances"].details
    return IngestResult(
        meeting=manifest.id,
        title=manifest.title,
        utterances=counts["utterances"],
        speakers=counts["speakers"],
        duration=round(manifest.duration, 3),
        stages={name: run.ran.get(name, 0.0) for name in manifest.stages},
        reused=tuple(name for name in manifest.stages if name not in run.ran),
        warnings=tuple(w for record in manifest.stages.values() for w in record.warnings),
        failed={name: record.failed for name, record in manifest.stages.items() if record.failed},
    )


def _imported(folder: MeetingFolder, notes: StageNotes, imported: transcripts.ImportedTranscript) -> None:
    spoken = with_second_speakers(imported.utterances, imported.utterances)
    folder.write_value("utterances.json", tuple[Utterance, ...], spoken)
    folder.write_value("imported_speakers.json", tuple[Speaker, ...], imported.speakers)
    notes.details = {
        "utterances": len(imported.utterances),
        "speakers": len(imported.speakers),
        "format": imported.report.format,
    }
    notes.warnings = [str(note) for note in imported.report.notes]


# --- helpers --------------------------------------------------------------------------------------


def _check_file(source: Path) -> None:
    """Refuse what cannot be a recording before a meeting is made for it."""
    if source.is_dir():
        raise AudioError(f"{source} is a folder", fix="give one recording at a time")
    if not source.is_file():
        raise AudioError(f"there is no file {source}", fix="check the path")
    try:
        with source.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as error:
        raise AudioError(
            f"the file {source.name} cannot be read: {error.strerror}", fix="check its permissions"
        ) from None
    if empty:
        raise AudioError(f"the file {source.name} is empty (0 bytes)", fix="upload it again")


@contextmanager
def _alone(folder: MeetingFolder) -> Iterator[None]:
    """Work on a meeting alone; one of which not even the first stage could be finished leaves nothing."""
    with folder.alone():
        try:
            yield
        except GrgaError:
            if not folder.read_manifest().stages:
                shutil.rmtree(folder.path, ignore_errors=True)
            raise


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

"""THE pipeline: a recording or a transcript becomes an indexed meeting.

One function per way in, one call and one comment per stage. Every stage is saved before the next
begins (:mod:`grga.stages`), so a killed run goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from grga import audio
from grga.audio import Waveform
from grga.config import Config
from grga.embedding import TextEncoder, load_text_encoder
from grga.errors import AudioError, GrgaError, StoreError
from grga.graph.build import build_graph
from grga.graph.profiles import profile_speakers
from grga.index.bm25 import BM25Index
from grga.index.dense import DenseIndex
from grga.manifest import Manifest, Source, saving_to
from grga.speech import asr, diarization, features, transcripts, utterances, vad
from grga.speech.diarization.channels import diarize_channels
from grga.stages import Progress, StageNotes, StageRunner
from grga.store import PLAYBACK, IndexedMeeting, MeetingFolder, Store
from grga.types import Meeting, Speaker, Utterance, Word
from grga.workbench import working_on

log = logging.getLogger("grga.ingest")

STAGES = {
    "preprocess": "preprocess",
    "vad": "vad",
    "asr": "asr",
    "diarization": "diarization",
    "utterances": "utterances",
    "acoustics": "acoustics",
    "profiles": "",
    "embeddings": "embedding",
    "graph": "graph",
    "index": "",
}
"""Every stage in order, with the section of the settings that it reads."""


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
    imported = transcripts.read_transcript(source, format=format, words=words, meeting=meeting)
    content = TypeAdapter(tuple[Utterance, ...]).dump_json(imported.utterances)
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
        lambda notes: _vad(run, notes, config),
        inputs=["preprocess"],
        settings=config.vad.model_dump(),
        outputs=["vad.json"],
    )
    # What was said: words with their boundaries.
    run.run(
        "asr",
        lambda notes: _asr(run, notes, config),
        inputs=["preprocess", "vad"],
        settings=config.asr.model_dump(),
        outputs=["asr.json"],
    )
    # Who spoke when.
    run.run(
        "diarization",
        lambda notes: _diarization(run, notes, config),
        inputs=["preprocess", "vad"],
        settings={**config.diarization.model_dump(), "channels": config.preprocess.channels},
        outputs=["diarization.json"],
        instead=lambda: _nobody(run.folder),
    )
    # Words find their speakers; runs of words become utterances.
    run.run(
        "utterances",
        lambda notes: _utterances(run.folder, notes, config),
        inputs=["asr", "diarization"],
        settings=config.utterances.model_dump(),
        outputs=["utterances.json"],
    )


def _preprocess(run: StageRunner, recording: Path, config: Config) -> None:
    """Decode once; keep the original, a copy that browsers seek well, and loudness peaks."""
    folder = run.folder

    def make(notes: StageNotes) -> None:
        original = f"original{recording.suffix.lower()}"
        with folder.replacing(original) as draft:
            shutil.copyfile(recording, draft)
        with folder.replacing("audio.wav") as draft:
            report = audio.decode(
                recording,
                draft,
                max_hours=config.preprocess.max_hours,
                max_megabytes=config.preprocess.max_megabytes,
                apart=config.preprocess.channels == "speakers",
                progress=lambda share: run.report("preprocess", 0.7 * share),
            )
        with folder.replacing(PLAYBACK) as draft:
            audio.write_playback(recording, draft, channel=report.channel)
        apart = report.channels if config.preprocess.channels == "speakers" else 1
        for number in range(apart if apart > 1 else 0):
            with folder.replacing(f"channel{number + 1}.wav") as draft:
                audio.decode(recording, draft, max_hours=config.preprocess.max_hours, channel=number)
        folder.write_text("peaks.json", json.dumps(audio.peaks(Waveform.open(folder.audio))))
        notes.details = {"report": asdict(report), "original": original}
        notes.warnings = list(report.warnings)

    record = run.run(
        "preprocess",
        make,
        settings=config.preprocess.model_dump(),
        outputs=["audio.wav", PLAYBACK, "peaks.json"],
    )
    manifest = folder.read_manifest()
    manifest.audio = record.details["original"]
    manifest.duration = record.details["report"]["duration"]
    folder.write_manifest(manifest)


def _vad(run: StageRunner, notes: StageNotes, config: Config) -> None:
    settings = config.vad
    found = vad.load_vad(settings.backend).detect(
        Waveform.open(run.folder.audio),
        threshold=settings.threshold,
        min_silence=settings.min_silence,
        pad=settings.pad,
        max_clip=settings.max_clip,
    )
    run.folder.write_value("vad.json", vad.VadResult, found)
    notes.details = {"threshold": found.threshold, "clips": len(found.clips)}
    if not found.clips:
        notes.warnings.append("no speech found in this recording")


@dataclass(frozen=True)
class _Recognised:
    language: str | None
    words: tuple[Word, ...]


def _asr(run: StageRunner, notes: StageNotes, config: Config) -> None:
    """Recognise clip by clip; each finished clip is a line of a draft that survives a kill."""
    folder, settings = run.folder, config.asr
    clips = folder.read_value("vad.json", vad.VadResult).clips
    if not clips:
        folder.write_value("asr.json", _Recognised, _Recognised(settings.language, ()))
        return
    waveform = Waveform.open(folder.audio)
    draft = _ClipDraft(folder.path / "asr.partial.jsonl", [settings.model_dump(), clips])
    backend = asr.load_asr(settings.backend, model=settings.model, beam_size=settings.beam_size)
    language = settings.language or draft.language
    if language is None:
        language = backend.detect_language(waveform, clips)
    draft.begin(language)
    if draft.words:
        log.info("asr: going on after clip %d of %d", len(draft.words), len(clips))
    for number, clip in enumerate(clips):
        run.report("asr", number / len(clips))
        if number >= len(draft.words):
            draft.add(backend.transcribe(waveform, clip, language))
            log.info("asr: clip %d of %d", number + 1, len(clips))
    words = tuple(word for clip_words in draft.words for word in clip_words)
    folder.write_value("asr.json", _Recognised, _Recognised(language, words))
    draft.path.unlink()
    notes.details = {
        "language": language,
        "words": len(words),
        "model": settings.model or asr.usual_model(settings.backend),
    }
    manifest = folder.read_manifest()
    manifest.language = language
    folder.write_manifest(manifest)


class _ClipDraft:
    """Recognised clips, one JSON line each, below a first line that says what they belong to."""

    def __init__(self, path: Path, belongs_to: Any) -> None:
        self.path = path
        self.head = _digest(TypeAdapter(Any).dump_json(belongs_to))
        self.language: str | None = None
        self.words: list[tuple[Word, ...]] = []
        lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
        # A line without its line feed was cut by the kill.
        whole = [line for line in lines if line.endswith(b"\n")]
        if whole and json.loads(whole[0])["head"] == self.head:
            self.language = json.loads(whole[0])["language"]
            self.words = [TypeAdapter(tuple[Word, ...]).validate_json(line) for line in whole[1:]]

    def begin(self, language: str | None) -> None:
        self.language = language
        head = json.dumps({"head": self.head, "language": language}).encode() + b"\n"
        with saving_to(self.path.parent):
            self.path.write_bytes(head + b"".join(self._line(words) for words in self.words))

    def add(self, words: tuple[Word, ...]) -> None:
        self.words.append(words)
        with saving_to(self.path.parent), self.path.open("ab") as stream:
            stream.write(self._line(words))

    @staticmethod
    def _line(words: tuple[Word, ...]) -> bytes:
        return TypeAdapter(tuple[Word, ...]).dump_json(words) + b"\n"


def _diarization(run: StageRunner, notes: StageNotes, config: Config) -> None:
    folder, settings = run.folder, config.diarization
    channels = sorted(folder.path.glob("channel*.wav"))
    if config.preprocess.channels == "speakers" and channels:
        segments = diarize_channels(
            [Waveform.open(channel) for channel in channels],
            vad.load_vad(config.vad.backend),
            threshold=config.vad.threshold,
            min_silence=config.vad.min_silence,
        )
    else:
        segments = diarization.diarize(
            Waveform.open(folder.audio),
            folder.read_value("vad.json", vad.VadResult).speech,
            encoder=diarization.load_encoder(settings.backend),
            clustering=settings.clustering,
            eta=settings.eta,
            min_speakers=settings.min_speakers,
            max_speakers=settings.max_speakers,
        )
    folder.write_value("diarization.json", tuple[diarization.SpeakerSegment, ...], segments)
    found = len({segment.speaker for segment in segments})
    notes.details = {"speakers": found, "asked": [settings.min_speakers, settings.max_speakers]}
    if segments and not settings.min_speakers <= found <= (settings.max_speakers or found):
        notes.warnings.append(
            f"asked for {settings.min_speakers} to {settings.max_speakers or 'any number of'} speakers,"
            f" but only {found} could be told apart"
        )


def _nobody(folder: MeetingFolder) -> None:
    """Nobody could be told apart: all words are one unknown speaker's."""
    folder.write_value("diarization.json", tuple[diarization.SpeakerSegment, ...], ())


def _utterances(folder: MeetingFolder, notes: StageNotes, config: Config) -> None:
    words = folder.read_value("asr.json", _Recognised).words
    segments = folder.read_value("diarization.json", tuple[diarization.SpeakerSegment, ...])
    settings = config.utterances
    spoken = utterances.group_utterances(
        utterances.assign_words(words, segments, settings.alpha_ovlp),
        settings.beta_sil,
        settings.max_seconds,
    )
    folder.write_value("utterances.json", tuple[Utterance, ...], spoken)
    names = sorted({utterance.speaker for utterance in spoken})
    notes.details = {"utterances": len(spoken), "speakers": len(names)}
    voices = len({segment.speaker for segment in segments})
    if 0 < len(names) < voices:
        notes.warnings.append(
            f"{voices} voices were told apart, but only {len(names)} of them said clear words"
        )


def _imported(folder: MeetingFolder, notes: StageNotes, imported: transcripts.ImportedTranscript) -> None:
    folder.write_value("utterances.json", tuple[Utterance, ...], imported.utterances)
    folder.write_value("imported_speakers.json", tuple[Speaker, ...], imported.speakers)
    notes.details = {
        "utterances": len(imported.utterances),
        "speakers": len(imported.speakers),
        "format": imported.report.format,
    }
    notes.warnings = [str(note) for note in imported.report.notes]


def _finish(run: StageRunner, config: Config, store: Store) -> IngestResult:
    """The stages that recordings and transcripts share."""
    folder = run.folder
    heard = ["preprocess"] if "preprocess" in folder.read_manifest().stages else []
    # How it sounded (without a recording: empty, and said so by None).
    run.run(
        "acoustics",
        lambda notes: _acoustics(run, notes, config),
        inputs=["utterances", *heard],
        settings=config.acoustics.model_dump(),
        outputs=["acoustics.json"],
        instead=lambda: _unmeasured(folder),
    )
    # Who the speakers are, from what they say.
    run.run("profiles", lambda notes: _profiles(folder), inputs=["utterances"], outputs=["speakers.json"])
    # What the utterances mean: one vector each, computed once for graph and index.
    run.run(
        "embeddings",
        lambda notes: _embeddings(run, notes, config, store),
        inputs=["utterances"],
        settings=config.embedding.model_dump(),
        outputs=["vectors.npy"],
    )
    # How they hang together: five types of edges.
    run.run(
        "graph",
        lambda notes: _graph(folder, notes, config),
        inputs=["utterances", "embeddings"],
        settings=config.graph.model_dump(),
        outputs=["graph.json"],
    )
    # Which words they hold.
    run.run("index", lambda notes: _index(folder), inputs=["utterances"], outputs=["bm25"])
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


def _acoustics(run: StageRunner, notes: StageNotes, config: Config) -> None:
    folder = run.folder
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    if folder.audio.is_file():
        spoken = features.measure(spoken, Waveform.open(folder.audio), config.acoustics.pitch)
    folder.write_value("acoustics.json", tuple[Utterance, ...], spoken)
    notes.details = {}


def _unmeasured(folder: MeetingFolder) -> None:
    """Keep the words of a meeting whose sound could not be measured."""
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    folder.write_value("acoustics.json", tuple[Utterance, ...], spoken)


def _profiles(folder: MeetingFolder) -> None:
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    if (folder.path / "imported_speakers.json").is_file():
        speakers = folder.read_value("imported_speakers.json", tuple[Speaker, ...])
    else:
        # Numbered as people meet them; the ids stay what diarization called them.
        ids = dict.fromkeys(utterance.speaker for utterance in spoken)
        speakers = tuple(Speaker(id, f"Speaker {number}") for number, id in enumerate(ids, start=1))
    folder.write_value("speakers.json", tuple[Speaker, ...], profile_speakers(spoken, speakers))


def _embeddings(run: StageRunner, notes: StageNotes, config: Config, store: Store) -> None:
    encoder = store.encoder(config.embedding.backend)
    texts = [u.text for u in run.folder.read_value("utterances.json", tuple[Utterance, ...])]
    vectors = _in_batches(encoder, texts, lambda share: run.report("embeddings", share))
    with run.folder.replacing("vectors.npy") as draft:
        np.save(draft, vectors)
    notes.details = {"encoder": encoder.name, "dimension": encoder.dimension}


def _in_batches(
    encoder: TextEncoder, texts: Sequence[str], report: Callable[[float], None], size: int = 256
) -> npt.NDArray[np.float32]:
    """Encode every distinct text once, in batches, so that a long meeting shows progress and can stop."""
    distinct = list(dict.fromkeys(texts))
    parts = [np.zeros((0, encoder.dimension), np.float32)]
    for begin in range(0, len(distinct), size):
        report(begin / len(distinct))
        parts.append(encoder.encode_passages(distinct[begin : begin + size]))
    row = {text: number for number, text in enumerate(distinct)}
    rows = np.array([row[text] for text in texts], dtype=np.intp)
    vectors: npt.NDArray[np.float32] = np.concatenate(parts)[rows]
    return vectors


def _graph(folder: MeetingFolder, notes: StageNotes, config: Config) -> None:
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    vectors = np.load(folder.path / "vectors.npy")
    graph = build_graph(spoken, vectors=vectors, reply_window=config.graph.reply_window)
    folder.write_text("graph.json", json.dumps(graph.to_dict()))
    notes.details = {"edges": {str(kind): count for kind, count in graph.counts().items()}}


def _index(folder: MeetingFolder) -> None:
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    with saving_to(folder.path):
        BM25Index.build([utterance.text for utterance in spoken]).save(folder.path / "bm25")


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

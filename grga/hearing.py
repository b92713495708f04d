"""Makers of the stages that listen: a recording becomes words, voices, utterances and measurements.

Each reads files of the meeting's folder, writes its own and notes what it found. Which stage follows
which stands in :mod:`grga.ingest`.
"""

from __future__ import annotations

import json
import logging
import shutil
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from grga import audio
from grga.audio import Waveform
from grga.clip_draft import ClipDraft, Recognised
from grga.config import Config
from grga.models import ModelSource
from grga.models.shared import shared
from grga.speech import alignment, asr, diarization, emotion, features, utterances, vad
from grga.speech.diarization.channels import diarize_channels
from grga.speech.emotion import Emotion
from grga.stages import StageNotes, StageRunner
from grga.store import PLAYBACK, MeetingFolder
from grga.types import Acoustics, TimeSpan, Utterance, Word

log = logging.getLogger("grga.ingest")

Model = TypeVar("Model")

KEEP_TIMES = "asr"
"""The alignment that keeps the recogniser's own times."""
FELT_AT_ONCE = 64
Segments = tuple[diarization.SpeakerSegment, ...]


@dataclass(frozen=True)
class Feeling:
    """How one utterance sounds to models: an emotion, and sounds beside speech."""

    emotion: Emotion | None = None
    events: tuple[str, ...] = ()


def preprocess(run: StageRunner, notes: StageNotes, recording: Path, config: Config) -> None:
    """Decode once; keep the original, a copy that browsers seek well, and loudness peaks."""
    folder = run.folder
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


def find_speech(run: StageRunner, notes: StageNotes, config: Config) -> None:
    """Find the clips for recognition and the speech for diarization."""
    settings = config.vad
    found = _detector(config).detect(
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


def asr_settings(config: Config) -> dict[str, Any]:
    """Return what decides the words: the settings, with the model's name and without what is not used."""
    unused = {name for name in ("hints", "punctuation") if not getattr(config.asr, name)}
    settings = config.asr.model_dump(exclude=unused)
    return settings | {"model": config.asr.model or asr.usual_model(config.asr.backend)}


def recognise(run: StageRunner, notes: StageNotes, config: Config) -> None:
    """Recognise clip by clip; each finished clip is a line of a draft that survives a kill."""
    folder, settings = run.folder, config.asr
    clips = folder.read_value("vad.json", vad.VadResult).clips
    if not clips:
        folder.write_value("asr.json", Recognised, Recognised(settings.language, ()))
        return
    waveform = Waveform.open(folder.audio)
    draft = ClipDraft(folder.path / "asr.partial.jsonl", [asr_settings(config), clips])
    backend = _shared(
        config,
        ("asr", settings.model_copy(update={"language": None})),
        lambda source: asr.load_asr(
            settings.backend,
            model=settings.model,
            beam_size=settings.beam_size,
            hints=settings.hints,
            punctuation=settings.punctuation,
            source=source,
        ),
    )
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
    folder.write_value("asr.json", Recognised, Recognised(language, words))
    draft.path.unlink()
    notes.details = {
        "language": language,
        "words": len(words),
        "model": asr_settings(config)["model"],
        "word_times": "measured" if backend.word_times else "estimated",
    }
    manifest = folder.read_manifest()
    manifest.language = language
    folder.write_manifest(manifest)


def align(run: StageRunner, notes: StageNotes, config: Config) -> None:
    """Measure when each word begins and ends, or keep the recogniser's own times."""
    folder, settings = run.folder, config.alignment
    heard = folder.read_value("asr.json", Recognised)
    if settings.backend == KEEP_TIMES:
        folder.write_value("words.json", Recognised, heard)
        return
    aligner = _shared(
        config,
        ("alignment", settings),
        lambda source: alignment.load_aligner(settings.backend, model=settings.model, source=source),
    )
    waveform = Waveform.open(folder.audio)
    clips = folder.read_value("vad.json", vad.VadResult).clips
    words: list[Word] = []
    for number, (clip, inside) in enumerate(_by_clip(clips, heard.words)):
        run.report("alignment", number / len(clips))
        words += aligner.align(waveform, clip, inside, heard.language) if inside else ()
    folder.write_value("words.json", Recognised, Recognised(heard.language, tuple(words)))
    notes.details = {"words": len(words)}


def keep_times(folder: MeetingFolder) -> None:
    """Take the recogniser's own times: what stands in for an alignment that failed."""
    folder.write_value("words.json", Recognised, folder.read_value("asr.json", Recognised))


def _by_clip(clips: Sequence[TimeSpan], words: Sequence[Word]) -> list[tuple[TimeSpan, tuple[Word, ...]]]:
    """Return each clip with the words that were recognised in it; clips do not overlap."""
    begins = [clip.start for clip in clips]
    inside: list[list[Word]] = [[] for _ in clips]
    for word in words:
        inside[max(bisect_right(begins, word.span.start) - 1, 0)].append(word)
    return [(clip, tuple(some)) for clip, some in zip(clips, inside, strict=True)]


def diarize(run: StageRunner, notes: StageNotes, config: Config) -> None:
    """Say who speaks when."""
    folder, settings = run.folder, config.diarization
    channels = sorted(folder.path.glob("channel*.wav"))
    if config.preprocess.channels == "speakers" and channels:
        segments = diarize_channels(
            [Waveform.open(channel) for channel in channels],
            _detector(config),
            threshold=config.vad.threshold,
            min_silence=config.vad.min_silence,
        )
    else:
        system = _shared(
            config,
            ("diarization", settings.backend, settings.clustering, settings.eta),
            lambda source: diarization.load_diarizer(
                settings.backend, source, clustering=settings.clustering, eta=settings.eta
            ),
        )
        segments = system.diarize(
            Waveform.open(folder.audio),
            folder.read_value("vad.json", vad.VadResult).speech,
            min_speakers=settings.min_speakers,
            max_speakers=settings.max_speakers,
        )
    folder.write_value("diarization.json", Segments, segments)
    found = len({segment.speaker for segment in segments})
    notes.details = {"speakers": found, "asked": [settings.min_speakers, settings.max_speakers]}
    if segments and not settings.min_speakers <= found <= (settings.max_speakers or found):
        notes.warnings.append(
            f"asked for {settings.min_speakers} to {settings.max_speakers or 'any number of'} speakers,"
            f" but only {found} could be told apart"
        )


def nobody(folder: MeetingFolder) -> None:
    """Nobody could be told apart: all words are one unknown speaker's."""
    folder.write_value("diarization.json", Segments, ())


def form_utterances(folder: MeetingFolder, notes: StageNotes, config: Config) -> None:
    """Give words their speakers and make utterances of runs of words."""
    words = folder.read_value("words.json", Recognised).words
    segments = folder.read_value("diarization.json", Segments)
    settings = config.utterances
    spoken = utterances.group_utterances(
        utterances.assign_words(words, segments, settings.alpha_ovlp),
        settings.beta_sil,
        settings.max_seconds,
    )
    spoken = utterances.with_second_speakers(spoken, segments)
    folder.write_value("utterances.json", tuple[Utterance, ...], spoken)
    names = sorted({utterance.speaker for utterance in spoken})
    notes.details = {"utterances": len(spoken), "speakers": len(names)}
    voices = len({segment.speaker for segment in segments})
    if 0 < len(names) < voices:
        notes.warnings.append(
            f"{voices} voices were told apart, but only {len(names)} of them said clear words"
        )


def feel(run: StageRunner, notes: StageNotes, config: Config) -> None:
    """Let models say how each utterance sounds; without any, nothing is claimed."""
    folder, settings = run.folder, config.emotion
    spans = [one.span for one in folder.read_value("utterances.json", tuple[Utterance, ...])]
    found = [Feeling() for _ in spans]
    if (settings.backend, settings.events) != ("none", "none") and folder.audio.is_file():
        waveform = Waveform.open(folder.audio)
        if settings.backend != "none":
            recogniser = _shared(
                config,
                ("emotion", settings.backend),
                lambda source: emotion.load_recogniser(settings.backend, source),
            )
            for first in range(0, len(spans), FELT_AT_ONCE):
                run.report("emotion", first / len(spans) / 2)
                some = slice(first, first + FELT_AT_ONCE)
                heard = recogniser.recognise(waveform, spans[some])
                found[some] = [
                    replace(one, emotion=said) for one, said in zip(found[some], heard, strict=True)
                ]
        if settings.events != "none":
            tagger = _shared(
                config,
                ("events", settings.events),
                lambda source: emotion.load_tagger(settings.events, source),
            )
            for first in range(0, len(spans), FELT_AT_ONCE):
                run.report("emotion", 0.5 + first / len(spans) / 2)
                some = slice(first, first + FELT_AT_ONCE)
                tags = tagger.events(waveform, spans[some])
                found[some] = [replace(one, events=said) for one, said in zip(found[some], tags, strict=True)]
    folder.write_value("emotion.json", tuple[Feeling, ...], tuple(found))
    notes.details = {"backend": settings.backend, "events": settings.events}


def feel_nothing(folder: MeetingFolder) -> None:
    """Claim nothing about how the utterances of a meeting sound."""
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    folder.write_value("emotion.json", tuple[Feeling, ...], tuple(Feeling() for _ in spoken))


def measure(run: StageRunner, notes: StageNotes, config: Config) -> None:
    """Measure how each utterance sounded, and add what the models said."""
    folder = run.folder
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    if folder.audio.is_file():
        # Recognised words come one after the other: only the segments tell who talks at once.
        told_apart = (folder.path / "diarization.json").is_file()
        turns = folder.read_value("diarization.json", Segments) if told_apart else spoken
        spoken = features.measure(spoken, Waveform.open(folder.audio), config.acoustics.pitch, turns)
        felt = folder.read_value("emotion.json", tuple[Feeling, ...])
        spoken = tuple(_felt(one, feeling) for one, feeling in zip(spoken, felt, strict=True))
    folder.write_value("acoustics.json", tuple[Utterance, ...], spoken)


def _felt(utterance: Utterance, feeling: Feeling) -> Utterance:
    acoustics = utterance.acoustics or Acoustics()
    if feeling.emotion is not None:
        label, score = feeling.emotion.label, feeling.emotion.score
        acoustics = replace(acoustics, emotion=label, emotion_score=score)
    if feeling.events:
        acoustics = replace(acoustics, events=feeling.events)
    return utterance if acoustics == Acoustics() else replace(utterance, acoustics=acoustics)


def unmeasured(folder: MeetingFolder) -> None:
    """Keep the words of a meeting whose sound could not be measured."""
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    folder.write_value("acoustics.json", tuple[Utterance, ...], spoken)


def _detector(config: Config) -> vad.Vad:
    backend = config.vad.backend
    return _shared(config, ("vad", backend), lambda source: vad.load_vad(backend, source))


def _shared(config: Config, key: tuple[Hashable, ...], load: Callable[[ModelSource], Model]) -> Model:
    """Return a model, loaded once per process, let go when idle.

    ``key`` holds what the model is made of, and nothing that it is only asked with (language, speakers).
    """
    source = config.models.source()
    return shared((*key, source), lambda: load(source), 60 * config.models.idle_minutes)

"""Which models heard a meeting, stage by stage, in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from grga.manifest import Manifest, StageRecord
from grga.models import CARDS
from grga.ui.jobs_view import stage_text
from grga.ui.render import escape, join, sentence
from grga.ui.texts import t

NAMES = {
    "silero": "Silero VAD",
    "fsmn": "FSMN-VAD",
    "whisper": "Whisper",
    "paraformer": "Paraformer",
    "sensevoice": "SenseVoice",
    "firered": "FireRedASR",
    "ctc": "wav2vec 2.0, CTC",
    "fa-zh": "FunASR FA-ZH",
    "mfa": "Montreal Forced Aligner",
    "pocketsphinx": "CMU Sphinx",
    "ge2e": "GE2E",
    "eres2netv2": "ERes2NetV2",
    "campplus": "CAM++",
    "pyannote": "pyannote",
    "emotion2vec": "emotion2vec+",
    "swift_f0": "SwiftF0",
    "e5": "multilingual E5",
    "use": "Universal Sentence Encoder",
    "bge-m3": "BGE-M3",
}
"""Names of backends as their makers write them, in every language; another one is shown as it is."""


def backends_html(manifest: Manifest) -> str:
    """Return a folded table of stages and what did each; "" for a meeting that no model has heard."""
    rows = [
        f"<dt>{escape(stage_text(stage))}</dt><dd>{escape(said)}</dd>"
        for stage, said in backends_of(manifest)
    ]
    if not rows:
        return ""
    title = t("Models that were used")
    return f'<details class="g-backends"><summary>{escape(title)}</summary><dl>{join(rows)}</dl></details>'


def backends_of(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the stages that a model did, in order, each with what did it, in the visitor's language."""
    for stage, record in manifest.stages.items():
        if record.failed:
            yield stage, t("failed: {why}", why=sentence(record.failed))
        elif said := _told(stage, record):
            yield stage, said


def _told(stage: str, record: StageRecord) -> str:
    options, details = record.options, record.details
    backend = str(options.get("backend", ""))
    match stage:
        case "vad" | "diarization" if backend:
            return _name(backend)
        case "asr" if backend:
            words = _with_model(backend, str(details.get("model") or options.get("model") or ""))
            hints = ", ".join(options.get("hints") or ())
            return t("{model}, listening for: {words}", model=words, words=hints) if hints else words
        case "alignment" if backend:
            return t("times as recognised") if backend == "asr" else _name(backend)
        case "emotion":
            return _emotions(backend, str(options.get("events", "")))
        case "acoustics" if options.get("pitch") not in (None, "none"):
            return t("{model} for pitch", model=_name(str(options["pitch"])))
        case "embeddings" if details.get("encoder"):
            return _name(str(details["encoder"]))
    return ""


def _emotions(emotions: str, events: str) -> str:
    heard = (
        (emotions, t("{model} for emotions", model=_name(emotions))),
        (events, t("{model} for laughter and other sounds", model=_name(events))),
    )
    parts = [said for backend, said in heard if backend not in ("", "none")]
    return ", ".join(parts) or t("not measured")


def _with_model(backend: str, model: str) -> str:
    """Return "Whisper base": the size where there are several; people's own models by their last name."""
    size = model.replace("\\", "/").rstrip("/").split("/")[-1].removeprefix(f"{backend}-")
    usual = not size or (backend != "whisper" and model in CARDS)
    return _name(backend) if usual else f"{_name(backend)} {size}"


def _name(backend: str) -> str:
    return NAMES.get(backend, backend)

"""Whole diarization by pyannote.audio 4: hears two people at once.

Its models segment ten seconds at a time, overlaps included, and cluster a voice per speaker and piece
(Bredin 2023, https://github.com/pyannote/pyannote-audio). It needs an environment of its own, because its
torchaudio wants another torch than the rest of the full profile: see docs/diarization.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grga.audio import SAMPLE_RATE, Waveform
from grga.errors import ModelError
from grga.models import ModelSource, locate
from grga.models.device import torch_device
from grga.speech.diarization import SpeakerSegment
from grga.types import TimeSpan

GUIDE = "docs/diarization.md says which environment it needs"
PARTS = ("segmentation", "embedding", "plda")


class Pyannote:
    """A :class:`grga.speech.diarization.Diarizer` from a folder that holds a pipeline with its models."""

    def __init__(self, source: ModelSource = ModelSource()) -> None:
        """Load the pipeline.

        Raises:
            ModelError: pyannote.audio or its files are missing, or do not fit.
        """
        folder = locate("pyannote", source)
        try:
            import torch
            from pyannote.audio import Pipeline
            from pyannote.audio.telemetry import set_telemetry_metrics
        except (ImportError, OSError) as error:  # OSError: a torchaudio that was built for another torch
            raise ModelError(f"pyannote.audio cannot be loaded: {_said(error)}", fix=GUIDE) from None
        # It reports every use, with the length of the recording, to its makers unless it is told not to.
        set_telemetry_metrics(False)
        if away := _elsewhere(folder):
            raise ModelError(
                f"the pipeline in {folder} would take its {', '.join(away)} from a hub",
                expected="models beside its config.yaml",
                fix="use pyannote/speaker-diarization-community-1, which brings them",
            )
        try:
            self._pipeline: Any = Pipeline.from_pretrained(folder)
        except Exception as error:  # its reader lets through whatever YAML, torch and lightning raise
            raise ModelError(f"the pipeline in {folder} cannot be loaded: {_said(error)}") from error
        self._pipeline.to(torch.device(torch_device(source.device)))

    def diarize(
        self,
        waveform: Waveform,
        speech: Sequence[TimeSpan],
        *,
        min_speakers: int = 1,
        max_speakers: int | None = None,
    ) -> tuple[SpeakerSegment, ...]:
        """See :class:`grga.speech.diarization.Diarizer`; without any ``speech`` nobody is looked for.

        The pipeline finds speech itself. It holds the recording in memory: 230 MB per hour.
        """
        import torch

        if not speech:
            return ()
        recording = {"waveform": torch.from_numpy(waveform.samples()[None]), "sample_rate": SAMPLE_RATE}
        found = self._pipeline(recording, min_speakers=min_speakers, max_speakers=max_speakers)
        return tuple(_segments(found, waveform.duration))


def _segments(found: Any, seconds: float) -> Iterator[SpeakerSegment]:
    """Yield what was found in order of start, speakers numbered by first appearance.

    Pipelines of before version 4 give turns alone, newer ones also a voice per speaker.
    """
    annotation = getattr(found, "speaker_diarization", found)
    rows = getattr(found, "speaker_embeddings", None)
    voices = {} if rows is None else dict(zip(annotation.labels(), rows, strict=True))
    names: dict[str, str] = {}
    turns = [(turn, label) for turn, _, label in annotation.itertracks(yield_label=True)]
    for turn, label in sorted(turns, key=lambda one: (one[0].start, one[0].end, str(one[1]))):
        span = TimeSpan(max(0.0, turn.start), min(seconds, turn.end)) if turn.start < seconds else None
        if span is not None and span.duration > 0:
            name = names.setdefault(label, f"S{len(names) + 1}")
            yield SpeakerSegment(name, span, None, _voice(voices.get(label)))


def _voice(row: Any) -> tuple[float, ...]:
    """Return the voice at length one; nothing when none was measured."""
    if row is None or not np.isfinite(row).all() or not np.any(row):
        return ()
    return tuple((row / np.linalg.norm(row)).tolist())


def _elsewhere(folder: Path) -> list[str]:
    """Return which of its models the pipeline would fetch from a hub instead of finding them beside it.

    Those that its settings do not name are a hub's too: the library's defaults.
    """
    import yaml  # type: ignore[import-untyped]

    try:
        settings = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        params = dict(settings["pipeline"]["params"])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError):
        raise ModelError(f"{folder} holds no pipeline of pyannote.audio", fix=GUIDE) from None
    named = {part: str(params.get(part, "")) for part in PARTS}
    return [
        part for part, one in named.items() if not (one.startswith("$model/") or (one and Path(one).exists()))
    ]


def _said(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")

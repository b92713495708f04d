"""How well the bundled sample meetings were recognised: their kept indices against their references.

    python -m benchmarks.sample_quality

English: word error rate, lower case, punctuation removed; numbers are compared as written, so "12" for
"twelve" is an error. Mandarin: character error rate, folded to simplified characters. DER: collar 0.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import jiwer
from opencc import OpenCC
from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationErrorRate

from grga.paths import assets
from grga.speech.diarization import SpeakerSegment
from grga.store import MeetingFolder


def main() -> None:
    warnings.filterwarnings("ignore", message=".*uem.*")
    for store in sorted((assets() / "samples").glob("*/store")):
        print(f"{store.parent.name:16} {measure(store)}")


def measure(store: Path) -> str:
    reference = json.loads((store.parent / "reference.json").read_text("utf-8"))
    folder = MeetingFolder(store)
    utterances = folder.read_meeting().utterances
    spoken = " ".join(line["text"] for line in sorted(reference["utterances"], key=lambda one: one["start"]))
    heard = " ".join(utterance.text for utterance in utterances)
    if reference["language"] == "zh":
        rate = f"CER {jiwer.cer(characters(spoken), characters(heard)):.3f}"
    else:
        rate = f"WER {jiwer.wer(words(spoken), words(heard)):.3f}"
    truth, guess = Annotation(), Annotation()
    for number, line in enumerate(reference["utterances"]):
        truth[Segment(line["start"], line["end"]), number] = line["speaker"]
    segments = folder.read_value("diarization.json", tuple[SpeakerSegment, ...])
    for number, segment in enumerate(segments):
        guess[Segment(segment.span.start, segment.span.end), number] = segment.speaker
    der = DiarizationErrorRate(collar=0.0)(truth, guess)
    return f"{rate}  DER {der:.3f}  speakers {len(truth.labels())} ({len(guess.labels())} found)"


def words(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s']", " ", text.lower()).split())


def characters(text: str) -> str:
    return re.sub(r"\W", "", OpenCC("t2s").convert(text)).lower()


if __name__ == "__main__":
    main()

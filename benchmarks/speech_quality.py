"""Word error rate, diarization error rate and speed of the embedded speech profile on the AMI clips.

    python -m benchmarks.speech_quality [--data ../shared/data] [--json]

WER: jiwer over all clips together, words of all speakers in order of their start times, lower case,
punctuation removed, nothing else changed (fillers and repetitions stay). cpWER: meeteval, the same
normalisation, hypothesis speakers matched to reference speakers. DER: pyannote.metrics, overlap scored,
with collar 0 and with 0.25 s on either side of each boundary (its argument is the whole width: 0.5).
Real-time factors: seconds of work per second of audio, models loaded beforehand.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jiwer
import meeteval
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate

from grga.audio import Waveform, decode, write_playback
from grga.speech.asr import load_asr
from grga.speech.diarization import diarize, load_encoder
from grga.speech.features import measure
from grga.speech.utterances import assign_words, group_utterances
from grga.speech.vad import load_vad
from grga.types import Utterance

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


class Stopwatch:
    """Adds up seconds per stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - started


class Pipeline:
    """The speech stages with their models loaded."""

    def __init__(self) -> None:
        self.vad, self.asr, self.encoder = load_vad(), load_asr(), load_encoder()
        self.watch = Stopwatch()

    def run(self, source: Path, folder: Path) -> tuple[tuple[Utterance, ...], Any, float]:
        """Return utterances, speaker segments and duration of one recording."""
        wav = folder / "audio.wav"
        with self.watch.stage("decode"):
            decode(source, wav, max_hours=1)
            write_playback(source, folder / "audio.m4a")
        waveform = Waveform.open(wav)
        with self.watch.stage("vad"):
            found = self.vad.detect(waveform)
        with self.watch.stage("language"):
            language = self.asr.detect_language(waveform, found.clips)
        with self.watch.stage("asr"):
            words = [word for clip in found.clips for word in self.asr.transcribe(waveform, clip, language)]
        with self.watch.stage("diarization"):
            segments = diarize(waveform, found.speech, encoder=self.encoder)
        with self.watch.stage("utterances"):
            utterances = group_utterances(assign_words(words, segments))
        with self.watch.stage("acoustics"):
            utterances = measure(utterances, waveform)
        return utterances, segments, waveform.duration


def normalise(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s']", " ", text.lower()).split())


def reference_turns(clip: Path) -> Annotation:
    turns = Annotation(uri=clip.stem)
    for number, line in enumerate(clip.with_suffix(".ref.rttm").read_text().splitlines()):
        fields = line.split()
        if fields and fields[0] == "SPEAKER":
            start, length = float(fields[3]), float(fields[4])
            turns[Segment(start, start + length), number] = fields[7]
    return turns


def found_turns(clip: Path, segments: Any) -> Annotation:
    turns = Annotation(uri=clip.stem)
    for number, segment in enumerate(segments):
        turns[Segment(segment.span.start, segment.span.end), number] = segment.speaker
    return turns


def seglst(clip: str, rows: list[tuple[str, float, float, str]]) -> Any:
    return meeteval.io.SegLST(
        [
            {
                "session_id": clip,
                "speaker": who,
                "start_time": start,
                "end_time": end,
                "words": normalise(text),
            }
            for who, start, end, text in rows
        ]
    )


def score(data: Path) -> dict[str, Any]:
    clips = sorted((data / "audio" / "ami_clips").glob("*.flac"))
    if not clips:
        sys.exit(f"no AMI clips under {data}: pass --data FOLDER with audio/ami_clips/*.flac and .ref files")
    pipeline = Pipeline()
    ders = {"der": DiarizationErrorRate(collar=0.0), "der_collar_0.25": DiarizationErrorRate(collar=0.5)}
    references: list[str] = []
    hypotheses: list[str] = []
    cp_errors = cp_words = 0
    total = 0.0
    rows = []
    for clip in clips:
        with tempfile.TemporaryDirectory() as folder:
            utterances, segments, duration = pipeline.run(clip, Path(folder))
        total += duration
        spoken = json.loads(clip.with_suffix(".ref.json").read_text())["words"]
        spoken.sort(key=lambda word: word["start"])
        reference = normalise(" ".join(word["text"] for word in spoken))
        words = sorted((w for u in utterances for w in u.words), key=lambda word: word.span.start)
        hypothesis = normalise(" ".join(word.text for word in words))
        references.append(reference)
        hypotheses.append(hypothesis)
        by_speaker = [(w["agent"], w["start"], w["end"], w["text"]) for w in spoken]
        found = [(u.speaker, u.start, u.end, u.text) for u in utterances]
        if found:
            cp = meeteval.wer.cpwer(seglst(clip.stem, by_speaker), seglst(clip.stem, found))[clip.stem]
            cp_errors, cp_words = cp_errors + cp.errors, cp_words + cp.length
        else:
            cp_errors, cp_words = cp_errors + len(spoken), cp_words + len(spoken)
        whole = Timeline([Segment(0, duration)])
        truth, guess = reference_turns(clip), found_turns(clip, segments)
        row = {name: round(float(metric(truth, guess, uem=whole)), 4) for name, metric in ders.items()}
        row |= {
            "clip": clip.stem,
            "wer": round(jiwer.wer(reference, hypothesis), 4),
            "speakers": len(truth.labels()),
            "found": len(guess.labels()),
        }
        rows.append(row)
    return {
        "clips": rows,
        "seconds": round(total, 1),
        "wer": round(jiwer.wer(references, hypotheses), 4),
        "cpwer": round(cp_errors / cp_words, 4),
        **{name: round(float(abs(metric)), 4) for name, metric in ders.items()},
        "der_parts": {
            key: round(float(value / ders["der"].accumulated_["total"]), 4)
            for key, value in ders["der"].accumulated_.items()
            if key in ("missed detection", "false alarm", "confusion")
        },
        "real_time_factor": {name: round(s / total, 4) for name, s in pipeline.watch.seconds.items()},
        "real_time_factor_total": round(sum(pipeline.watch.seconds.values()) / total, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*uem.*")
    result = score(arguments.data)
    if arguments.json:
        print(json.dumps(result, indent=1))
        return
    print(f"{'clip':24} {'WER':>6} {'DER':>6} {'±0.25':>6}  speakers (found)")
    for row in result["clips"]:
        print(
            f"{row['clip']:24} {row['wer']:6.3f} {row['der']:6.3f} {row['der_collar_0.25']:6.3f}"
            f"  {row['speakers']} ({row['found']})"
        )
    print(
        f"{'all clips':24} {result['wer']:6.3f} {result['der']:6.3f} {result['der_collar_0.25']:6.3f}"
        f"  cpWER {result['cpwer']:.3f}; DER parts {result['der_parts']}"
    )
    print("real-time factors:", result["real_time_factor"], "together", result["real_time_factor_total"])


if __name__ == "__main__":
    main()
